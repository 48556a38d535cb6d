import type { Fault } from '../../errors.ts'
import { joinList, splitList } from '../../http/pairs.ts'
import { findNearest } from './nearest.ts'
import { maxLimit, maxValues } from './query.ts'
import type { Parsed } from './values.ts'

/** Takes one parameter's value; returns the faults and, where every one has a cure, the cured value. */
export type ParameterReader = (value: string) => ParameterReading
export type ParameterReading = { faults: Omit<Fault, 'parameter'>[]; cure?: string }

/** Nothing to complain of. */
export const fine: ParameterReading = { faults: [] }

/** One fault, with its cure where there is one. */
export const refuse = (code: string, detail: string, suggestion?: string): ParameterReading =>
  suggestion === undefined
    ? { faults: [{ code, detail }] }
    : { faults: [{ code, detail, did_you_mean: suggestion }], cure: suggestion }

/** Reads a value as a whole. */
export const single = (parse: (value: string) => Parsed, take: (value: string) => void): ParameterReader => {
  return (value) => {
    const parsed = parse(value)
    if ('detail' in parsed) return refuse('invalid_value', parsed.detail, parsed.suggestion)
    take(parsed.value)
    return fine
  }
}

export type ParsedElement = Parsed & { code?: string }

/** Reads a list of at most `most` values; every bad one is a fault of its own. */
export const many = (
  parse: (element: string) => ParsedElement,
  take: (elements: string[]) => void,
  most: number = maxValues,
): ParameterReader => {
  return (value) => {
    const elements = splitList(value)
    if (elements.length > most) {
      return refuse('too_many_values', `expected at most ${most} values, got ${elements.length}`)
    }
    const parsed = elements.map(parse)
    const bad = parsed.filter((each) => 'detail' in each)
    if (bad.length === 0) {
      take(parsed.map((each) => (each as { value: string }).value))
      return fine
    }
    const faults = bad.map(({ code = 'invalid_value', detail, suggestion }) => ({
      code,
      detail,
      ...(suggestion ? { did_you_mean: suggestion } : {}),
    }))
    const cured = parsed.map((each) => ('value' in each ? each.value : each.suggestion))
    return cured.every((each) => each !== undefined) ? { faults, cure: joinList(cured) } : { faults }
  }
}

/** An element that must be one of `names`; `what` introduces them in the message. */
export const oneOfNames =
  (names: readonly string[], code: string, what: string) =>
  (name: string): ParsedElement => {
    if (names.includes(name)) return { value: name }
    const suggestion = findNearest(name, names)
    return { code, detail: `${what}: ${names.join(', ')}`, ...(suggestion ? { suggestion } : {}) }
  }

/** A decimal integer without sign or leading zeros, bounds included. */
export const integerWithin =
  (min: number, max: number) =>
  (text: string): Parsed =>
    /^(0|[1-9]\d{0,5})$/.test(text) && Number(text) >= min && Number(text) <= max
      ? { value: text }
      : { detail: `expected an integer from ${min} to ${max}` }

/** One of a few values. */
export const onlyOne = (wanted: readonly string[]) => (text: string) => {
  if (wanted.includes(text)) return { value: text }
  const suggestion = findNearest(text, wanted)
  return { detail: `expected ${wanted.join(', ')}`, ...(suggestion ? { suggestion } : {}) }
}

/** The reader of `format`, so that it is no unknown parameter: negotiation reads it. */
export const formatReader = (formats: readonly string[]): ParameterReader =>
  single(onlyOne(formats), () => {})

/** The readers of `limit` and `cursor`. What they read goes to the draft. */
export const pageReaders = (draft: {
  limit?: number
  cursor?: string | undefined
}): [name: string, reader: ParameterReader][] => [
  [
    'limit',
    single(integerWithin(1, maxLimit), (value) => {
      draft.limit = Number(value)
    }),
  ],
  [
    'cursor',
    single(
      (value) => ({ value }),
      (value) => {
        draft.cursor = value
      },
    ),
  ],
]
