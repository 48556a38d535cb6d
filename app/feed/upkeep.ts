import type { Db } from '../db/schema.ts'
import { repeat } from '../overload/repeat.ts'
import { pruneHistory } from '../records/history/prune.ts'
import { retentionDays } from './epoch.ts'
import { pruneChanges, sampleChanges } from './prune.ts'

export type UpkeepOptions = {
  /** Connections of the serving role. */
  db: Db
  warn: (message: string, error: Error) => void
  /** Days that the history of records is kept. */
  historyDays: number
  /** From one look to the next. */
  everyMs?: number
}

/** A mark is at most a minute old, also where a look takes some seconds. */
const lookEveryMs = 50_000
const pruneEveryMs = 3_600_000

/**
 * Keeps the change log: notes once a minute which transactions have ended, writes a random mark (`05-changes.sql`), and
 * prunes once an hour what no sync token can need any more, and history that is too old. Every instance does; they
 * agree in the database. A failure is reported once, and the next look tries again. Returns the function that ends it,
 * after what is running.
 */
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
  const onFailure = (error: Error) => warn('the change log could not be looked after', error)
  return repeat({ work, everyMs, onFailure })
}
