import { LRUCache } from 'lru-cache'
import type { Resource } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { formatParts } from './canonical.ts'
import type { QueryShape } from './controls.ts'
import { type ParseOutcome, parseQuery } from './parse.ts'
import type { Query } from './query.ts'

/** The name in the change log under which history itself is changed: what is pruned or forgotten. */
export const historyChanges = 'history'

/** A query with what is derived from it alone: once per text, not once per request. */
export type PreparedQuery = {
  query: Query
  canonical: string
  /** The same without its cursor: what the pages of a list have in common. */
  list: string
  /** What a cursor belongs to: resource, filters and sort. */
  selection: string
  /** Whether the same data give another answer on another day. */
  dependsOnDay: boolean
  /** Names in the change log whose changes change the answer: resources, and `settings`. */
  dependsOn: readonly string[]
}

const isRelative = (query: Query) =>
  query.asOf?.startsWith('today') === true ||
  query.conditions.some(({ values }) => values.some((value) => value.startsWith('today')))

const includesComputed = ({ resource, includes }: Pick<Query, 'resource' | 'includes'>) =>
  includes.some((name) => {
    const included = resource.includes[name]
    return included !== undefined && resources[included.resource].computedForDay
  })

/** Whether the answer has computed fields, and so depends on the customer's window unless the query names one. */
export const isComputed = (query: Pick<Query, 'resource' | 'includes'>): boolean =>
  query.resource.computedForDay || includesComputed(query)

const dependencies = (query: Query): string[] => {
  const { resource, includes } = query
  const included = includes.flatMap((name) => {
    const target = resource.includes[name]?.resource
    return target ? resources[target].reads : []
  })
  const settings = isComputed(query) && query.expiringWithin === undefined ? ['settings'] : []
  const history = query.asOf === undefined ? [] : [historyChanges]
  return [...new Set([...resource.reads, ...included, ...settings, ...history])]
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

/**
 * Clients ask the same few questions for ever: 2 MB hold some thousand of them. What is held of one was measured:
 * 1.2 kB, and ten bytes more for each of its text.
 */
const remembered = {
  maxSize: 2_000_000,
  maxEntrySize: 40_000,
  sizeCalculation: (_: unknown, key: string) => 1_000 + 10 * key.length,
}

/**
 * `parseQuery`, remembered. Parsing is a pure function of resource, shape and text, so nothing here ever
 * goes stale; faults are not remembered.
 */
export const createPrepare = () => {
  const known = new LRUCache<string, { prepared: PreparedQuery }>(remembered)
  return (
    resource: Resource,
    shape: QueryShape,
    rawQuery: string,
  ): { prepared: PreparedQuery } | Extract<ParseOutcome, { faults: unknown }> => {
    const name = `${resource.name} ${shape} ${rawQuery}`
    const found = known.get(name)
    if (found) return found
    const outcome = parseQuery(resource, shape, rawQuery)
    if ('faults' in outcome) return outcome
    const result = { prepared: prepare(outcome.query) }
    known.set(name, result)
    return result
  }
}
