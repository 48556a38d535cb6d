import {
  type Admission,
  admitted,
  type Costs,
  createMeters,
  fits,
  type Meter,
  refuse,
  type Use,
  usesOf,
} from './meters.ts'
import type { AccountName, Policy } from './policy.ts'
import type { LimitStore } from './store.ts'

/** One customer's count on this instance. */
export type Account = {
  readonly policies: readonly Policy[]
  /** Counts and admits the request if every policy has room. A promise only if it needs a lease. */
  take(costs: Costs): Admission | Promise<Admission>
  /** Does the same if it can admit at once. False: nothing was counted; ask `take`. */
  takeAtOnce(costs: Costs): boolean
  /** Counts without asking; negative costs give back. */
  charge(costs: Costs): void
  use(): Use[]
  /** Tells the store what it does not know yet. */
  settle(): void
}

export type AccountDeps = {
  /** Absent: this instance counts alone. */
  store: LimitStore | undefined
  /** Monotonic milliseconds. */
  now: () => number
  /** Calls once after so many milliseconds; what it returns calls it off. */
  after: (ms: number, call: () => void) => () => void
  /** Told when there is something to settle. */
  onUnsettled: (account: Account) => void
}

/**
 * The share of a quota that all instances together may be ahead of the store. It stays below the promised
 * 10 % because an instance that has just started is known to the others only after its first heartbeat.
 * See docs/decisions/0012-sliding-window-with-settled-leases.md.
 */
const aheadShare = 0.08
/** Settled from this share of a lease on: the rest lasts while the store answers. */
const settleShare = 0.75
/** Longest wait for a lease. Then the request is judged by what this instance knows. */
const leaseWaitMs = 5
/**
 * An exchange is late after this time: then no request waits for its answer any more.
 * See docs/decisions/0074-late-answers-of-redis-count.md.
 */
const lateAfterMs = 25

type Waiter = {
  costs: Costs
  resolve: (admission: Admission) => void
  /** Undefined until it was answered. */
  admission: Admission | undefined
}

/**
 * One customer's quotas, shared with other instances through leases.
 *
 * Every instance has a standing lease: it may be `aheadShare * quota / instances` units ahead of the shared
 * count. Within it a request is judged at once. Spent units are settled in batches, in the background. A
 * request beyond the lease waits for an exchange, which asks for the units of all waiting requests together.
 * So all instances let through at most quota · (1 + aheadShare) in any window, however unequal their traffic.
 * Nothing is leased in advance, so a quiet instance keeps nothing from a busy one.
 *
 * Each account has at most one exchange under way, and its answer is adopted however late it comes. So the
 * store never hears of a unit twice. If the connection breaks, the store may or may not have counted the
 * units; they are not told again, because a customer must not be refused for requests that it did not make. What
 * it granted in a lost answer to requests that were refused meanwhile stays counted until its window is over.
 *
 * Where this instance's own window is full, the shared one is full too, and the request is refused at once.
 * Without a store, or while the store is down or late, the own window decides alone: every instance then
 * enforces the whole quota by itself.
 */
