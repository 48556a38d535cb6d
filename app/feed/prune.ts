import { sql } from 'kysely'
import { pruneInBatches } from '../db/prune.ts'
import type { Db } from '../db/schema.ts'

/** Records which transactions have ended by now. All processes together record one sample a minute. */
export const sampleChanges = async (db: Db): Promise<void> => {
  await sql`select sample_changes()`.execute(db)
}

/**
 * Deletes changes that no token younger than `days` days needs, and returns their number. It does not go by a
 * change's age: rows of a transaction that was open for hours are old when they become visible. It deletes
 * nothing until samples reach back `days` days. It keeps the newest removals, which show when data last
 * changed.
 */
export const pruneChanges = async (db: Db, days: number): Promise<number> => {
  const all = await pruneInBatches(
    db,
    (most) => sql`select prune_changes(${days}::integer * interval '1 day', ${most}::integer) as pruned`,
  )
  await sql`select prune_removals()`.execute(db)
  return all
}
