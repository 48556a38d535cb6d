import { recordEvents } from '../../audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type HeldWebhook, updateWebhook, type WebhookChanges } from './lease.ts'
import type { Finding } from './look.ts'
import { createMessageId, type Deliver, type DeliveryResult } from './message.ts'
import { type Consequence, decide, toInstant } from './schedule.ts'

/** Runs work on a connection, when it has its turn. */
export type Write = <T>(work: (db: Db) => Promise<T>) => Promise<T>

export type SendOptions = {
  /** Runs work on a connection of the serving role that no data request uses. */
  write: Write
  /** The name of this instance. */
  holder: string
  deliver: Deliver
  look: (webhook: HeldWebhook) => Promise<Finding>
  /** The database's clock, milliseconds since 1970. */
  now: () => number
  /** 0 to 1. */
  random: () => number
  leaseMs: number
  /** Told of each attempt. */
  onAttempt: (result: DeliveryResult, consequence: Consequence, webhook: HeldWebhook) => void
}

const noMessage = {
  ...{ message_id: null, message_at: null, message_resources: null, message_after: null },
  ...{ next_token: null, next_since: null, next_day: null, next_identity: null },
} as const

const changesBy = (consequence: Consequence, hook: HeldWebhook, at: string): WebhookChanges => {
  if (consequence.kind === 'disable') {
    return { state: 'disabled', reason: consequence.reason, changed_at: at, held_until: null }
  }
  if (consequence.kind === 'retry') {
    const { attempts, failingSince, nextAttemptAt } = consequence
    return { attempts, failing_since: failingSince, next_attempt_at: nextAttemptAt, held_until: null }
  }
  const { next_token, next_since: since, next_day: day, next_identity: identity } = hook
  const place = { token: next_token ?? hook.token, since, day, identity }
  return {
    ...{ ...noMessage, ...place, delivered_at: at },
    ...{ attempts: 0, failing_since: null, next_attempt_at: null },
  }
}

/**
 * Returns what sends the next message of a webhook that this instance holds: the one under way, else one of what
 * changed. It resolves to the webhook where there may be more to send; to undefined where it was given back or lost. The
 * message is written down before it is sent, so that another instance repeats it under the same name.
 */
export const createSend = (options: SendOptions) => {
  const { write, holder, deliver, look, now, random, leaseMs, onAttempt } = options
  const until = () => toInstant(now() + leaseMs)

  const prepare = async (hook: HeldWebhook): Promise<HeldWebhook | undefined> => {
    const { resources, after, next } = await look(hook)
    if (resources.length === 0) {
      await write((db) => updateWebhook(db, holder, hook, { ...next, held_until: null }))
      return undefined
    }
    const message = {
      ...{ message_id: createMessageId(), message_at: toInstant(now()) },
      ...{ message_resources: resources, message_after: after },
      ...{ next_token: next.token, next_since: next.since },
      ...{ next_day: next.day, next_identity: next.identity },
    }
    const isKept = await write((db) => updateWebhook(db, holder, hook, { ...message, held_until: until() }))
    return isKept ? { ...hook, ...message } : undefined
  }

  const settle = (hook: HeldWebhook, result: DeliveryResult, consequence: Consequence): Promise<boolean> => {
    const { kind } = consequence
    const kept = kind === 'delivered' ? { held_until: until() } : {}
    const changes = { ...changesBy(consequence, hook, toInstant(now())), last_result: result.result, ...kept }
    if (kind !== 'disable') return write((db) => updateWebhook(db, holder, hook, changes))
    return write((db) =>
      inTransaction(db, async (trx) => {
        const isKept = await updateWebhook(trx, holder, hook, changes)
        const { customer_id: customer, webhook_id: subject } = hook
        const details = { reason: consequence.reason, result: result.result }
        if (isKept) {
          await recordEvents(trx, [
            { actor: 'system', action: 'webhooks.disable', customer, subject, details },
          ])
        }
        return isKept
      }),
    )
  }

  return async (held: HeldWebhook): Promise<HeldWebhook | undefined> => {
    const hook = held.message_id === null ? await prepare(held) : held
    if (!hook) return undefined
    const { message_id: id, message_at, message_resources, message_after: after } = hook
    const result = await deliver(hook.url, {
      ...{ id: id ?? '', type: 'changes.available', at: new Date(message_at ?? 0).toISOString() },
      data: { resources: message_resources ?? [], ...(after === null ? {} : { after }) },
    })
    const consequence = decide(hook, result, now(), random())
    const isKept = await settle(hook, result, consequence)
    if (isKept) onAttempt(result, consequence, hook)
    if (!isKept || consequence.kind !== 'delivered') return undefined
    return { ...hook, ...noMessage, token: hook.next_token ?? hook.token, attempts: 0, failing_since: null }
  }
}

/** Gives a webhook back, for any instance to take. */
export const releaseWebhook = (write: Write, holder: string, hook: HeldWebhook): Promise<boolean> =>
  write((db) => updateWebhook(db, holder, hook, { held_until: null }))
