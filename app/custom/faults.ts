import type { z } from 'zod'
import { findNearest } from '../records/query/nearest.ts'

export type Path = readonly (string | number)[]

export type DocumentFault = { path: string; detail: string; did_you_mean?: string }

export class DocumentError extends Error {
  readonly faults: readonly DocumentFault[]

  constructor(faults: readonly DocumentFault[]) {
    super(faults.map(formatFault).join('\n'))
    this.faults = faults
  }
}

/** For example `object.m.where["validity[ne]"]`. Empty for the document itself. */
const formatPath = (path: Path): string =>
  path
    .map((part) =>
      typeof part === 'string' && /^[A-Za-z_][\w-]*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`,
    )
    .join('')
    .replace(/^\./, '')

/** Formats a fault as a line of text. */
export const formatFault = ({ path, detail, did_you_mean: meant }: DocumentFault): string =>
  `${path === '' ? 'the document' : path}: ${detail}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`

export type Faults = {
  /** Returns `undefined`, for `return faults.add(…)`. Suggests the candidate that is nearest to `given`. */
  add(path: Path, detail: string, given?: string, candidates?: Iterable<string>): undefined
  /** Adds a fault whose detail is `expected` and the list of known names. */
  addUnknown(path: Path, name: unknown, expected: string, known: readonly string[]): undefined
  /** Parses a part of the document. Returns `undefined` after a fault. */
  read<T>(schema: z.ZodType<T>, value: unknown, path: Path): T | undefined
  readonly list: readonly DocumentFault[]
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value)

const listNames = (schema: z.ZodType): string[] =>
  'shape' in schema ? Object.keys(schema.shape as Record<string, unknown>) : []

/** `undefined` if an element is, which means that its check has failed. */
export const whole = <T>(list: (T | undefined)[]): T[] | undefined =>
  list.every((each) => each !== undefined) ? (list as T[]) : undefined

/** Creates an empty list of faults. */
export const createFaults = (): Faults => {
  const list: DocumentFault[] = []
  const add: Faults['add'] = (path, detail, given, candidates = []) => {
    const nearest = given === undefined ? undefined : findNearest(given, candidates)
    list.push({ path: formatPath(path), detail, ...(nearest === undefined ? {} : { did_you_mean: nearest }) })
    return undefined
  }
  const addUnknown: Faults['addUnknown'] = (path, name, expected, known) =>
    add(path, `${expected}: ${known.join(', ')}`, String(name), known)
  const addIssue = (issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown, path: Path) => {
    const place = [...path, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
    const given = at(value, issue.path)
    switch (issue.code) {
      case 'unrecognized_keys': {
        const names = listNames(schema)
        for (const key of issue.keys) addUnknown([...place, key], key, 'expected one of', names)
        return
      }
      case 'invalid_value': {
        const values = issue.values.map(String)
        const text = typeof given === 'string' ? given : undefined
        return add(place, `expected ${values.length > 1 ? 'one of: ' : ''}${values.join(', ')}`, text, values)
      }
      case 'invalid_type': {
        if (given !== undefined) return add(place, `expected ${issue.expected}, got ${describeType(given)}`)
        const expected = issue.expected === 'nonoptional' ? '' : `: expected ${issue.expected}`
        return add(place, `is missing${expected}`)
      }
      default:
        return add(place, issue.message)
    }
  }
  return {
    add,
    addUnknown,
    read(schema, value, path) {
      const parsed = schema.safeParse(value)
      if (parsed.success) return parsed.data
      for (const issue of parsed.error.issues) addIssue(issue, schema, value, path)
      return undefined
    },
    list,
  }
}

const describeType = (value: unknown): string =>
  value === null
    ? 'nothing'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : `${typeof value} ${JSON.stringify(value)}`
