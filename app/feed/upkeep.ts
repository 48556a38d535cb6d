import type { Db } from '../db/schema.ts'
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
  /** From one pruning to the next. */
  pruneEveryMs?: number
}

export type Upkeep = {
  /** After what is running. */
  stop(): Promise<void>
}

/** A mark is at most a minute old, also where a look takes some seconds. */
const lookEveryMs = 50_000
const hourMs = 3_600_000

/**
 * Keeps the change log: notes once a minute which transactions have ended, writes a random mark (migration 0013), and
 * prunes once an hour what no sync token can need any more, and history that is too old. Every instance does; they agree in the database. Failures are reported, and the next
 * look tries again.
 */
export const startUpkeep = (options: UpkeepOptions): Upkeep => {
  const { db, warn, historyDays, everyMs = lookEveryMs, pruneEveryMs = hourMs } = options
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let prunedAtMs = Number.NEGATIVE_INFINITY

  const look = async (): Promise<void> => {
    try {
      await sampleChanges(db)
      if (performance.now() - prunedAtMs >= pruneEveryMs) {
        await pruneChanges(db, retentionDays)
        await pruneHistory(db, historyDays)
        prunedAtMs = performance.now()
      }
    } catch (error) {
      if (!isStopped) warn('the change log could not be looked after', error as Error)
    }
    if (!isStopped) timer = setTimeout(start, everyMs).unref()
  }
  let running = Promise.resolve()
  const start = () => {
    running = look()
  }
  start()

  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
