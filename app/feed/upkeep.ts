import type { Db } from '../db/schema.ts'
import { repeat } from '../overload/repeat.ts'
import { pruneHistory } from '../records/history/prune.ts'
import { retentionDays } from './epoch.ts'
import { pruneChanges, sampleChanges } from './prune.ts'

export type UpkeepOptions = {
  db: Db
  warn: (message: string, error: Error) => void
  historyDays: number
  everyMs?: number
}

/** Below a minute, because marks must be at most a minute old. */
const lookEveryMs = 50_000
const pruneEveryMs = 3_600_000

/**
 * Takes samples and writes marks each minute, and prunes the log and the history each hour. Every instance runs
 * it. Returns a function that stops it and waits for the current run.
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
  const onFailure = (error: Error) => warn('the change log could not be maintained', error)
  return repeat({ work, everyMs, onFailure })
}
