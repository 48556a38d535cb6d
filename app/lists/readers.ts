import type { Fault } from '../errors.ts'
import { joinList, splitList } from '../http/pairs.ts'
import { oneOf, type Parsed } from './values.ts'

export const defaultLimit = 50
export const maxLimit = 500
export const maxValues = 200

/** `cure`: the value with every fault corrected, if possible. */
export type ParameterReader = (value: string) => ParameterReading
export type ParameterReading = { faults: Omit<Fault, 'parameter'>[]; cure?: string }

export const fine: ParameterReading = { faults: [] }

/** Returns one fault; `suggestion` is its correction. */
export const faulty = (code: string, detail: string, suggestion?: string): ParameterReading =>
  suggestion === undefined
    ? { faults: [{ code, detail }] }
    : { faults: [{ code, detail, did_you_mean: suggestion }], cure: suggestion }

/** Returns a reader that parses the value as a whole. */
export const single = (parse: (value: string) => Parsed, take: (value: string) => void): ParameterReader => {
  return (value) => {
    const parsed = parse(value)
    if ('detail' in parsed) return faulty('invalid_value', parsed.detail, parsed.suggestion)
    take(parsed.value)
    return fine
  }
}

export type ParsedElement = Parsed & { code?: string }

/** Returns a reader of a list of at most `most` values. Each bad value is a fault. */
export const many = (
  parse: (element: string) => ParsedElement,
  take: (elements: string[]) => void,
  most: number = maxValues,
): ParameterReader => {
  return (value) => {
    const elements = splitList(value)
    if (elements.length > most) {
      return faulty('too_many_values', `expected at most ${most} values, got ${elements.length}`)
    }
    const parsed = elements.map(parse)
    const bad = parsed.filter((each) => 'detail' in each)
    if (bad.length === 0) {
      take(parsed.map((each) => (each as { value: string }).value))
      return fine
    }
    const faults = bad.flatMap(
      ({ code = 'invalid_value', detail, suggestion }) => faulty(code, detail, suggestion).faults,
    )
    const cured = parsed.map((each) => ('value' in each ? each.value : each.suggestion))
    return cured.every((each) => each !== undefined) ? { faults, cure: joinList(cured) } : { faults }
  }
}

/** Returns a parser for one of `names`; `what` introduces them in the message. */
export const oneOfNames =
  (names: readonly string[], code: string, what: string) =>
  (name: string): ParsedElement => ({ code, ...oneOf(names, `${what}: `)(name) })

/** Returns a parser for an integer from `min` to `max`, without sign or leading zeros. */
export const integerWithin =
  (min: number, max: number) =>
  (text: string): Parsed =>
    /^(0|[1-9]\d{0,5})$/.test(text) && Number(text) >= min && Number(text) <= max
      ? { value: text }
      : { detail: `expected an integer from ${min} to ${max}` }

/** Returns a reader that only checks `format`. Content negotiation uses the value. */
export const formatReader = (formats: readonly string[]): ParameterReader =>
  single(oneOf(formats, 'expected '), () => {})

/** Returns a function that converts a value and stores it in `draft[name]`. */
export const into =
  <Draft, Name extends keyof Draft, Value>(
    draft: Draft,
    name: Name,
    convert: (value: Value) => Draft[Name],
  ) =>
  (value: Value): void => {
    draft[name] = convert(value)
  }

/** Returns the readers of `limit` and `cursor`. They write to `draft`. */
export const pageReaders = (draft: {
  limit?: number
  cursor?: string | undefined
}): [name: string, reader: ParameterReader][] => [
  ['limit', single(integerWithin(1, maxLimit), into(draft, 'limit', Number))],
  ['cursor', single((value) => ({ value }), into(draft, 'cursor', String))],
]