export const createAccount = (
  name: AccountName,
  policies: readonly Policy[],
  { store, now, after, onUnsettled }: AccountDeps,
): Account => {
  const meters = createMeters(policies)
  const waiting: Waiter[] = []
  let isExchanging = false
  let isLate = false

  const aheadOf = ({ policy }: Meter): number =>
    Math.floor((policy.quota * aheadShare) / Math.max(1, store?.instances ?? 1))
  const isUnsettled = (): boolean => meters.some(({ unsettled }) => unsettled !== 0)
  const isLeased = (costs: Costs): boolean =>
    meters.every((meter, index) => meter.unsettled + (costs[index] ?? 0) <= aheadOf(meter))

  const count = (costs: Costs, nowMs: number): void => {
    for (let index = 0; index < meters.length; index += 1) {
      const units = costs[index] ?? 0
      if (units === 0) continue
      const meter = meters[index] as Meter
      meter.window.add(nowMs, units)
      meter.unsettled += units
    }
    goOn()
  }

  /** Answers those who were not yet answered, by what this instance knows, whatever it holds. */
  const judgeAll = (waiters: readonly Waiter[]): void => {
    const nowMs = now()
    for (const waiter of waiters) {
      if (waiter.admission) continue
      const isAdmitted = fits(meters, waiter.costs, nowMs)
      if (isAdmitted) count(waiter.costs, nowMs)
      waiter.admission = isAdmitted ? admitted : refuse(meters, waiter.costs, nowMs)
      waiter.resolve(waiter.admission)
    }
  }

  const takeWaiting = (): Waiter[] => waiting.splice(0)

  /** Tells the store nothing of these units: it has, or may have, counted them. */
  const forget = (units: Costs): void => {
    for (const [index, meter] of meters.entries()) meter.unsettled -= units[index] ?? 0
  }

  const exchange = async (shared: LimitStore): Promise<void> => {
    isExchanging = true
    const nowMs = now()
    const waiters = takeWaiting()
    const demands = meters.map((meter, index) => {
      // Units that left the window while the store was away do not matter any more.
      meter.unsettled = Math.min(meter.unsettled, meter.window.used(nowMs))
      meter.window.mark()
      const wanted = waiters.reduce((sum, { costs }) => sum + (costs[index] ?? 0), 0)
      return { policy: meter.policy, spent: meter.unsettled, wanted }
    })
    const stopWaiting = () => {
      judgeAll(waiters)
      judgeAll(takeWaiting())
      isLate = now() - nowMs >= lateAfterMs
      if (!isLate) callOff = after(leaseWaitMs, stopWaiting)
    }
    let callOff = after(leaseWaitMs, stopWaiting)
    const settlements = await shared.exchange(name, demands)
    callOff()
    // A late count is dated when it was asked for, or its units would stay for as long as the answer took.
    const countedMs = isLate ? nowMs : now()
    isLate = false
    if (settlements) {
      for (const [index, { window }] of meters.entries())
        window.replace(countedMs, settlements[index]?.counts ?? [])
      // Given back as a whole and taken again by those who wait, in the order of coming.
      count(
        settlements.map(({ granted }) => -granted),
        now(),
      )
      judgeAll(waiters)
    } else {
      judgeAll(waiters)
      for (const { admission, costs } of waiters) if (admission === admitted) forget(costs)
    }
    forget(demands.map(({ spent }) => spent))
    isExchanging = false
    goOn()
  }

  /** Starts an exchange for requests and units that came since the last one, or tells that there are some. */
  const goOn = (): void => {
    if (!store || isExchanging) return
    const isDue = meters.some((meter) => meter.unsettled >= aheadOf(meter) * settleShare)
    if (store.isDown) judgeAll(takeWaiting())
    else if (waiting.length > 0 || (isDue && isUnsettled())) void exchange(store)
    else if (isUnsettled()) onUnsettled(account)
  }

  const account: Account = {
    policies,
    take(costs) {
      if (account.takeAtOnce(costs)) return admitted
      const nowMs = now()
      if (!store || !fits(meters, costs, nowMs)) return refuse(meters, costs, nowMs)
      return new Promise((resolve) => {
        waiting.push({ costs, resolve, admission: undefined })
        goOn()
      })
    },
    takeAtOnce(costs) {
      const nowMs = now()
      const isAlone = !store || store.isDown || isLate
      const isAtOnce = isAlone || (waiting.length === 0 && isLeased(costs))
      if (!isAtOnce || !fits(meters, costs, nowMs)) return false
      count(costs, nowMs)
      return true
    },
    charge: (costs) => count(costs, now()),
    use: () => usesOf(meters, now()),
    settle() {
      if (store && !store.isDown && !isExchanging && isUnsettled()) void exchange(store)
    },
  }
  return account
}
