import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Listener } from '../../cache/poller.ts'
import type { Db } from '../../db/schema.ts'
import { claimWebhooks, type HeldWebhook, renewWebhooks } from './lease.ts'
import { lookForChanges } from './look.ts'
import type { Deliver } from './message.ts'
import { createSend, releaseWebhook, type SendOptions, type Write } from './send.ts'

type SenderOptions = Pick<SendOptions, 'now' | 'onAttempt'> & {
  /** Connections that read customers' data. */
  db: Db
  /** Connections of the serving role that no data request uses. */
  reserved: Db
  tokens: Parameters<typeof lookForChanges>[0]['tokens']
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
/** Three renewals. The webhooks of an instance that died wait for its end. */
export const leaseMs = 6_000
/** Messages on their way at once: a receiver that hangs keeps one of these places for ten seconds. */
const mostAtOnce = 200
/** Of these to receivers that did not take their last message, so that they leave places to the others. */
const mostFailing = 100
const claimedAtOnce = 10

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
  const today = () => new Date(now()).toISOString().slice(0, 10)
  const look = ({ customer_id: customerId, resources, token }: HeldWebhook) =>
    lookForChanges({ db, tokens, today }, { customerId, resources }, token)
  // One connection at most, so that many receivers that answer at once leave the others to logins.
  const oneAtATime = pLimit(1)
  const write: Write = (work) => oneAtATime(() => work(reserved))
  const send = createSend({ ...options, write, holder, look, random, leaseMs })
  const stopping = new AbortController()
  const running = new Map<string, { done: Promise<void>; isFailing: boolean }>()
  let wanted: Set<string> | 'all' = new Set()
  /** The customers of running webhooks that changed something meanwhile. */
  const toldMeanwhile = new Set<string>()
  /**
   * Webhooks taken since all were wanted last, with their customers. While a transaction stays open, the database takes
   * what was told for something new: without this memory they would be looked at again and again.
   */
  const looked = new Map<string, string>()
  let claiming: Promise<void> | undefined
  let lookedAt: number | undefined
  let isFailing = false

  const report = (error: unknown) => {
    if (!isFailing && !stopping.signal.aborted) warn('webhooks wait: trying again', error as Error)
    isFailing = true
  }

  const work = async (claimed: HeldWebhook): Promise<void> => {
    let hook: HeldWebhook | undefined = claimed
    for (;;) {
      hook = await send(hook)
      if (!hook) return
      await delay(spacingMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return void (await releaseWebhook(write, holder, hook))
    }
  }
  const begin = (hook: HeldWebhook): void => {
    const { webhook_id: id, customer_id: customer } = hook
    const done = work(hook)
      .catch(report)
      .finally(() => {
        running.delete(id)
        if (!toldMeanwhile.delete(id)) return
        looked.delete(id)
        want(new Set([customer]))
      })
    running.set(id, { done, isFailing: hook.failing_since !== null })
  }

  const claim = async (): Promise<void> => {
    const asked = wanted
    const most = Math.min(claimedAtOnce, mostAtOnce - running.size)
    const changed = asked === 'all' ? undefined : [...asked]
    wanted = new Set()
    const at = new Date(now()).toISOString()
    const busy = [...new Set([...running.keys(), ...looked.keys()])]
    const failing = [...running.values()].filter((each) => each.isFailing).length
    const wish = { holder, at, leaseMs, changed, busy, most, withFailing: failing < mostFailing }
    const hooks = await write((db) => claimWebhooks(db, wish))
    for (const hook of hooks) {
      looked.set(hook.webhook_id, hook.customer_id)
      begin(hook)
    }
    // There may be more.
    if (hooks.length === most) want(asked)
    else if (asked === 'all') lookedAt = now()
    isFailing = false
  }
  const mayClaim = (): boolean =>
    !stopping.signal.aborted && running.size < mostAtOnce && (wanted === 'all' || wanted.size > 0)
  const claimAll = async (): Promise<void> => {
    while (mayClaim()) await claim()
  }
  const keepClaiming = (): void => {
    if (claiming || !mayClaim()) return
    claiming = claimAll()
      .catch(report)
      .finally(() => {
        claiming = undefined
        keepClaiming()
      })
  }

  /** Has these customers' webhooks looked at. */
  const want = (customers: ReadonlySet<string> | 'all'): void => {
    if (customers === 'all') wanted = 'all'
    else if (wanted !== 'all') for (const each of customers) wanted.add(each)
    keepClaiming()
  }
  /** The same after a change, or when it is time. */
  const wantAnew = (customers: ReadonlySet<string> | 'all'): void => {
    for (const [id, customer] of looked) {
      if (customers !== 'all' && !customers.has(customer)) continue
      if (running.has(id)) toldMeanwhile.add(id)
      else looked.delete(id)
    }
    want(customers)
  }

  const renew = async (): Promise<void> => {
    // What was to be looked at when a claim failed is not known any more.
    if (isFailing) wantAnew('all')
    const at = new Date(now()).toISOString()
    const busy = [...running.keys()]
    const waiting = await write((db) => renewWebhooks(db, { holder, at, leaseMs, busy }))
    if (waiting.length > 0) wantAnew(new Set(waiting))
  }
  let renewing: Promise<void> | undefined
  const keepRenewed = (): void => {
    renewing ??= renew()
      .catch(report)
      .finally(() => {
        renewing = undefined
      })
  }

  const stopListening = listen((events) => {
    if (!events || events.some(({ customerId }) => customerId === '*')) return wantAnew('all')
    wantAnew(new Set(events.map(({ customerId }) => customerId)))
  })
  const lookTimer = setInterval(wantAnew, everyMs, 'all').unref()
  const renewTimer = setInterval(keepRenewed, renewEveryMs).unref()
  want('all')

  return {
    lookedAt: () => lookedAt,
    async stop() {
      stopListening()
      clearInterval(lookTimer)
      stopping.abort()
      await claiming
      // Leases are renewed until the last message is answered.
      await Promise.all([...running.values()].map(({ done }) => done))
      clearInterval(renewTimer)
      await renewing
    },
  }
}
