import type { PreparedQuery } from './query/prepare.ts'
import { versionOf } from './version.ts'

export type KeyMoment = { today: string }

/**
 * The key of an answer within a customer: version, resource, record, canonical query, and the day where it matters. Two
 * requests share a key only if their bodies are the same function of the data.
 */
export const cacheKey = (prepared: PreparedQuery, itemId: string | undefined, moment: KeyMoment): string => {
  const { query, canonical, dependsOnDay } = prepared
  const path = itemId === undefined ? query.resource.name : `${query.resource.name}/${itemId}`
  const day = dependsOnDay ? moment.today : ''
  return `${versionOf(query.resource)} ${path} ${day} ${canonical}`
}
