import type { PreparedQuery } from './query/prepare.ts'
import type { Resource } from './resources/define.ts'

/** Returns a text that changes with the version of each of these resources. For keys of answers that read them. */
export const joinVersions = (resources: readonly Resource[]): string =>
  resources.map(({ version }) => version).join('.')

/** Returns the cache key of an answer, without the customer. */
export const cacheKey = (
  prepared: PreparedQuery,
  itemId: string | undefined,
  moment: Readonly<{ today: string }>,
): string => {
  const { query, canonical, dependsOnDay } = prepared
  const { name, version } = query.resource
  const path = itemId === undefined ? name : `${name}/${itemId}`
  const day = dependsOnDay ? moment.today : ''
  return `${version} ${path} ${day} ${canonical}`
}
