import { type RawBuilder, sql } from 'kysely'
import { repeat } from '../overload/repeat.ts'
import type { Db } from './schema.ts'

// See docs/decisions/0253-the-kernel-prunes-log-and-history.md.

const pruneBatch = 20_000

/** Repeats a statement until it deletes fewer rows than `most`. Returns the number of deleted rows. */
const pruneInBatches = async (
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

/** The age limit of the change log, and of tokens for positions in it. */
export const retentionDays = 90

/** Saves a sample (a snapshot) once a minute for all processes, and a mark if the newest is over 30 s old. */
export const sampleChanges = async (db: Db): Promise<void> => {
  await sql`select sample_changes()`.execute(db)
}

/**
 * Deletes changes that only tokens older than `days` need, and superseded removals. Returns the number of
 * changes: 0 without a sample of that age, because changes of a long transaction are old when visible.
 */
export const pruneChanges = async (db: Db, days: number): Promise<number> => {
  const all = await pruneInBatches(
    db,
    (most) => sql`select prune_changes(${days}::integer * interval '1 day', ${most}::integer) as pruned`,
  )
  await sql`select prune_removals()`.execute(db)
  return all
}

/** Deletes history older than `days` days and returns the number of deleted changes. */
export const pruneHistory = (db: Db, days: number): Promise<number> =>
  pruneInBatches(db, (most) => sql`select prune_history(${days}::integer, ${most}::integer) as pruned`)

type UpkeepOptions = {
  db: Db
  warn: (message: string, error: Error) => void
  historyDays: number
  everyMs?: number
}

/** Below a minute, because marks must be at most a minute old. */
const lookEveryMs = 50_000
const pruneEveryMs = 3_600_000

/** Every instance runs this. Warns once until a success. Returns a function that stops it and waits. */
export const startUpkeep = (options: UpkeepOptions): (() => Promise<void>) => {
  const { db, warn, historyDays, everyMs = lookEveryMs } = options
  let prunedAtMs = Number.NEGATIVE_INFINITY
  const work = async (): Promise<void> => {
    await sampleChanges(db)
    if (performance.now() - prunedAtMs < pruneEveryMs) return
    await pruneChanges(db, retentionDays)
    await pruneHistory(db, historyDays)
    prunedAtMs = performance.now()
  }
  const onFailure = (error: Error) => warn('the change log could not be maintained', error)
  return repeat({ work, everyMs, onFailure })
}
