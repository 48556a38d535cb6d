import type { Fault } from '../../errors.ts'
import { formatNames } from '../../http/formats.ts'
import type { Pair } from '../../http/pairs.ts'
import {
  correct,
  defaultLimit,
  type FaultyQuery,
  formatMeant,
  type PairReading,
  readPairs,
  readValue,
} from '../../lists/parameters.ts'
import { resolveDate } from '../../lists/values.ts'
import type { Field, Resource } from '../resources/define.ts'
import {
  controlReaders,
  type Draft,
  type DraftReader,
  isExport,
  listRefused,
  parseSortKey,
  type QueryShape,
} from './controls.ts'
import { type FilterContext, readFilter } from './filters.ts'
import type { Query } from './query.ts'

export type DayParameters = Pick<Query, 'asOf' | 'on' | 'includes'>

export type ParseOutcome = { query: Query } | (FaultyQuery & { parsed: DayParameters })

type Asked = Readonly<{ resource: Resource; shape: QueryShape; formats: readonly string[] }>

type Grammar = Readonly<{
  controls: ReadonlyMap<string, DraftReader>
  filterable: readonly Field[]
  known: readonly string[]
}>

const createGrammar = ({ resource, shape, formats }: Asked): Grammar => {
  const controls = controlReaders(resource, shape, formats)
  const filterable = shape !== 'item' ? [...resource.fields.values()].filter((field) => field.filter) : []
  const named = [...filterable.map((field) => field.name), ...controls.keys()]
  const refused = listRefused(shape)
  const known = named.filter((name) => !refused.includes(name))
  return { controls, filterable, known }
}

const grammars = new WeakMap<Resource, Map<string, Grammar>>()

/** Cached: building a grammar takes longer than the rest of parsing. */
const getGrammar = (asked: Asked): Grammar => {
  const { resource, shape, formats } = asked
  const known = grammars.get(resource) ?? new Map<string, Grammar>()
  grammars.set(resource, known)
  const name = `${shape} ${formats.join()}`
  const grammar = known.get(name) ?? createGrammar(asked)
  known.set(name, grammar)
  return grammar
}

/**
 * Parses the pairs of a query string; relative dates stay unresolved. Reports every fault. `formats`: names of the formats
 * that the list has. `parsed`: for `checkAsOf`.
 */
export const parseQuery = (
  resource: Resource,
  shape: QueryShape,
  pairs: readonly Pair[],
  formats: readonly string[] = formatNames,
): ParseOutcome => {
  const draft: Draft = { conditions: [] }
  const { controls, filterable, known } = getGrammar({ resource, shape, formats })
  const context: FilterContext = { resource, filterable, known, draft }

  const readPair = (pair: Pair): PairReading => {
    const control = controls.get(pair.name)
    return control ? readValue(pair.name, control(draft), pair.value) : readFilter(pair, context)
  }

  const reading = readPairs(pairs, readPair)
  const { faults } = reading
  if (faults.length === 0) return { query: complete(resource, shape, draft) }
  const corrected = correct(formatMeant(reading), (meant) => parseQuery(resource, shape, meant, formats))
  const { asOf, on, includes = [], cursor: position } = draft
  return { faults, parsed: { asOf, on, includes }, corrected, position }
}

const complete = (resource: Resource, shape: QueryShape, draft: Draft): Query => ({
  resource,
  sort: [parseSortKey(resource.defaultSort)],
  includes: [],
  limit: isExport(shape) ? Number.POSITIVE_INFINITY : defaultLimit,
  count: false,
  hasByteOrderMark: false,
  ...draft,
})

/** Returns the faults of `as_of`: a day after `today` (YYYY-MM-DD), or parameters that exclude it. */
export const checkAsOf = ({ asOf, on, includes }: DayParameters, today: string): Fault[] => {
  if (asOf === undefined) return []
  const fault = (parameter: string, detail: string): Fault => ({ parameter, code: 'invalid_value', detail })
  const alone = 'as_of shows a single record at the end of that day: leave this out'
  return [
    ...(resolveDate(asOf, today) > today ? [fault('as_of', `expected a day up to today, ${today}`)] : []),
    ...(on === undefined ? [] : [fault('on', alone)]),
    ...(includes.length === 0 ? [] : [fault('include', alone)]),
  ]
}
