import { startAuditPruning } from '../audit/keep-days.ts'
import type { Config } from '../config/config.ts'
import { startUpkeep } from '../feed/upkeep.ts'
import { startDemoUndo } from '../local/demo-changes.ts'
import { keepExampleDataCurrent } from '../local/keep-current.ts'
import { keepRunning } from '../local/keep-running.ts'
import type { Log, Stores } from './stores.ts'

type TasksOptions = {
  config: Config
  stores: Stores
  log: Log
  warn: (message: string, error?: Error) => void
}

/**
 * Starts what is done once on a machine, by a single process or the first worker. `quiet` begins nothing new from then
 * on; `stop` waits for what runs.
 */
export const startTasks = ({ config, stores, log, warn }: TasksOptions) => {
  const { reserved, secrets, local, poller } = stores
  const upkeep = startUpkeep({ db: reserved, warn, historyDays: config.historyDays })
  const stopDemoUndo = startDemoUndo({ db: reserved, warn })
  const url = local?.url ?? config.databaseAdminUrl
  const { auditDays: days } = config
  const pruning =
    url === undefined || days === undefined ? undefined : startAuditPruning({ url, secrets, days, warn })
  const refresh = local && keepExampleDataCurrent(local, log)
  const stopReviving = local && keepRunning(local, poller.isDown, log)
  return {
    quiet: () => clearInterval(refresh),
    async stop() {
      await upkeep.stop()
      await stopDemoUndo()
      await stopReviving?.()
      await pruning?.stop()
    },
  }
}
