import { type Admission, admitted, type Costs, createMeters, type Use } from './meters.ts'
import type { AccountName, LimitStore, Policy, PolicyName } from './store.ts'

export type Account<Name extends PolicyName> = {
  readonly policies: readonly Policy<Name>[]
  /** Counts and admits the request if every policy has room. Returns a promise only to wait for the store. */
  take(costs: Costs<Name>): Admission | Promise<Admission>
  /** If false, nothing was counted, and `take` may still admit. */
  tryTake(costs: Costs<Name>): boolean
  charge(costs: Costs<Name>): void
  /** The time that `refund` needs. Read it before the request is counted. */
  now(): number
  /**
   * Takes back units that were counted after `sinceMs`, in the part of the window that contains them.
   * See docs/decisions/0191-refunds-are-dated-like-their-units.md.
   */
  refund(costs: Costs<Name>, sinceMs: number): void
  use(): Use[]
}

export type AccountDeps = {
  store: LimitStore | undefined
  now: () => number
  after: (ms: number, call: () => void) => () => void
}

/** We promise 10 %. The last 2 % are for a new instance, which other instances count after its heartbeat. */
const aheadShare = 0.08
/** Used share of a lease at which it is settled. The rest lasts until the store responds. */
const settleShare = 0.75
/** A request that has waited this long for an exchange is decided by the counts of this instance. */
const leaseWaitMs = 5
/** No new request waits for a longer exchange. See docs/decisions/0074-late-answers-of-redis-count.md. */
const lateAfterMs = 25

type Waiter<Name extends PolicyName> = {
  costs: Costs<Name>
  resolve: (admission: Admission) => void
  admission: Admission | undefined
}

/**
 * - `idle`: no exchange runs.
 * - `waiting`: an exchange runs. A timer decides the requests that have waited for it.
 * - `late`: the exchange takes too long, and requests are decided by the counts of this instance.
 * - `settling`: the counts of the store are being applied. No other exchange starts.
 */
type ExchangeState =
  | Readonly<{ name: 'idle' | 'late' | 'settling' }>
  | Readonly<{ name: 'waiting'; stopTimer: () => void }>

const idle: ExchangeState = { name: 'idle' }
const late: ExchangeState = { name: 'late' }
const settling: ExchangeState = { name: 'settling' }

/**
 * Instances share the quotas of an account by leases: an instance may be `aheadShare * quota / instances`
 * units ahead of the shared count, and a request beyond this waits for an exchange. So all together admit at
 * most quota · (1 + aheadShare) in any window. Without a store, or while it is down or late, each enforces
 * the whole quota. `onUnsettled` receives a function that reports the counts; the caller calls it soon.
 * See docs/decisions/0012-sliding-window-with-settled-leases.md.
 */
