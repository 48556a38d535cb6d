import { LRUCache } from 'lru-cache'
import type { QueryString } from '../../http/pairs.ts'
import type { Include, Resource } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { formatParts } from './canonical.ts'
import type { QueryShape } from './controls.ts'
import { type ParseOutcome, parseQuery } from './parse.ts'
import type { Query } from './query.ts'

/** The resource of change log entries for pruned or forgotten history. */
export const historyChanges = 'history'

export type PreparedQuery = {
  query: Query
  canonical: string
  /** `canonical` without the cursor. */
  list: string
  /** The text that a cursor is bound to. */
  selection: string
  dependsOnDay: boolean
  /** Resources in the change log whose changes invalidate the answer. */
  dependsOn: readonly string[]
}

const isRelative = (query: Query) =>
  query.asOf?.startsWith('today') === true ||
  query.conditions.some(({ values }) => values.some((value) => value.startsWith('today')))

type Shown = Pick<Query, 'resource' | 'includes'>

/** Returns the definitions of the query's includes. */
export const listIncludes = ({ resource, includes }: Shown): Include[] =>
  includes.map((name) => resource.includes[name] as Include)

const listShown = (query: Shown): Resource[] => [
  query.resource,
  ...listIncludes(query).map((include) => resources[include.resource]),
]

/** Whether the resource or an include has fields that are computed for a day, even if `fields` omits them. */
export const isComputed = (query: Shown): boolean =>
  listShown(query).some(({ computedForDay }) => computedForDay)

const dependencies = (query: Query): string[] => {
  const settings = isComputed(query) && query.expiringWithin === undefined ? ['settings'] : []
  const history = query.asOf === undefined ? [] : [historyChanges]
  return [...new Set([...listShown(query).flatMap(({ reads }) => reads), ...settings, ...history])]
}

const prepare = (query: Query): PreparedQuery => {
  const { selection, list, canonical } = formatParts(query)
  return {
    query,
    canonical,
    list,
    selection: `${query.resource.name}?${selection}`,
    dependsOnDay: isComputed(query) || isRelative(query),
    dependsOn: dependencies(query),
  }
}

/** In bytes, estimated. About a thousand queries. */
const remembered = {
  maxSize: 2_000_000,
  maxEntrySize: 40_000,
  sizeCalculation: (_: unknown, key: string) => 1_000 + 10 * key.length,
}

/** Returns a cached `parseQuery`. Faults are not cached. */
export const createPrepare = () => {
  const known = new LRUCache<string, { query: PreparedQuery }>(remembered)
  return (
    resource: Resource,
    shape: QueryShape,
    rawQuery: QueryString,
    formats?: readonly string[],
  ): { query: PreparedQuery } | Extract<ParseOutcome, { faults: unknown }> => {
    const name = `${resource.name} ${shape} ${rawQuery.text}`
    const found = known.get(name)
    if (found) return found
    const outcome = parseQuery(resource, shape, rawQuery.pairs, formats)
    if ('faults' in outcome) return outcome
    const result = { query: prepare(outcome.query) }
    known.set(name, result)
    return result
  }
}
