import { randomUUID } from 'node:crypto'
import { canonicalPath } from '../../audit/read-counts.ts'
import { dayMs } from '../../config/units.ts'
import type { SentAnswer } from '../../observe/sent-answer.ts'
import { toTemplate } from '../../openapi/description.ts'

type Count = { requests: number; not_modified: number; refused: number; bytes: number }

/** Requests of a key on a day (YYYY-MM-DD, UTC), as `add_usage` reads them. `bytes`: of the bodies as sent. */
export type UsageCount = Readonly<{ key_id: string; day: string; endpoint: string } & Count>

/** `number` rises with each batch of a writer. A batch that is written again is the same. */
export type UsageBatch = Readonly<{ writer: string; number: number; counts: readonly UsageCount[] }>

type UsageOptions = {
  /** Whole milliseconds since 1970. */
  now: () => number
  /** Combinations of day, key and route, about 250 bytes each. By default, they take 12 MB at most. */
  most?: number
}

export type UsageCounts = {
  /** Counts an answer to a token of a known key, also if the token was revoked. Ignores all others. */
  add(answer: SentAnswer): void
  /**
   * Hands all counts to `write`, in batches, and forgets them. If it rejects, the next call writes the same batch first,
   * because it may have been written. Later counts are kept, too. Returns the number of requests that were not
   * counted since the last call, for want of memory. Calls must not overlap.
   */
  flush(write: (batch: UsageBatch) => Promise<void>): Promise<number>
}

const batchSize = 1_000
const firstRefusal = 400

/** `/products/:id` and `/v1/products/:id` become `/v1/products/{id}`. All unknown addresses are `/v1/*`. */
const toEndpoint = (route: string): string => `/v1/${canonicalPath(toTemplate(route))}`

/**
 * Counts requests in memory. See docs/decisions/0268-usage-is-counted-by-key.md and
 * docs/decisions/0285-batches-of-usage-have-numbers.md.
 */
export const createUsageCounts = ({ now, most = 50_000 }: UsageOptions): UsageCounts => {
  const days = new Map<number, Map<string, Map<string, Count>>>()
  const writer = randomUUID()
  let number = 0
  /** The batch whose write has not succeeded. It may be in the database. */
  let unconfirmed: UsageBatch | undefined
  let size = 0
  let lost = 0

  const find = (day: number, keyId: string, route: string): Count | undefined => {
    const known = days.get(day)?.get(keyId)?.get(route)
    if (known || size >= most) return known
    const count = { requests: 0, not_modified: 0, refused: 0, bytes: 0 }
    const byKey = days.get(day) ?? new Map<string, Map<string, Count>>()
    const byRoute = byKey.get(keyId) ?? new Map<string, Count>()
    days.set(day, byKey.set(keyId, byRoute.set(route, count)))
    size += 1
    return count
  }

  const addCount = (day: number, keyId: string, route: string, more: Count): void => {
    const count = find(day, keyId, route)
    if (!count) {
      lost += more.requests
      return
    }
    count.requests += more.requests
    count.not_modified += more.not_modified
    count.refused += more.refused
    count.bytes += more.bytes
  }

  const take = (): UsageCount[] => {
    const taken = [...days].flatMap(([day, byKey]) =>
      [...byKey].flatMap(([key_id, byRoute]) =>
        [...byRoute].map(([route, count]) => ({
          key_id,
          day: new Date(day * dayMs).toISOString().slice(0, 10),
          endpoint: toEndpoint(route),
          ...count,
        })),
      ),
    )
    days.clear()
    size = 0
    return taken
  }

  return {
    add({ principal, refusedKeyId, endpoint, route, status, bytes }) {
      const keyId = principal?.kind === 'live' ? principal.keyId : refusedKeyId
      if (keyId === undefined) return
      addCount(Math.floor(now() / dayMs), keyId, endpoint ?? route ?? '*', {
        requests: 1,
        not_modified: status === 304 ? 1 : 0,
        refused: status >= firstRefusal ? 1 : 0,
        bytes,
      })
    },
    async flush(write) {
      if (unconfirmed) await write(unconfirmed)
      unconfirmed = undefined
      const taken = take()
      for (let at = 0; at < taken.length; at += batchSize) {
        number += 1
        unconfirmed = { writer, number, counts: taken.slice(at, at + batchSize) }
        try {
          await write(unconfirmed)
        } catch (error) {
          for (const each of taken.slice(at + batchSize))
            addCount(Date.parse(each.day) / dayMs, each.key_id, each.endpoint, each)
          throw error
        }
        unconfirmed = undefined
      }
      const uncounted = lost
      lost = 0
      return uncounted
    },
  }
}
