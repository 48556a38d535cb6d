import type { Task, TaskContext } from '../../feature.ts'
import { createOutbound } from '../../http/outbound.ts'
import { createTokenCodec } from '../feed/token.ts'
import { createProveEmpty } from '../feed/unchanged.ts'
import { createWebhookKeys } from './keys.ts'
import { createDeliver } from './message.ts'
import { listFigures } from './metrics.ts'
import { toInstant } from './schedule.ts'
import { startWebhooks } from './sender.ts'
import { countFailedWebhooks } from './store.ts'

/** Sends messages. Logs each webhook that it disables. */
export const startTasks = (context: TaskContext): readonly Task[] => {
  const { db, reserved, secrets, freshness, databaseNow: now, listen, warn, addFigures } = context
  const today = () => toInstant(now()).slice(0, 10)
  const attempts = { delivered: 0, failed: 0, disabled: 0 }
  const sender = startWebhooks({
    db,
    reserved,
    now,
    warn,
    listen,
    tokens: createTokenCodec(secrets),
    proveEmpty: createProveEmpty({ db, freshness, today, now, monotonicNow: () => performance.now() }),
    deliver: createDeliver({ outbound: createOutbound(), keys: createWebhookKeys(secrets), now }),
    onAttempt({ result }, consequence, { webhook_id: id }) {
      if (consequence.kind === 'delivered') attempts.delivered += 1
      else attempts.failed += 1
      if (consequence.kind !== 'disable') return
      attempts.disabled += 1
      warn(`the webhook ${id} is disabled (${consequence.reason}): ${result}`)
    },
  })
  addFigures(
    listFigures({ attempts, checkedAt: sender.checkedAt, count: () => countFailedWebhooks(reserved) }),
  )
  // Receivers may take ten seconds.
  return [{ stop: sender.stop, isSlow: true }]
}
