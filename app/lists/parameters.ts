import type { Fault } from '../errors.ts'
import { formatPairs, joinList, type Pair, parsePairs, splitList } from '../http/pairs.ts'
import { translateParameter } from './foreign.ts'
import { findNearest } from './nearest.ts'
import { expectedValue, oneOf, type Parsed } from './values.ts'

export const maxParameters = 30

/** `meant`: the corrected pair. `undefined` if the pair has no fault or no correction. */
export type PairReading = { faults: Fault[]; meant?: readonly [name: string, value: string] }

/** Returns one fault. `suggestion`: the nearest valid name. Only with a `value` do both form a correction. */
export const faultyPair = (
  parameter: string,
  { code, detail, suggestion }: Readonly<{ code: string; detail: string; suggestion?: string | undefined }>,
  value?: string,
): PairReading => {
  if (suggestion === undefined) return { faults: [{ parameter, code, detail }] }
  const faults = [{ parameter, code, detail, did_you_mean: suggestion }]
  return value === undefined ? { faults } : { faults, meant: [suggestion, value] }
}

export type PairsReading = { faults: Fault[]; meant: readonly (PairReading['meant'] | undefined)[] }

/** Reads one parameter's value. Refuses an empty value, unless the reader `mayBeEmpty`. */
export const readValue = (
  name: string,
  reader: ParameterReader,
  value: string | undefined,
  mayBeEmpty = false,
): PairReading => {
  const reading: ParameterReading =
    value === undefined
      ? faulty('invalid_value', 'expected percent-encoded UTF-8')
      : value === '' && !mayBeEmpty
        ? faulty('invalid_value', expectedValue)
        : reader(value)
  const faults = reading.faults.map((fault) => ({ parameter: name, ...fault }))
  return reading.cure === undefined ? { faults } : { faults, meant: [name, reading.cure] }
}

type Unknown = {
  known: readonly string[]
  takesOperator?: (name: string) => boolean
  problem?: string | undefined
  resource?: string
}

/** Refuses a parameter. Proposes its translation from another API, otherwise the nearest known name. */
export const readUnknown = (
  { name, value }: Pair,
  { known, takesOperator = () => false, problem = 'is not a parameter here', resource }: Unknown,
): PairReading => {
  const bracket = name.indexOf('[', 1)
  const [base, operator] = bracket === -1 ? [name, ''] : [name.slice(0, bracket), name.slice(bracket)]
  const isWhole = operator === '' || /^\[[^[\]]*\]$/.test(operator)
  const code = 'unknown_parameter'
  const translated = translateParameter(name, value, known, resource)
  const [meantName, meantValue] = translated?.meant ?? []
  if (translated)
    return faultyPair(name, { code, detail: translated.detail, suggestion: meantName }, meantValue)
  const detail = `${isWhole ? base : name} ${problem}; expected one of: ${known.join(', ')}`
  const nearest = findNearest(base, known)
  if (nearest === undefined) return faultyPair(name, { code, detail })
  const losesOperator = operator !== '' && !(isWhole && takesOperator(nearest))
  return losesOperator
    ? faultyPair(name, { code, detail, suggestion: nearest })
    : faultyPair(name, { code, detail, suggestion: nearest + operator }, value)
}

/** Returns a function that reads a pair with the reader of its name. */
export const readByName =
  (readers: ReadonlyMap<string, ParameterReader>) =>
  (pair: Pair): PairReading => {
    const reader = readers.get(pair.name)
    return reader
      ? readValue(pair.name, reader, pair.value)
      : readUnknown(pair, { known: [...readers.keys()] })
  }

/** Reads every pair of a query string. Refuses repeated names, and all pairs if more than `maxParameters`. */
export const readPairs = (pairs: readonly Pair[], readPair: (pair: Pair) => PairReading): PairsReading => {
  if (pairs.length > maxParameters) {
    const detail = `expected at most ${maxParameters} parameters, got ${pairs.length}: switch off or leave out those that you do not need`
    const { name } = pairs[maxParameters] as Pair
    return { faults: [{ parameter: name, code: 'too_many_values', detail }], meant: [undefined] }
  }
  const seen = new Set<string>()
  const readings = pairs.map((pair): PairReading => {
    const { name } = pair
    const detail = `${name} was given before; several values go into one, separated by commas`
    if (seen.has(name)) return faultyPair(name, { code: 'duplicate_parameter', detail })
    seen.add(name)
    return readPair(pair)
  })
  return {
    faults: readings.flatMap((reading) => reading.faults),
    meant: readings.map((reading, index) => {
      const { name, value } = pairs[index] as Pair
      return reading.faults.length === 0 ? [name, value as string] : reading.meant
    }),
  }
}

/** `corrected`: query string, if every fault is correctable. `position`: a cursor or token that is not verified yet. */
export type FaultyQuery = {
  faults: Fault[]
  corrected?: string | undefined
  position?: string | undefined
}

type Outcome = { query: unknown } | Pick<FaultyQuery, 'corrected'>

/** Parses `meant` again. Returns it if it is valid, otherwise the correction of its faults or `undefined`. */
export const correct = (
  meant: string | undefined,
  parse: (pairs: readonly Pair[]) => Outcome,
): string | undefined => {
  if (meant === undefined) return undefined
  const again = parse(parsePairs(meant))
  return 'query' in again ? meant : again.corrected
}

/** Formats the corrected query. `undefined` if a fault has no correction. */
export const formatMeant = ({ meant }: PairsReading): string | undefined =>
  meant.every((each) => each !== undefined) ? formatPairs(meant) : undefined

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
