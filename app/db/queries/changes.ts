import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Longest that pruning may take: an hour's rows are soon gone, those of a long standstill are many. */
const pruneTimeout = '10min'

/** Notes which transactions have ended by now; several processes note one a minute together. */
export const sampleChanges = async (db: Db): Promise<void> => {
  await sql`select sample_changes()`.execute(db)
}

/**
 * Deletes changes that no follower needs whose token is younger than so many days, and returns how many. Never by
 * their age: what a transaction that was open for long has written is old when it appears. Nothing is deleted
 * before samples reach back that far.
 */
export const pruneChanges = (db: Db, days: number): Promise<number> =>
  db.transaction().execute(async (transaction) => {
    await sql`select set_config('statement_timeout', ${pruneTimeout}, true)`.execute(transaction)
    const { rows } = await sql<{ pruned: number }>`
      select prune_changes(${days}::integer * interval '1 day') as pruned`.execute(transaction)
    return rows[0]?.pruned ?? 0
  })
