import { sql } from 'kysely'
import { pruneInBatches } from '../db/prune.ts'
import type { Db } from '../db/schema.ts'

/** Records which transactions have ended by now. All processes together record one sample a minute. */
export const sampleChanges = async (db: Db): Promise<void> => {
  await sql`select sample_changes()`.execute(db)
}

/**
 * Deletes changes that no token younger than `days` days needs, and returns their number. A change's age does
 * not decide: rows of a long transaction are old when they become visible. It deletes nothing until samples
 * reach back `days` days, and keeps the newest removals.
 */
export const pruneChanges = async (db: Db, days: number): Promise<number> => {
  const all = await pruneInBatches(
    db,
    (most) => sql`select prune_changes(${days}::integer * interval '1 day', ${most}::integer) as pruned`,
  )
  await sql`select prune_removals()`.execute(db)
  return all
}
