import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Listener } from '../../cache/poller.ts'
import { every } from '../../cache/stamped.ts'
import type { Db } from '../../db/schema.ts'
import { repeat } from '../../overload/repeat.ts'
import type { TokenCodec } from '../token.ts'
import { claimWebhooks, type HeldWebhook, renewWebhooks } from './lease.ts'
import { lookForChanges } from './look.ts'
import type { Deliver } from './message.ts'
import { createRounds } from './rounds.ts'
import { createRunning } from './running.ts'
import { toInstant } from './schedule.ts'
import { createSend, type SendOptions, type Write } from './send.ts'

type SenderOptions = Pick<SendOptions, 'now' | 'onAttempt'> & {
  /** Connections that read customers' data. */
  db: Db
  /** Connections of the serving role that no data request uses. */
  reserved: Db
  tokens: TokenCodec
  deliver: Deliver
  /** As the poller's: called within a poll of each commit. */
  listen: (listener: Listener) => () => void
  warn: (message: string, error?: Error) => void
  /** Milliseconds between two looks at all webhooks. */
  everyMs?: number
  /** Milliseconds between two renewals of the leases. */
  renewEveryMs?: number
  /** Milliseconds between two messages to a receiver. What changes meanwhile is one message. */
  spacingMs?: number
  random?: () => number
}

/** What sends webhooks. */
export type WebhookSender = {
  /** When all webhooks were looked at last, milliseconds since 1970; undefined: not yet. */
  lookedAt(): number | undefined
  /** Takes nothing new and waits for what is being sent. */
  stop(): Promise<void>
}

const defaultEveryMs = 10_000
const defaultSpacingMs = 500
const defaultRenewEveryMs = 2_000
/**
 * Webhooks whose changes are looked for at once. The others wait here: the queue of the database takes them for requests,
 * and refuses what has waited for a second.
 */
const looksAtOnce = 4
/** Three renewals. The webhooks of an instance that died wait for its end. */
export const leaseMs = 6_000

/**
 * Sends webhooks from this instance, for as many instances as there are: the database says who sends for which. A
 * change is looked at as soon as the poll tells of it; all webhooks are looked at every ten seconds, so that nothing
 * rests on having heard of a change.
 */
export const startWebhooks = (options: SenderOptions): WebhookSender => {
  const { db, reserved, tokens, now, listen, warn, everyMs = defaultEveryMs } = options
  const { spacingMs = defaultSpacingMs, random = Math.random } = options
  const { renewEveryMs = defaultRenewEveryMs } = options
  const holder = randomUUID()
  const fewLooks = pLimit(looksAtOnce)
  const look = ({ customer_id: customerId, resources, token }: HeldWebhook) =>
    fewLooks(() => lookForChanges({ db, tokens, now }, { customerId, resources }, token))
  // One connection at most, so that many receivers that answer at once leave the others to logins.
  const oneAtATime = pLimit(1)
  const write: Write = (work) => oneAtATime(() => work(reserved))
  const { sendNext, release } = createSend({ ...options, write, holder, look, random, leaseMs })
  const stopping = new AbortController()
  let lookedAt: number | undefined
  /** Of a round or of a message, since the last renewal. */
  let failure: Error | undefined
  const fail = (error: Error): void => {
    failure = error
  }

  const work = async (claimed: HeldWebhook): Promise<void> => {
    let hook: HeldWebhook | undefined = claimed
    for (;;) {
      hook = await sendNext(hook)
      if (!hook) return
      await delay(spacingMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return void (await release(hook))
    }
  }

  /** Begins with each webhook of these customers that has something to send. */
  const lookAt = async (customers: ReadonlySet<string>): Promise<void> => {
    const isAll = customers.has(every)
    const changed = isAll ? undefined : [...customers]
    // Each once: while a transaction stays open, the database takes what was told for something new.
    const begun: string[] = []
    for (;;) {
      const places = await running.findPlaces()
      if (stopping.signal.aborted) return
      const busy = [...running.ids(), ...begun]
      const claim = { holder, at: toInstant(now()), leaseMs, changed, busy, ...places }
      const hooks = await write((db) => claimWebhooks(db, claim))
      for (const hook of hooks) {
        begun.push(hook.webhook_id)
        running.begin(hook, work(hook).catch(fail))
      }
      if (hooks.length < places.most) break
    }
    if (isAll) lookedAt = now()
  }
  const rounds = createRounds(lookAt, fail)
  const running = createRunning((customer) => rounds.want([customer]))

  /** Has the webhooks of these customers looked at, those that are being sent when that is done. */
  const want = (customers: readonly string[]): void => {
    running.noteChanged(new Set(customers))
    rounds.want(customers)
  }

  const renew = async (): Promise<void> => {
    const failed = failure
    failure = undefined
    // What was to be looked at when it failed is not known any more.
    if (failed) want([every])
    const lease = { holder, at: toInstant(now()), leaseMs, busy: running.ids() }
    want(await write((db) => renewWebhooks(db, lease)))
    // It counts as a failure of the renewal, so that the log says it once until all works again.
    if (failed) throw failed
  }

  const stopListening = listen((events) =>
    want(events ? events.map(({ customerId }) => customerId) : [every]),
  )
  const stopLooking = repeat({ work: async () => want([every]), everyMs, onFailure: fail })
  const stopRenewing = repeat({
    work: renew,
    everyMs: renewEveryMs,
    onFailure: (error) => warn('webhooks wait: trying again', error),
  })

  return {
    lookedAt: () => lookedAt,
    async stop() {
      stopListening()
      stopping.abort()
      await Promise.all([stopLooking(), rounds.end()])
      // Leases are renewed until the last message is answered.
      await running.end()
      await stopRenewing()
    },
  }
}
