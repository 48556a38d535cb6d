import { sql } from 'kysely'
import type { FreshnessCheck } from '../cache/freshness.ts'
import type { Poller } from '../cache/poller.ts'
import { isFromServer } from '../cache/snapshot.ts'
import { type ChangeEvent, wildcard } from '../cache/stamped.ts'
import type { Db } from '../db/schema.ts'
import { findRow, type StampRow, stampColumns } from './facts.ts'

type KeyIdsOptions = {
  db: Db
  freshness: Pick<FreshnessCheck, 'confirmNext' | 'epoch' | 'isAway'>
  listen: Poller['listen']
  warn: (reason: string, message: string) => void
  /** About 70 bytes each. With more keys, an unknown id costs a query again. */
  maxIds?: number
}

const defaultMaxIds = 100_000

/** `undefined`: of all customers. */
type Customers = ReadonlySet<string> | undefined

const none: Customers = new Set()

const unite = (one: Customers, other: Customers): Customers => one && other && new Set([...one, ...other])

const listCustomers = (events: readonly ChangeEvent[] | undefined): Customers => {
  const changed = events?.filter(({ resource }) => resource === 'auth' || resource === wildcard)
  if (!changed || changed.some(({ customerId }) => customerId === wildcard)) return undefined
  return new Set(changed.map(({ customerId }) => customerId))
}

/**
 * Keeps the ids of all API keys in memory, so that a stranger's unknown id costs no query. Polls of the change log
 * report the customers whose ids are read again. Ids of deleted keys may remain until all are read again.
 * See docs/decisions/0169-unknown-keys-cost-no-query.md.
 */
export const createKeyIds = (options: KeyIdsOptions) => {
  const { db, freshness, listen, warn, maxIds = defaultMaxIds } = options
  let ids = new Set<string>()
  let behind: Customers
  let areTooMany = false
  let reading: Promise<boolean> | undefined

  listen((events) => {
    behind = unite(behind, listCustomers(events))
    if (!behind) areTooMany = false
  })

  const query = async (customers: Customers): Promise<string[] | undefined> => {
    const epoch = freshness.epoch()
    const list = customers ? [...customers] : null
    const row = await findRow(
      db,
      sql<{ ids: string } & StampRow>`
        select list_api_key_ids(${list}::text[], ${maxIds + 1}) as ids, ${stampColumns}`,
    )
    return row && isFromServer(epoch, row.server) ? row.ids.split(' ').filter((id) => id !== '') : undefined
  }

  /** False if the database did not answer, or another server than the one that the polls read. */
  const read = async (): Promise<boolean> => {
    const wanted = behind
    behind = none
    const found = await query(wanted).catch(() => undefined)
    if (!found) {
      behind = unite(behind, wanted)
      return false
    }
    if (!wanted) ids = new Set()
    for (const id of found) ids.add(id)
    areTooMany = ids.size > maxIds
    if (areTooMany) {
      ids = new Set()
      warn('too many API keys', `logins with unknown keys cost a query: there are more than ${maxIds} keys`)
    }
    return true
  }

  const startReading = (): void => {
    reading = read().finally(() => {
      reading = undefined
    })
  }

  /** Reads the ids of the customers that polls have reported. False if that fails. */
  const update = async (): Promise<boolean> => {
    // It may have begun before the poll that the caller waited for.
    await reading
    const isBehind = behind === undefined || behind.size > 0
    // A reading that has begun since this call is new enough. Two at the same time could end in the wrong order.
    if (isBehind && !reading) startReading()
    return reading ?? true
  }

  return {
    /** Whether an id exists or existed. Ids of new keys may be missing. */
    has: (id: string): boolean => ids.has(id),
    /**
     * Waits for a poll that began after this call, like every refusal of a key, so that their times do not reveal which
     * ids exist. False if it failed.
     */
    async confirm(): Promise<boolean> {
      return !freshness.isAway() && (await freshness.confirmNext())
    },
    /** True if the id certainly did not exist at the time of the call. False also if this is not certain. */
    async isUnknown(id: string): Promise<boolean> {
      if (ids.has(id) || areTooMany) return false
      return (await this.confirm()) && (await update()) && !areTooMany && !ids.has(id)
    },
    load: update,
  }
}

export type KeyIds = ReturnType<typeof createKeyIds>
