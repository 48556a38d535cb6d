import { createTokenCodec } from '../feed/token.ts'
import { createWebhookKeys } from '../feed/webhooks/keys.ts'
import { createDeliver } from '../feed/webhooks/message.ts'
import { startWebhooks } from '../feed/webhooks/sender.ts'
import { countFailedWebhooks } from '../feed/webhooks/store.ts'
import { createOutbound } from '../http/outbound.ts'
import type { Figure } from '../observe/figures.ts'
import { listWebhookFigures } from '../observe/webhook-metrics.ts'
import type { Stores } from './stores.ts'

type WebhookTaskOptions = {
  stores: Pick<Stores, 'db' | 'reserved' | 'secrets' | 'poller'>
  warn: (message: string, error?: Error) => void
  addFigures: (figures: readonly Figure[]) => void
}

/** Starts the webhook sender and its metrics. Returns the function that stops it. */
export const startWebhookTask = ({ stores, warn, addFigures }: WebhookTaskOptions): (() => Promise<void>) => {
  const { db, reserved, secrets, poller } = stores
  const now = poller.databaseNow
  const attempts = { delivered: 0, failed: 0, disabled: 0 }
  const sender = startWebhooks({
    ...{ db, reserved, now, warn },
    tokens: createTokenCodec(secrets),
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
    listWebhookFigures({ attempts, lookedAt: sender.lookedAt, count: () => countFailedWebhooks(reserved) }),
  )
  return sender.stop
}
