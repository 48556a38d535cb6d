import type { PreparedQuery } from './query/prepare.ts'
import { versionOf } from './version.ts'

export type KeyMoment = { today: string }

/**
 * Returns the cache key of an answer within a customer; the day only if the answer depends on it. Two
 * requests share a key only if their bodies are the same function of the data.
 */
export const cacheKey = (prepared: PreparedQuery, itemId: string | undefined, moment: KeyMoment): string => {
  const { query, canonical, dependsOnDay } = prepared
  const path = itemId === undefined ? query.resource.name : `${query.resource.name}/${itemId}`
  const day = dependsOnDay ? moment.today : ''
  return `${versionOf(query.resource)} ${path} ${day} ${canonical}`
}
