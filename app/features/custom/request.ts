import type { Fault } from '../../errors.ts'
import { formatPairs, type Pair, parsePairs } from '../../http/pairs.ts'
import {
  type FaultyQuery,
  formatMeant,
  type PairReading,
  type PairsReading,
  type ParameterReader,
  readPairs,
  readUnknown,
  readValue,
} from '../../lists/parameters.ts'
import { formatSelection } from '../../records/query/canonical.ts'
import { type Draft, isExport, parseSortKey } from '../../records/query/controls.ts'
import { readFilter } from '../../records/query/filters.ts'
import type { Condition, Query } from '../../records/query/query.ts'
import type { Resource } from '../../records/resources/define.ts'
import { bindSources } from './bind.ts'
import type { Definition, Source } from './definition.ts'
import {
  type CustomGrammar,
  type CustomShape,
  createReaders,
  type ReadParameters,
} from './request-readers.ts'

const readWith = (
  definition: Definition,
  readers: ReadonlyMap<string, ParameterReader>,
  draft: Draft,
  pairs: readonly Pair[],
): PairsReading => {
  const { body } = definition
  const list = 'list' in body ? body.list : undefined
  const filterable = (list?.filters ?? []).flatMap((name) => list?.source.resource.fields.get(name) ?? [])
  const known = [...filterable.map(({ name }) => name), ...readers.keys()]
  const readPair = (pair: Pair): PairReading => {
    const { name, value } = pair
    const reader = readers.get(name)
    if (reader) return readValue(name, reader, value)
    if (list) return readFilter(pair, { resource: list.source.resource, filterable, known, draft })
    return readUnknown(pair, { known })
  }
  return readPairs(pairs, readPair)
}

/** Adds defaults to `given`. Returns a fault for each required parameter that is missing. A faulty one is not. */
const addDefaults = ({ params }: Definition, given: Map<string, string>, pairs: readonly Pair[]): Fault[] =>
  [...params.values()].flatMap((parameter): Fault[] => {
    const { name, type, optional, default: usual } = parameter
    if (given.has(name)) return []
    if (usual !== undefined) given.set(name, usual)
    if (usual !== undefined || optional || pairs.some((pair) => pair.name === name)) return []
    return [{ parameter: name, code: 'invalid_value', detail: `is missing: expected ${describeType(type)}` }]
  })

const describeType = (type: string) =>
  type === 'integer' ? 'an integer' : `a ${type === 'string' ? 'text' : type}`

const formatFilters = (resource: Resource, conditions: readonly Condition[]): string =>
  formatSelection({
    resource,
    conditions,
    sort: [parseSortKey(resource.defaultSort)],
    on: undefined,
    expiringWithin: undefined,
  })

const joinParts = (parts: readonly string[]) => parts.filter((part) => part !== '').join('&')

const toRequest = (
  definition: Definition,
  { given, draft, revision }: ReadParameters,
  queries: ReadonlyMap<Source, Query>,
  shape: CustomShape,
) => {
  const { body, name, digest } = definition
  const list = 'list' in body ? body.list : undefined
  const usual = isExport(shape) ? Number.POSITIVE_INFINITY : (list?.limit ?? 1)
  const { conditions, limit = usual, count = false, hasByteOrderMark = false, cursor } = draft
  const selection = joinParts([
    formatPairs([...given.keys()].sort().map((key) => [key, given.get(key) as string])),
    list ? formatFilters(list.source.resource, conditions) : '',
  ])
  const controls: [string, string][] = []
  if (revision !== undefined) controls.push(['revision', revision])
  if (count) controls.push(['count', 'exact'])
  if (list && limit !== list.limit) controls.push(['limit', String(limit)])
  const bound = [conditions, ...[...queries.values()].map((query) => query.conditions)].flat()
  return {
    given,
    queries,
    conditions,
    limit,
    cursor,
    count,
    hasByteOrderMark,
    canonical: joinParts([selection, formatPairs(controls)]),
    selection: `custom/${name} ${definition.revision} ${digest}?${selection}`,
    // Bound conditions count, too, because `to${part}` may have become `today`.
    dependsOnDay:
      definition.dependsOnDay ||
      [...given.values(), ...bound.flatMap(({ values }) => values)].some((text) => text.startsWith('today')),
  }
}

export type CustomRequest = Readonly<ReturnType<typeof toRequest>>

/** Parses a query. Reports faults of conditions only if it has no others. */
export const readRequest = (
  grammar: CustomGrammar,
  asked: readonly Pair[],
): { request: CustomRequest } | FaultyQuery => {
  const { definition, shape } = grammar
  const reading: ReadParameters = { given: new Map(), draft: { conditions: [] } }
  const readers = createReaders(grammar, reading)
  const pairs = readWith(definition, readers, reading.draft, asked)
  const missing = addDefaults(definition, reading.given, asked)
  const { cursor: position } = reading.draft
  if (pairs.faults.length > 0) {
    const meant = formatMeant(pairs)
    const again = meant === undefined ? undefined : readRequest(grammar, parsePairs(meant))
    const isMissing = (fault: Fault) => !pairs.meant.some((pair) => pair?.[0] === fault.parameter)
    const faults = [...pairs.faults, ...missing.filter(isMissing)]
    return { faults, corrected: again && ('request' in again ? meant : again.corrected), position }
  }
  if (missing.length > 0) return { faults: missing, position }
  const bound = bindSources(definition, reading.given)
  if ('faults' in bound) return { faults: bound.faults, position }
  return { request: toRequest(definition, reading, bound.queries, shape) }
}
