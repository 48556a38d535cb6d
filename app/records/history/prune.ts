import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** Rows that one statement deletes: some tenths of a second. */
const pruneBatch = 20_000

/** Deletes history older than so many days, and returns how many changes went. The serving role may. */
export const pruneHistory = async (db: Db, days: number): Promise<number> => {
  let all = 0
  for (;;) {
    const { rows } = await sql<{ pruned: number }>`
      select prune_history(${days}::integer, ${pruneBatch}::integer) as pruned`.execute(db)
    const pruned = rows[0]?.pruned ?? 0
    all += pruned
    if (pruned < pruneBatch) return all
  }
}
