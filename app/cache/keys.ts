import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Prepared } from '../query/prepare.ts'
import { resources } from '../resources/index.ts'

/** Raised when answers change though no schema does: another envelope, another order, another format. */
const codeVersion = 3

/** Changes with every schema, so that a deploy never serves bodies of another shape from Redis. */
export const representationVersion = createHash('sha256')
  .update(JSON.stringify([codeVersion, Object.values(resources).map(({ schema }) => z.toJSONSchema(schema))]))
  .digest('base64url')
  .slice(0, 12)

export type KeyMoment = { today: string }

/**
 * The key of an answer within a customer: resource, record, canonical query, and the day where it
 * matters. Two requests share a key only if their bodies are the same function of the data.
 */
export const cacheKey = (prepared: Prepared, itemId: string | undefined, moment: KeyMoment): string => {
  const { query, canonical, dependsOnDay } = prepared
  const path = itemId === undefined ? query.resource.name : `${query.resource.name}/${itemId}`
  const day = dependsOnDay ? moment.today : ''
  return `${representationVersion} ${path} ${day} ${canonical}`
}
