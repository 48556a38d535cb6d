import type { RawBuilder } from 'kysely'
import type { Db } from './schema.ts'

const pruneBatch = 20_000

/** Repeats a statement until it deletes fewer rows than `most`. Returns the number of deleted rows. */
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
