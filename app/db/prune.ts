import type { RawBuilder } from 'kysely'
import type { Db } from './schema.ts'

/** Rows that one statement deletes: some tenths of a second. */
const pruneBatch = 20_000

/**
 * Executes a statement that deletes at most so many rows again and again, until it finds fewer. Returns how many rows it
 * deleted in all. Throws the driver's errors; what was deleted before stays deleted.
 */
export const pruneInBatches = async (
  db: Db,
  statement: (most: number) => RawBuilder<{ pruned: number }>,
): Promise<number> => {
  let all = 0
  for (;;) {
    const { rows } = await statement(pruneBatch).execute(db)
    const pruned = rows[0]?.pruned ?? 0
    all += pruned
    if (pruned < pruneBatch) return all
  }
}
