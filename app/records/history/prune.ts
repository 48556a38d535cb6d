import { sql } from 'kysely'
import { pruneInBatches } from '../../db/prune.ts'
import type { Db } from '../../db/schema.ts'

/** Deletes history older than `days` days and returns the number of deleted changes. */
export const pruneHistory = (db: Db, days: number): Promise<number> =>
  pruneInBatches(db, (most) => sql`select prune_history(${days}::integer, ${most}::integer) as pruned`)
