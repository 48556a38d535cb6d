import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** Rows that one statement deletes: some tenths of a second. */
const pruneBatch = 20_000

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
  let all = 0
  for (;;) {
    const { rows } = await sql<{ pruned: number }>`
      select prune_changes(${days}::integer * interval '1 day', ${pruneBatch}::integer) as pruned`.execute(db)
    const pruned = rows[0]?.pruned ?? 0
    all += pruned
    if (pruned < pruneBatch) break
  }
  await sql`select prune_removals()`.execute(db)
  return all
}
