import { startAuditPruning } from '../audit/keep-days.ts'
import type { Config } from '../config/config.ts'
import { startUpkeep } from '../feed/upkeep.ts'
import { startDemoUndo } from '../local/demo-changes.ts'
import { keepExampleDataCurrent } from '../local/keep-current.ts'
import { keepRunning } from '../local/keep-running.ts'
import type { Figure } from '../observe/figures.ts'
import type { Log, Stores } from './stores.ts'
import { startWebhookTask } from './webhooks.ts'

type TasksOptions = {
  config: Config
  stores: Stores
  log: Log
  warn: (message: string, error?: Error) => void
  addFigures: (figures: readonly Figure[]) => void
}

/** Starts the tasks that a machine needs once. After `quiet` no new work starts; `stop` waits for running work. */
export const startTasks = ({ config, stores, log, warn, addFigures }: TasksOptions) => {
  const { reserved, secrets, local, poller } = stores
  const url = local?.url ?? config.databaseAdminUrl
  const { auditDays: days } = config
  const stopRefreshing = local && keepExampleDataCurrent(local, log)
  const stopWebhooks = startWebhookTask({ stores, warn, addFigures })
  const stops = [
    stopRefreshing,
    startUpkeep({ db: reserved, warn, historyDays: config.historyDays }),
    startDemoUndo({ db: reserved, warn }),
    stopWebhooks,
    local && keepRunning(local, poller.isDown, log),
    url !== undefined && startAuditPruning({ url, secrets, days, warn }),
  ]
  return {
    quiet() {
      void stopRefreshing?.()
      // Receivers may take ten seconds.
      void stopWebhooks()
    },
    async stop() {
      for (const stop of stops) if (stop) await stop()
    },
  }
}
