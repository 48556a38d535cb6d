import { startAuditPruning } from '../audit/keep-days.ts'
import type { Config } from '../config/config.ts'
import { startUpkeep } from '../feed/upkeep.ts'
import { startDemoUndo } from '../local/demo-changes.ts'
import { keepExampleDataCurrent } from '../local/keep-current.ts'
import { keepRunning } from '../local/keep-running.ts'
import { watchClock } from './clock-watch.ts'
import type { Log, Stores } from './stores.ts'

export type Tasks = {
  /** Begins nothing new from now on. */
  quiet(): void
  /** Waits for what runs. */
  stop(): Promise<void>
}

export type TasksOptions = {
  config: Config
  stores: Stores
  log: Log
  warn: (message: string, error?: Error) => void
  /** Milliseconds from any start, never going back. */
  monotonicNow: () => number
}

const reportStep = (log: Log) => (seconds: number) =>
  log.warn({ seconds }, "this machine's clock was set, or it stood still: the times of this log jump")

/** Starts what is done once on a machine, by a single process or the first worker. */
export const startTasks = ({ config, stores, log, warn, monotonicNow }: TasksOptions): Tasks => {
  const { reserved, secrets, local, poller } = stores
  const clockWatch = watchClock({ wallNow: Date.now, monotonicNow, onStep: reportStep(log) })
  const upkeep = startUpkeep({ db: reserved, warn })
  const stopDemoUndo = startDemoUndo({ db: reserved, warn })
  const url = local?.url ?? config.databaseAdminUrl
  const { auditDays: days } = config
  const pruning =
    url === undefined || days === undefined ? undefined : startAuditPruning({ url, secrets, days, warn })
  const refresh = local && keepExampleDataCurrent(local, log)
  const stopReviving = local && keepRunning(local, poller.isDown, log)
  return {
    quiet() {
      clearInterval(refresh)
      clockWatch.stop()
    },
    async stop() {
      await upkeep.stop()
      await stopDemoUndo()
      await stopReviving?.()
      await pruning?.stop()
    },
  }
}