export const createAccount = <Name extends PolicyName>(
  name: AccountName,
  policies: readonly Policy<Name>[],
  { store, now, after }: AccountDeps,
  onUnsettled: (settle: () => void) => void,
): Account<Name> => {
  const { meters, fits, toAdmission, use } = createMeters(policies)
  type Meter = (typeof meters)[number]
  const waiting: Waiter<Name>[] = []
  let state: ExchangeState = idle

  const getHeadroom = ({ policy }: Meter, { instances }: LimitStore): number =>
    Math.floor((policy.quota * aheadShare) / Math.max(1, instances))
  const isUnsettled = (): boolean =>
    meters.some(({ unsettled, refunds }) => unsettled !== 0 || refunds.length > 0)

  const add = (meter: Meter, units: number, nowMs: number): void => {
    if (units === 0) return
    meter.window.add(nowMs, units)
    meter.unsettled += units
  }
  const charge = (costs: Costs<Name>): void => {
    const nowMs = now()
    for (const meter of meters) add(meter, costs[meter.policy.name], nowMs)
    exchangeIfDue()
  }

  const refund = (costs: Costs<Name>, sinceMs: number): void => {
    const nowMs = now()
    for (const meter of meters) {
      const units = costs[meter.policy.name]
      if (units === 0 || !meter.window.remove(nowMs, sinceMs, units)) continue
      if (sinceMs > meter.reportedMs) meter.unsettled -= units
      else if (store) meter.refunds.push({ addedMs: sinceMs, units })
    }
    exchangeIfDue()
  }

  const decide = (waiters: readonly Waiter<Name>[]): void => {
    for (const waiter of waiters) {
      if (waiter.admission) continue
      const isAdmitted = fits(waiter.costs, now())
      if (isAdmitted) charge(waiter.costs)
      waiter.admission = isAdmitted ? admitted : toAdmission(waiter.costs, now())
      waiter.resolve(waiter.admission)
    }
  }

  const waitForExchange = (startedMs: number, waiters: readonly Waiter<Name>[]): void => {
    const stopTimer = after(leaseWaitMs, () => {
      decide(waiters)
      decide(waiting.splice(0))
      if (now() - startedMs >= lateAfterMs) state = late
      else waitForExchange(startedMs, waiters)
    })
    state = { name: 'waiting', stopTimer }
  }

  const exchange = async (shared: LimitStore): Promise<void> => {
    const nowMs = now()
    const waiters = waiting.splice(0)
    const demands = meters.map((meter) => {
      // Units that left the window while the store was unavailable no longer matter.
      meter.unsettled = Math.min(meter.unsettled, meter.window.used(nowMs))
      meter.window.mark()
      meter.reportedMs = nowMs
      const wanted = waiters.reduce((sum, { costs }) => sum + costs[meter.policy.name], 0)
      const refunds = meter.refunds.splice(0).map(({ addedMs, units }) => [nowMs - addedMs, units] as const)
      return { policy: meter.policy, spent: meter.unsettled, wanted, refunds }
    })
    waitForExchange(nowMs, waiters)
    const settlements = await shared.exchange(name, demands)
    if (state.name === 'waiting') state.stopTimer()
    // Late counts are dated at the start of the exchange, so that their units leave the window in time.
    const countedMs = state.name === 'late' ? nowMs : now()
    state = settling
    for (const [index, { counts, granted }] of settlements?.entries() ?? []) {
      const meter = meters[index] as Meter
      meter.window.replace(countedMs, counts)
      // The counts of the store contain the grant. `decide` adds it again, in order of arrival.
      add(meter, -granted, now())
    }
    decide(waiters)
    for (const [index, meter] of meters.entries()) {
      meter.unsettled -= demands[index]?.spent ?? 0
      if (settlements) continue
      // The store may have counted the units of these requests.
      for (const { admission, costs } of waiters)
        if (admission === admitted) meter.unsettled -= costs[meter.policy.name]
    }
    state = idle
    exchangeIfDue()
  }

  const settle = (): void => {
    if (store && !store.isDown && state === idle && isUnsettled()) void exchange(store)
  }

  const exchangeIfDue = (): void => {
    if (!store || state !== idle) return
    const isDue = meters.some((meter) => meter.unsettled >= getHeadroom(meter, store) * settleShare)
    if (store.isDown) decide(waiting.splice(0))
    else if (waiting.length > 0 || (isDue && isUnsettled())) void exchange(store)
    else if (isUnsettled()) onUnsettled(settle)
  }

  const tryTake = (costs: Costs<Name>): boolean => {
    if (store && !store.isDown && state !== late) {
      const isLeased = meters.every(
        (meter) => meter.unsettled + costs[meter.policy.name] <= getHeadroom(meter, store),
      )
      if (waiting.length > 0 || !isLeased) return false
    }
    if (!fits(costs, now())) return false
    charge(costs)
    return true
  }

  return {
    policies,
    tryTake,
    charge,
    now,
    refund,
    take(costs) {
      if (tryTake(costs)) return admitted
      const nowMs = now()
      if (!store || !fits(costs, nowMs)) return toAdmission(costs, nowMs)
      return new Promise((resolve) => {
        waiting.push({ costs, resolve, admission: undefined })
        exchangeIfDue()
      })
    },
    use: () => use(now()),
  }
}
