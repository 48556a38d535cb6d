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
  /** Adds to the metrics. */
  addFigures: (figures: readonly Figure[]) => void
}

/**
 * Starts what is done once on a machine, by a single process or the first worker. `quiet` begins nothing new from then
 * on; `stop` waits for what runs.
 */
export const startTasks = ({ config, stores, log, warn, addFigures }: TasksOptions) => {
  const { reserved, secrets, local, poller } = stores
  const upkeep = startUpkeep({ db: reserved, warn })
  const stopDemoUndo = startDemoUndo({ db: reserved, warn })
  const stopWebhooks = startWebhookTask({ stores, warn, addFigures })
  const url = local?.url ?? config.databaseAdminUrl
  const { auditDays: days } = config
  const pruning =
    url === undefined || days === undefined ? undefined : startAuditPruning({ url, secrets, days, warn })
  const refresh = local && keepExampleDataCurrent(local, log)
  const stopReviving = local && keepRunning(local, poller.isDown, log)
  let webhooksEnded: Promise<void> | undefined
  return {
    quiet() {
      clearInterval(refresh)
      // Receivers may take ten seconds, in which requests end.
      webhooksEnded = stopWebhooks()
    },
    async stop() {
      await upkeep.stop()
      await stopDemoUndo()
      await (webhooksEnded ?? stopWebhooks())
      await stopReviving?.()
      await pruning?.stop()
    },
  }
}
