import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Listener } from '../../cache/poller.ts'
import { wildcard } from '../../cache/stamped.ts'
import type { QueuedDb } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { repeat } from '../../overload/repeat.ts'
import type { TokenCodec } from '../token.ts'
import { findChanges } from './find-changes.ts'
import { claimWebhooks, type LeasedWebhook, renewWebhooks } from './lease.ts'
import type { Deliver } from './message.ts'
import { createRounds } from './rounds.ts'
import { createRunning } from './running.ts'
import { toInstant } from './schedule.ts'
import { createSend, type SendOptions, type Write } from './send.ts'

type SenderOptions = Pick<SendOptions, 'now' | 'onAttempt'> & {
  db: QueuedDb
  /** Not used by data requests. */
  reserved: Db
  tokens: TokenCodec
  deliver: Deliver
  listen: (listener: Listener) => () => void
  warn: (message: string, error?: Error) => void
  /** Between two checks of all webhooks. */
  everyMs?: number
  renewEveryMs?: number
  /** Between two messages to a receiver. Changes in this time share one. */
  spacingMs?: number
  random?: () => number
}

const defaultEveryMs = 10_000
const defaultSpacingMs = 500
const defaultRenewEveryMs = 2_000
/** Concurrent searches: the database's queue would refuse them after a second. */
const looksAtOnce = 4
/** Three renewals. The webhooks of a killed instance wait this long. */
export const leaseMs = 6_000

/**
 * Sends webhooks. Every instance runs it, and the database assigns each webhook to one. It checks a customer's
 * webhooks after each change, and all webhooks every ten seconds.
 */
export const startWebhooks = (options: SenderOptions) => {
  const { db, reserved, tokens, now, listen, warn, everyMs = defaultEveryMs } = options
  const { spacingMs = defaultSpacingMs, random = Math.random } = options
  const { renewEveryMs = defaultRenewEveryMs } = options
  const holder = randomUUID()
  const fewLooks = pLimit(looksAtOnce)
  const look = ({ customer_id: customerId, resources, token }: LeasedWebhook) =>
    fewLooks(() => findChanges({ db, tokens, now }, { customerId, resources }, token))
  // At most one reserved connection: if many receivers respond together, logins have the others.
  const oneAtATime = pLimit(1)
  const write: Write = (work) => oneAtATime(() => work(reserved))
  const { sendNext, release } = createSend({ ...options, write, holder, look, random, leaseMs })
  const stopping = new AbortController()
  let lookedAt: number | undefined
  /** Of a round or a message since the last renewal. */
  let failure: Error | undefined
  const fail = (error: Error): void => {
    failure = error
  }

  const work = async (claimed: LeasedWebhook): Promise<void> => {
    let hook: LeasedWebhook | undefined = claimed
    for (;;) {
      hook = await sendNext(hook)
      if (!hook) return
      await delay(spacingMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return void (await release(hook))
    }
  }

  const lookAt = async (customers: ReadonlySet<string>): Promise<void> => {
    const isAll = customers.has(wildcard)
    const changed = isAll ? undefined : [...customers]
    // Each webhook at most once: during a long transaction, the database reports sent changes as new.
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

  /** Busy webhooks are checked again when their work ends. */
  const want = (customers: readonly string[]): void => {
    running.noteChanged(new Set(customers))
    rounds.want(customers)
  }

  const renew = async (): Promise<void> => {
    const failed = failure
    failure = undefined
    // The customers of the failed round are lost.
    if (failed) want([wildcard])
    const lease = { holder, at: toInstant(now()), leaseMs, busy: running.ids() }
    want(await write((db) => renewWebhooks(db, lease)))
    // As a failure of the renewal, it is logged once until all works again.
    if (failed) throw failed
  }

  const stopListening = listen((events) =>
    want(events ? events.map(({ customerId }) => customerId) : [wildcard]),
  )
  const stopLooking = repeat({ work: async () => want([wildcard]), everyMs, onFailure: fail })
  const stopRenewing = repeat({
    work: renew,
    everyMs: renewEveryMs,
    onFailure: (error) => warn('webhooks wait: trying again', error),
  })

  return {
    /** The last check of all webhooks, in milliseconds since 1970. `undefined` before the first one. */
    lookedAt: () => lookedAt,
    /** Waits for the messages in progress. */
    async stop(): Promise<void> {
      stopListening()
      stopping.abort()
      await Promise.all([stopLooking(), rounds.end()])
      await running.end()
      await stopRenewing()
    },
  }
}
