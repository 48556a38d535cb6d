import type { z } from 'zod'

const types: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'nothing',
}

/** Describes the type of a JSON value: `a list`. */
export const describeType = (value: unknown): string =>
  types[value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value] as string

/** Describes an issue. `name`, `value`: of its path, as in `tags.0 must be text; found a number`. */
export const describeIssue = (issue: z.core.$ZodIssue, name: string, value: unknown): string => {
  const found = `found ${describeType(value)}`
  if (issue.code === 'invalid_type') {
    const isOurs = !issue.message.startsWith('Invalid input')
    return isOurs
      ? `${name}: ${issue.message}; ${found}`
      : `${name} must be ${types[issue.expected] ?? issue.expected}; ${found}`
  }
  if (issue.code === 'invalid_value') {
    const isText = typeof value === 'string'
    return `${name} must be one of ${issue.values.map((each) => JSON.stringify(each)).join(', ')}${isText ? '' : `; ${found}`}`
  }
  return name === '' ? issue.message : `${name}: ${issue.message}`
}
