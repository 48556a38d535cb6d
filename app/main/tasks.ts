import { startAuditPruning } from '../audit/keep-days.ts'
import type { Config } from '../config/config.ts'
import type { Task, TaskContext } from '../feature.ts'
import { features } from '../features.ts'
import { createTokenCodec } from '../feed/token.ts'
import { createProveEmpty } from '../feed/unchanged.ts'
import { startUpkeep } from '../feed/upkeep.ts'
import { createWebhookKeys } from '../feed/webhooks/keys.ts'
import { createDeliver } from '../feed/webhooks/message.ts'
import { toInstant } from '../feed/webhooks/schedule.ts'
import { startWebhooks } from '../feed/webhooks/sender.ts'
import { countFailedWebhooks } from '../feed/webhooks/store.ts'
import { createOutbound } from '../http/outbound.ts'
import { startDemoUndo } from '../local/demo-changes.ts'
import { keepExampleDataCurrent, keepRunning } from '../local/upkeep.ts'
import type { Figure } from '../observe/figures.ts'
import { listWebhookFigures } from '../observe/webhook-metrics.ts'
import type { Log } from './log.ts'
import type { Stores } from './stores.ts'

type TasksOptions = {
  config: Config
  stores: Stores
  log: Log
  warn: (message: string, error?: Error) => void
  addFigures: (figures: readonly Figure[]) => void
}

const startWebhookTask = ({ stores, warn, addFigures }: TasksOptions): (() => Promise<void>) => {
  const { db, reserved, secrets, poller, freshness } = stores
  const now = poller.databaseNow
  const today = () => toInstant(now()).slice(0, 10)
  const attempts = { delivered: 0, failed: 0, disabled: 0 }
  const sender = startWebhooks({
    db,
    reserved,
    now,
    warn,
    tokens: createTokenCodec(secrets),
    proveEmpty: createProveEmpty({ db, freshness, today, now, monotonicNow: () => performance.now() }),
    deliver: createDeliver({ outbound: createOutbound(), keys: createWebhookKeys(secrets), now }),
    listen: poller.listen,
    onAttempt({ result }, consequence, { webhook_id: id }) {
      if (consequence.kind === 'delivered') attempts.delivered += 1
      else attempts.failed += 1
      if (consequence.kind !== 'disable') return
      attempts.disabled += 1
      warn(`the webhook ${id} is disabled (${consequence.reason}): ${result}`)
    },
  })
  addFigures(
    listWebhookFigures({ attempts, checkedAt: sender.checkedAt, count: () => countFailedWebhooks(reserved) }),
  )
  return sender.stop
}

const startFeatureTasks = async ({ config, stores, warn, addFigures }: TasksOptions): Promise<Task[]> => {
  const context: TaskContext = { config, reserved: stores.reserved, warn, addFigures }
  const parts = await Promise.all(features.map(({ tasks }) => tasks?.()))
  return parts.flatMap((part) => part?.startTasks(context) ?? [])
}

/** Starts the tasks of an instance, in its first process. `quiet` ends only the slow ones. `stop` ends all, and waits. */
export const startTasks = async (options: TasksOptions) => {
  const { config, stores, log, warn } = options
  const { reserved, secrets, local, poller } = stores
  const url = local?.url ?? config.databaseAdminUrl
  const { auditDays: days } = config
  const stopRefreshing = local && keepExampleDataCurrent(local, log)
  const stopWebhooks = startWebhookTask(options)
  const tasks = await startFeatureTasks(options)
  const stops = [
    stopRefreshing,
    startUpkeep({ db: reserved, warn, historyDays: config.historyDays }),
    startDemoUndo({ db: reserved, warn }),
    stopWebhooks,
    local && keepRunning(local, poller.isDown, log),
    url !== undefined && startAuditPruning({ url, secrets, days, warn }),
    ...tasks.map(({ stop }) => stop),
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
