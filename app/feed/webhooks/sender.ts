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
  /** Connections of the serving role that no data request uses. */
  reserved: Db
  tokens: TokenCodec
  deliver: Deliver
  listen: (listener: Listener) => () => void
  warn: (message: string, error?: Error) => void
  /** Optional. Defaults to 10 s between two checks of all webhooks. */
  everyMs?: number
  renewEveryMs?: number
  /** Between two messages to a receiver; changes in between share one. */
  spacingMs?: number
  random?: () => number
}

const defaultEveryMs = 10_000
const defaultSpacingMs = 500
const defaultRenewEveryMs = 2_000
/** Concurrent searches: the database's queue would refuse them after a second. */
const looksAtOnce = 4
/** Three renewals. When an instance dies, its webhooks wait until the lease ends. */
export const leaseMs = 6_000

/**
 * Sends webhooks from this instance. Any number of instances can run it: the database assigns each webhook to
 * one. It checks a customer's webhooks after each reported change, and all every ten seconds.
 */
export const startWebhooks = (options: SenderOptions) => {
  const { db, reserved, tokens, now, listen, warn, everyMs = defaultEveryMs } = options
  const { spacingMs = defaultSpacingMs, random = Math.random } = options
  const { renewEveryMs = defaultRenewEveryMs } = options
  const holder = randomUUID()
  const fewLooks = pLimit(looksAtOnce)
  const look = ({ customer_id: customerId, resources, token }: LeasedWebhook) =>
    fewLooks(() => findChanges({ db, tokens, now }, { customerId, resources }, token))
  // At most one connection: if many receivers respond together, logins keep the other connections.
  const oneAtATime = pLimit(1)
  const write: Write = (work) => oneAtATime(() => work(reserved))
  const { sendNext, release } = createSend({ ...options, write, holder, look, random, leaseMs })
  const stopping = new AbortController()
  let lookedAt: number | undefined
  /** The failure of a round or a message since the last renewal. */
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
    // Each webhook once: while a transaction stays open, the database reports sent changes as new.
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

  /** Checks these customers' webhooks in the next round, and busy webhooks again when their work ends. */
  const want = (customers: readonly string[]): void => {
    running.noteChanged(new Set(customers))
    rounds.want(customers)
  }

  const renew = async (): Promise<void> => {
    const failed = failure
    failure = undefined
    // The names of the failed round are lost, so check all webhooks.
    if (failed) want([wildcard])
    const lease = { holder, at: toInstant(now()), leaseMs, busy: running.ids() }
    want(await write((db) => renewWebhooks(db, lease)))
    // Counts as a failure of the renewal, so that the log reports it once until everything works again.
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
    /** When all webhooks were last checked, in milliseconds since 1970. `undefined` before the first check. */
    lookedAt: () => lookedAt,
    /** Claims no more webhooks and waits for the messages in progress. */
    async stop(): Promise<void> {
      stopListening()
      stopping.abort()
      await Promise.all([stopLooking(), rounds.end()])
      // Leases are renewed until the last message is answered.
      await running.end()
      await stopRenewing()
    },
  }
}
