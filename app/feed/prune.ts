import { sql } from 'kysely'
import { pruneInBatches } from '../db/prune.ts'
import type { Db } from '../db/schema.ts'

/** Saves which transactions have ended, once a minute for all processes together, and writes a mark. */
export const sampleChanges = async (db: Db): Promise<void> => {
  await sql`select sample_changes()`.execute(db)
}

/**
 * Deletes changes that no token younger than `days` days needs, and returns their number. Samples decide, not
 * the age of a change: changes of a long transaction are old when they become visible. Without a sample that
 * old, nothing is deleted.
 */
export const pruneChanges = async (db: Db, days: number): Promise<number> => {
  const all = await pruneInBatches(
    db,
    (most) => sql`select prune_changes(${days}::integer * interval '1 day', ${most}::integer) as pruned`,
  )
  await sql`select prune_removals()`.execute(db)
  return all
}
