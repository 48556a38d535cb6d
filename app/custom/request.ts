import type { Fault } from '../errors.ts'
import { formatPairs, type Pair } from '../http/pairs.ts'
import { formatSelection } from '../records/query/canonical.ts'
import { type Draft, isExport } from '../records/query/controls.ts'
import {
  type FaultyQuery,
  formatMeant,
  type PairReading,
  type PairsReading,
  readPairs,
  readValue,
  refuseUnknown,
} from '../records/query/parameters.ts'
import { readFilter } from '../records/query/parse.ts'
import { type Condition, parseSortKey, type Query } from '../records/query/query.ts'
import type { ParameterReader } from '../records/query/readers.ts'
import type { Resource } from '../records/resources/define.ts'
import { bindSources, type Given } from './bind.ts'
import type { Definition, List, Source } from './definition.ts'
import type { Revision } from './granted.ts'
import { type CustomShape, createReaders, type ReadParameters } from './request-readers.ts'

export type CustomRequest = Readonly<{
  given: Given
  queries: ReadonlyMap<Source, Query>
  conditions: readonly Condition[]
  limit: number
  cursor: string | undefined
  count: boolean
  hasMark: boolean
  canonical: string
  selection: string
  dependsOnDay: boolean
}>

export type RequestOutcome = { request: CustomRequest } | FaultyQuery

const readWith = (
  definition: Definition,
  readers: ReadonlyMap<string, ParameterReader>,
  draft: Draft,
  rawQuery: string,
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
    return refuseUnknown(pair, { known })
  }
  return readPairs(rawQuery, readPair)
}

/** Adds defaults to `given`. Returns a fault for each required parameter that is missing. */
const complete = ({ params }: Definition, given: Map<string, string>, rawQuery: string): Fault[] =>
  [...params.values()].flatMap((parameter): Fault[] => {
    const { name, type, optional, default: usual } = parameter
    if (given.has(name)) return []
    if (usual !== undefined) given.set(name, usual)
    if (usual !== undefined || optional || isNamed(rawQuery, name)) return []
    return [{ parameter: name, code: 'invalid_value', detail: `is missing: expected ${describe(type)}` }]
  })

const describe = (type: string) =>
  type === 'integer' ? 'an integer' : `a ${type === 'string' ? 'text' : type}`

/** A parameter with an invalid value is not reported as missing, too. */
const isNamed = (rawQuery: string, name: string) => new RegExp(`(^|&)${name}=`).test(rawQuery)

const filtersText = (resource: Resource, conditions: readonly Condition[]): string =>
  formatSelection({
    resource,
    conditions,
    sort: [parseSortKey(resource.defaultSort)],
    on: undefined,
    expiringWithin: undefined,
  })

const isRelative = (values: Iterable<string>) => [...values].some((value) => value.startsWith('today'))

/** Checked in bound conditions, because `to${part}` may become `today`. */
const isOfDay = (conditions: readonly Condition[]) => isRelative(conditions.flatMap(({ values }) => values))

const finish = (
  definition: Definition,
  { given, draft, revision }: ReadParameters,
  queries: ReadonlyMap<Source, Query>,
  shape: CustomShape,
): CustomRequest => {
  const { body, name, digest } = definition
  const list: List | undefined = 'list' in body ? body.list : undefined
  const usual = isExport(shape) ? Number.POSITIVE_INFINITY : (list?.limit ?? 1)
  const { conditions, limit = usual, count = false, hasMark = false, cursor } = draft
  const chosen = [
    formatPairs([...given].sort(([a], [b]) => (a < b ? -1 : 1))),
    list ? filtersText(list.source.resource, conditions) : '',
  ]
  const selection = chosen.filter((part) => part !== '').join('&')
  const controls: [string, string][] = []
  if (revision !== undefined) controls.push(['revision', revision])
  if (count) controls.push(['count', 'exact'])
  if (list && limit !== list.limit) controls.push(['limit', String(limit)])
  const all = [selection, formatPairs(controls)].filter((part) => part !== '')
  return {
    given,
    queries,
    conditions,
    limit,
    cursor,
    count,
    hasMark,
    canonical: all.join('&'),
    selection: `custom/${name} ${definition.revision} ${digest}?${selection}`,
    dependsOnDay:
      definition.dependsOnDay ||
      isRelative(given.values()) ||
      isOfDay(conditions) ||
      [...queries.values()].some((query) => isOfDay(query.conditions)),
  }
}

/** Parses a query string and reports every fault. Pure. `today` (YYYY-MM-DD): for bounds of dates. */
export const readRequest = (
  definition: Definition,
  revisions: readonly Pick<Revision, 'revision'>[],
  rawQuery: string,
  today: string,
  shape: CustomShape = 'page',
): RequestOutcome => {
  const reading: ReadParameters = { given: new Map(), draft: { conditions: [] } }
  const readers = createReaders(definition, revisions, today, reading, shape)
  const pairs = readWith(definition, readers, reading.draft, rawQuery)
  const missing = complete(definition, reading.given, rawQuery)
  const { cursor } = reading.draft
  if (pairs.faults.length > 0) {
    const meant = formatMeant(pairs)
    const again = meant === undefined ? undefined : readRequest(definition, revisions, meant, today, shape)
    const isMissing = (fault: Fault) => !pairs.meant.some((pair) => pair?.[0] === fault.parameter)
    const faults = [...pairs.faults, ...missing.filter(isMissing)]
    return { faults, corrected: again && ('request' in again ? meant : again.corrected), cursor }
  }
  if (missing.length > 0) return { faults: missing, cursor }
  const bound = bindSources(definition, reading.given)
  if ('faults' in bound) return { faults: bound.faults, cursor }
  return { request: finish(definition, reading, bound.queries, shape) }
}
