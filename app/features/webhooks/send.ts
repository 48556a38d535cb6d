import { recordEvents } from '../../audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { FoundChanges } from './find-changes.ts'
import { type LeasedWebhook, updateWebhook, type WebhookChanges } from './lease.ts'
import { createMessageId, type Deliver, type DeliveryResult } from './message.ts'
import { type Consequence, decide, toInstant } from './schedule.ts'

export type Write = <T>(work: (db: Db) => Promise<T>) => Promise<T>

export type SendOptions = {
  write: Write
  holder: string
  deliver: Deliver
  search: (webhook: LeasedWebhook) => Promise<FoundChanges>
  now: () => number
  random: () => number
  leaseMs: number
  onAttempt: (result: DeliveryResult, consequence: Consequence, webhook: LeasedWebhook) => void
}

type WebhookWithMessage = LeasedWebhook &
  Readonly<{ message_id: string; message_at: string; message_resources: readonly string[] }>

/** The columns of a message are written together. */
const hasMessage = (hook: LeasedWebhook): hook is WebhookWithMessage => hook.message_id !== null

/** Creates the sender for webhooks that this instance holds. Functions reject like `search` and `write`. */
export const createSend = (options: SendOptions) => {
  const { write, holder, deliver, search, now, random, leaseMs, onAttempt } = options
  const until = () => toInstant(now() + leaseMs)
  const update = (hook: LeasedWebhook, changes: WebhookChanges) =>
    write((db) => updateWebhook(db, holder, hook, changes))

  const prepare = async (hook: LeasedWebhook): Promise<LeasedWebhook | undefined> => {
    const { resources, after, next } = await search(hook)
    if (resources.length === 0) return void (await update(hook, { ...next, held_until: null }))
    return update(hook, {
      message_id: createMessageId(),
      message_at: toInstant(now()),
      held_until: until(),
      message_resources: resources,
      message_after: after,
      next_token: next.token,
      next_since: next.since,
      next_day: next.day,
      next_identity: next.identity,
    })
  }

  const disable = (hook: LeasedWebhook, changes: WebhookChanges, details: Readonly<Record<string, string>>) =>
    write((db) =>
      inTransaction(db, async (trx) => {
        const { customer_id: customer, webhook_id: subject } = hook
        const disabled = await updateWebhook(trx, holder, hook, changes)
        const event = { actor: 'system', action: 'webhooks.disable', customer, subject, details } as const
        if (disabled) await recordEvents(trx, [event])
        return disabled
      }),
    )

  const settle = (hook: WebhookWithMessage, { result }: DeliveryResult, consequence: Consequence) => {
    const at = toInstant(now())
    const changes = {
      held_until: until(),
      last_result: result,
      delivery: { at, message_id: hook.message_id, result },
      ...consequence.changes,
    }
    if (consequence.kind !== 'disable') return update(hook, changes)
    return disable(hook, changes, { reason: consequence.reason, result })
  }

  return {
    /** Returns the updated webhook if there may be more to send. A stored message is repeated with its id. */
    async sendNext(held: LeasedWebhook): Promise<LeasedWebhook | undefined> {
      const hook = hasMessage(held) ? held : await prepare(held)
      if (!hook || !hasMessage(hook)) return undefined
      const { message_id: id, message_at, message_resources, message_after: after } = hook
      const result = await deliver(hook.url, {
        id,
        type: 'changes.available',
        at: new Date(message_at).toISOString(),
        data: { resources: message_resources, ...(after === null ? {} : { after }) },
      })
      const consequence = decide(hook, result, now(), random())
      const settled = await settle(hook, result, consequence)
      if (settled) onAttempt(result, consequence, hook)
      return consequence.kind === 'delivered' ? settled : undefined
    },
    release: (hook: LeasedWebhook) => update(hook, { held_until: null }),
  }
}
