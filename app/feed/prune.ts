import { sql } from 'kysely'
import { pruneInBatches } from '../db/prune.ts'
import type { Db } from '../db/schema.ts'

/** Notes which transactions have ended by now; several processes note one a minute together. */
export const sampleChanges = async (db: Db): Promise<void> => {
  await sql`select sample_changes()`.execute(db)
}

/**
 * Deletes changes that no follower needs whose token is younger than so many days, and returns how many. Never by
 * their age: what a transaction that was open for long has written is old when it appears. Nothing is deleted
 * before samples reach back that far. Of removals, which tell when something last changed, the newest stay.
 */
export const pruneChanges = async (db: Db, days: number): Promise<number> => {
  const all = await pruneInBatches(
    db,
    (most) => sql`select prune_changes(${days}::integer * interval '1 day', ${most}::integer) as pruned`,
  )
  await sql`select prune_removals()`.execute(db)
  return all
}
