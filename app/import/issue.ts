import type { z } from 'zod'
import { findNearest } from '../lists/nearest.ts'
import { quoteText } from './quote.ts'

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

/** Describes an issue. `name`, `value`: of its path, as in `tags.0 must be text; found a number`. A text is
 * quoted. */
export const describeIssue = (issue: z.core.$ZodIssue, name: string, value: unknown): string => {
  const found = `found ${describeType(value)}`
  if (issue.code === 'invalid_type') {
    const isOurs = !issue.message.startsWith('Invalid input')
    return isOurs
      ? `${name}: ${issue.message}; ${found}`
      : `${name} must be ${types[issue.expected] ?? issue.expected}; ${found}`
  }
  const shown = typeof value === 'string' ? `found ${quoteText(value)}` : found
  if (issue.code === 'invalid_value') {
    const nearest = typeof value === 'string' ? findNearest(value, issue.values.map(String)) : undefined
    const suggestion = nearest === undefined ? '' : `; did you mean "${nearest}"?`
    return `${name} must be one of ${issue.values.map((each) => JSON.stringify(each)).join(', ')}; ${shown}${suggestion}`
  }
  const isValue = typeof value === 'string' || typeof value === 'number'
  const message = isValue ? `${issue.message}; ${shown}` : issue.message
  return name === '' ? message : `${name}: ${message}`
}
