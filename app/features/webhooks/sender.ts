import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Listener } from '../../cache/poller.ts'
import { wildcard } from '../../cache/stamped.ts'
import type { QueuedDb } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { repeat } from '../../overload/repeat.ts'
import type { TokenCodec } from '../feed/token.ts'
import type { ProveEmpty } from '../feed/unchanged.ts'
import { findChanges } from './find-changes.ts'
import { claimWebhooks, type LeasedWebhook, renewWebhooks } from './lease.ts'
import type { Deliver } from './message.ts'
import { createRounds } from './rounds.ts'
import { toInstant } from './schedule.ts'
import { createSend, type SendOptions, type Write } from './send.ts'

type SenderOptions = Pick<SendOptions, 'now' | 'onAttempt'> & {
  db: QueuedDb
  reserved: Db
  tokens: TokenCodec
  proveEmpty: ProveEmpty
  deliver: Deliver
  listen: (listener: Listener) => () => void
  warn: (message: string, error?: Error) => void
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
const maxSearches = 4
/** Three renewals. Another instance sends the webhooks of a killed one after this time, and up to one renewal. */
export const leaseMs = 6_000

/** Sends webhooks. Every instance runs it, and the database assigns each webhook to one. */
export const startWebhooks = (options: SenderOptions) => {
  const { db, reserved, tokens, proveEmpty, now, listen, warn, everyMs = defaultEveryMs } = options
  const { spacingMs = defaultSpacingMs, random = Math.random } = options
  const { renewEveryMs = defaultRenewEveryMs } = options
  const holder = randomUUID()
  const limitSearches = pLimit(maxSearches)
  const search = ({ customer_id: customerId, resources, token }: LeasedWebhook) =>
    limitSearches(() => findChanges({ db, tokens, proveEmpty, now }, { customerId, resources }, token))
  // At most one reserved connection: if many receivers respond together, logins have the others.
  const oneAtATime = pLimit(1)
  const write: Write = (work) => oneAtATime(() => work(reserved))
  const { sendNext, release } = createSend({ ...options, write, holder, search, random, leaseMs })
  const stopping = new AbortController()
  let failure: Error | undefined
  const fail = (error: Error): void => {
    failure = error
  }
  const getLease = () => ({ holder, at: toInstant(now()), leaseMs })

  const work = async (claimed: LeasedWebhook): Promise<void> => {
    let hook: LeasedWebhook | undefined = claimed
    for (;;) {
      hook = await sendNext(hook)
      if (!hook) return
      await delay(spacingMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return void (await release(hook))
    }
  }

  const { want, listBusy, checkedAt, end } = createRounds({
    claim: (wanted) => write((trx) => claimWebhooks(trx, { ...getLease(), ...wanted })),
    work: (hook) => work(hook).catch(fail),
    onFailure: fail,
    stopping: stopping.signal,
    now,
  })

  const renew = async (): Promise<void> => {
    const failed = failure
    failure = undefined
    // A failed round has lost its customers.
    if (failed) want([wildcard])
    want(await write((trx) => renewWebhooks(trx, { ...getLease(), busy: listBusy() })))
    // Logged like a failed renewal: once, until rounds and renewals work again.
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
    checkedAt,
    /** Waits for the messages in progress, whose leases are renewed until then. */
    async stop(): Promise<void> {
      stopListening()
      stopping.abort()
      await Promise.all([stopLooking(), end()])
      await stopRenewing()
    },
  }
}
