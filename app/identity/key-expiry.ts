import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** Clients warn as long before the end of their key. */
const soonDays = 14

export type KeyExpiry = Readonly<{
  /** Days to the nearest end. null if no key in use ends. */
  nearestDays: number | null
  /** Number of keys that end within 14 days. */
  ending: number
}>

/**
 * Reads the ends of all keys in use. Rotated keys do not count, nor keys of customers without access. `db` is the serving
 * role's.
 */
export const readKeyExpiry = async (db: Db): Promise<KeyExpiry> => {
  const { rows } = await sql<KeyExpiry>`
    select nearest_days as "nearestDays", ending from read_key_expiry(make_interval(days => ${soonDays}))`.execute(
    db,
  )
  return rows[0] as KeyExpiry
}
