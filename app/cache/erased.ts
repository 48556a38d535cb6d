import { toRedisTag } from '../db/redis.ts'
import { rankSnapshot } from './snapshot.ts'
import type { Stamped } from './stamped.ts'

/** As long as a paused process or a slow network may keep a write. An entry itself lives for `CACHE_TTL_SECONDS`. */
export const erasedMs = 30 * 24 * 3_600_000

/** The name of the mark in Redis that a customer was erased. In a cluster, it is on the node of the customer's keys. */
export const getErasedName = (customerId: string): string => `certdata:${toRedisTag(customerId)}:erased`

/**
 * Returns a text that sorts by the time of a snapshot, also across restarts of the database. The value of the mark is
 * the age of a snapshot that shows the erasure. Older data are refused; a new customer of the same name has newer ones.
 */
export const formatAge = ({ epoch, snapshot }: Pick<Stamped, 'epoch' | 'snapshot'>): string =>
  `${epoch.slice(epoch.lastIndexOf(' ') + 1)} ${rankSnapshot(snapshot)}`

/**
 * A function of the scripts that write to Redis. A check before the command would not be enough: a process may be paused
 * between the two. See docs/decisions/0172-redis-refuses-data-of-an-erased-customer.md.
 */
export const isErasedScript = `
local function isErased(mark, age)
  local erased = redis.call('GET', mark)
  return erased and age <= erased
end
`
