import { startAuditPruning } from '../audit/keep-days.ts'
import type { Config } from '../config/config.ts'
import { startOriginReport } from '../db/service-origins.ts'
import { startUpkeep } from '../db/upkeep.ts'
import type { Task, TaskContext } from '../feature.ts'
import { features } from '../features.ts'
import { keepExampleDataCurrent, keepRunning } from '../local/upkeep.ts'
import type { Figure } from '../observe/figures.ts'
import type { Log } from './log.ts'
import type { Stores } from './stores.ts'

type TasksOptions = {
  config: Config
  publicUrl: string
  stores: Pick<Stores, 'db' | 'reserved' | 'secrets' | 'freshness' | 'local'> & {
    poller: Pick<Stores['poller'], 'databaseNow' | 'listen' | 'isDown'>
  }
  log: Log
  warn: (message: string, error?: Error) => void
  addFigures: (figures: readonly Figure[]) => void
}

const startFeatureTasks = async ({ config, stores, warn, addFigures }: TasksOptions): Promise<Task[]> => {
  const { db, reserved, secrets, freshness, poller } = stores
  const { databaseNow, listen } = poller
  const context: TaskContext = {
    config,
    db,
    reserved,
    secrets,
    freshness,
    databaseNow,
    listen,
    warn,
    addFigures,
  }
  const parts = await Promise.all(features.map(({ tasks }) => tasks?.()))
  return parts.flatMap((part) => part?.startTasks(context) ?? [])
}

/** Starts the tasks of an instance, in its first process. `quiet` ends only the slow ones. `stop` ends all, and waits. */
export const startTasks = async (options: TasksOptions) => {
  const { config, publicUrl, stores, log, warn } = options
  const { reserved, secrets, local, poller } = stores
  const url = local?.url ?? config.databaseAdminUrl
  const { auditDays: days } = config
  const stopRefreshing = local && keepExampleDataCurrent(local, log)
  const tasks = await startFeatureTasks(options)
  const stops = [
    stopRefreshing,
    startUpkeep({ db: reserved, warn, historyDays: config.historyDays }),
    startOriginReport({ db: reserved, publicUrl, warn }),
    ...tasks.map(({ stop }) => stop),
    local && keepRunning(local, poller.isDown, log),
    url !== undefined && startAuditPruning({ url, secrets, days, warn }),
  ]
  return {
    quiet() {
      void stopRefreshing?.()
      for (const { stop, isSlow } of tasks) if (isSlow) void stop()
    },
    async stop() {
      for (const stop of stops) if (stop) await stop()
    },
  }
}
