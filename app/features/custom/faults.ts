import { z } from 'zod'
import { findNearest } from '../../lists/nearest.ts'

export type DocumentFault = { path: string; detail: string; did_you_mean?: string }

/** Formats a fault as a line of text. */
export const formatFault = ({ path, detail, did_you_mean: meant }: DocumentFault): string =>
  `${path === '' ? 'the document' : path}: ${detail}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`

export class DocumentError extends Error {
  readonly faults: readonly DocumentFault[]

  constructor(faults: readonly DocumentFault[]) {
    super(faults.map(formatFault).join('\n'))
    this.faults = faults
  }
}

type Path = readonly (string | number)[]

/** For example `object.m.where["validity[ne]"]`. Empty for the document itself. */
const formatPath = (path: Path): string =>
  path
    .map((part) =>
      typeof part === 'string' && /^[A-Za-z_][\w-]*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`,
    )
    .join('')
    .replace(/^\./, '')

/** A part of a document. Its checks add faults with its path. */
export type Place = Readonly<{
  at(...path: Path): Place
  /** Adds a fault and returns `undefined`. Suggests the candidate that is nearest to `given`. */
  addFault(detail: string, given?: string, candidates?: Iterable<string>): undefined
  /** Adds a fault whose detail is `expected` and the list of known names. */
  addNameFault(name: unknown, expected: string, known: readonly string[]): undefined
  /** Parses the part. Returns `undefined` after a fault. */
  read<T>(schema: z.ZodType<T>, value: unknown): T | undefined
}>

const describeType = (value: unknown): string => {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `${typeof value} ${JSON.stringify(value)}`
}

const listNames = (schema: unknown, path: readonly PropertyKey[]): string[] => {
  const inner = path.reduce<unknown>((part, key) => {
    if (part instanceof z.ZodArray) return part.element
    return part instanceof z.ZodObject ? part.shape[key as string] : undefined
  }, schema)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

const addIssue = (issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown, outer: Place): void => {
  const place = outer.at(...(issue.path as Path))
  const given = issue.path.reduce<unknown>((part, key) => (part as never)?.[key], value)
  if (issue.code === 'unrecognized_keys') {
    const known = listNames(schema, issue.path)
    for (const key of issue.keys) place.at(key).addNameFault(key, 'expected one of', known)
  } else if (issue.code === 'invalid_value') {
    const values = issue.values.map(String)
    const expected = `expected ${values.length > 1 ? 'one of: ' : ''}${values.join(', ')}`
    place.addFault(expected, typeof given === 'string' ? given : undefined, values)
  } else if (issue.code !== 'invalid_type') {
    place.addFault(issue.message)
  } else if (given !== undefined) {
    place.addFault(`expected ${issue.expected}, got ${describeType(given)}`)
  } else {
    place.addFault(issue.expected === 'nonoptional' ? 'is missing' : `is missing: expected ${issue.expected}`)
  }
}

/** Creates the place of a document, whose checks add to `faults`. */
export const createPlace = (faults: DocumentFault[], path: Path = []): Place => {
  const place: Place = {
    at: (...names) => createPlace(faults, [...path, ...names]),
    addFault(detail, given, candidates = []) {
      const meant = given === undefined ? undefined : findNearest(given, candidates)
      faults.push({ path: formatPath(path), detail, ...(meant === undefined ? {} : { did_you_mean: meant }) })
      return undefined
    },
    addNameFault: (name, expected, known) =>
      place.addFault(`${expected}: ${known.join(', ')}`, String(name), known),
    read(schema, value) {
      const parsed = schema.safeParse(value)
      if (parsed.success) return parsed.data
      for (const issue of parsed.error.issues) addIssue(issue, schema, value, place)
      return undefined
    },
  }
  return place
}

/** `undefined` if an element is, which means that its check has failed. */
export const whole = <T>(list: (T | undefined)[]): T[] | undefined =>
  list.every((each) => each !== undefined) ? (list as T[]) : undefined
