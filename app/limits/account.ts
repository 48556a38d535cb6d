import type { AccountName, Policy } from './policy.ts'
import type { LimitStore, Settlement } from './store.ts'
import { createWindow, type Window } from './window.ts'

/** Whether a request may pass. */
export type Admission = Readonly<{
  /** Policies without room for it; empty: it may pass, and is counted. */
  violated: readonly string[]
  /** Seconds until there is room for it in all of them; 0 where it may pass. */
  retryAfterSeconds: number
}>

/** A policy and its present use, as this instance knows it. */
export type Use = Readonly<{
  policy: Policy
  remaining: number
  /** Seconds until more is available, 1 to the window's length. */
  resetSeconds: number
}>

/** Costs are units a policy, in the policies' order. */
export type Costs = readonly number[]

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
 */
const aheadShare = 0.08
/** Settled from this share of a lease on: the rest lasts while the store answers. */
const settleShare = 0.75
/** Longest wait for a lease. Then the request is judged by what this instance knows. */
const leaseWaitMs = 5
/** An exchange is late after this time: then no request waits for its answer any more. */
const lateAfterMs = 25

const admitted: Admission = Object.freeze({ violated: Object.freeze([]), retryAfterSeconds: 0 })

type Meter = {
  policy: Policy
  window: Window
  /** Counted here and not yet confirmed by the store. */
  unsettled: number
}

type Waiter = {
  costs: Costs
  /** Undefined once it was answered. */
  resolve: ((admission: Admission) => void) | undefined
  isAdmitted: boolean
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
 * units; they are not told again, because a customer must not be refused for requests that it did not make.
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
  const meters = policies.map((policy): Meter => {
    return { policy, window: createWindow(policy.windowSeconds * 1000), unsettled: 0 }
  })
  let waiting: Waiter[] = []
  let isExchanging = false
  let isLate = false

  const aheadOf = ({ policy }: Meter): number =>
    Math.floor((policy.quota * aheadShare) / Math.max(1, store?.instances ?? 1))

  const settleOrTell = (): void => {
    if (meters.some((meter) => meter.unsettled >= aheadOf(meter) * settleShare)) account.settle()
    else onUnsettled(account)
  }

  const count = (costs: Costs, nowMs: number): void => {
    for (let index = 0; index < meters.length; index += 1) {
      const units = costs[index] ?? 0
      if (units === 0) continue
      const meter = meters[index] as Meter
      meter.window.add(nowMs, units)
      meter.unsettled += units
    }
    if (store && !isExchanging) settleOrTell()
  }

  const lacks = ({ policy, window }: Meter, cost: number, nowMs: number): number =>
    cost === 0 ? 0 : window.used(nowMs) + cost - policy.quota

  const refuse = (costs: Costs, nowMs: number): Admission => {
    const violated: string[] = []
    let waitMs = 0
    for (const [index, meter] of meters.entries()) {
      const lacking = lacks(meter, costs[index] ?? 0, nowMs)
      if (lacking <= 0) continue
      violated.push(meter.policy.name)
      waitMs = Math.max(waitMs, meter.window.freesInMs(nowMs, lacking))
    }
    return { violated, retryAfterSeconds: Math.ceil(waitMs / 1000) }
  }

  const fits = (costs: Costs, nowMs: number): boolean =>
    meters.every((meter, index) => lacks(meter, costs[index] ?? 0, nowMs) <= 0)

  const isLeased = (costs: Costs): boolean =>
    meters.every((meter, index) => meter.unsettled + (costs[index] ?? 0) <= aheadOf(meter))

  /** By what this instance knows, whatever it holds. */
  const judge = (costs: Costs, nowMs: number): Admission => {
    if (!fits(costs, nowMs)) return refuse(costs, nowMs)
    count(costs, nowMs)
    return admitted
  }

  const answer = (waiter: Waiter, admission: Admission): void => {
    waiter.resolve?.(admission)
    waiter.resolve = undefined
    waiter.isAdmitted = admission === admitted
  }

  const judgeAll = (waiters: readonly Waiter[]): void => {
    const nowMs = now()
    for (const waiter of waiters) if (waiter.resolve) answer(waiter, judge(waiter.costs, nowMs))
  }

  const judgeWaiting = (): void => {
    const waiters = waiting
    waiting = []
    judgeAll(waiters)
  }

  /** Tells the store nothing of these units: it has, or may have, counted them. */
  const forget = (units: Costs): void => {
    for (const [index, meter] of meters.entries()) meter.unsettled -= units[index] ?? 0
  }

  /** Takes over the shared count as of `atMs`. Units that were counted here meanwhile are kept. */
  const adopt = (settlements: readonly Settlement[], spent: readonly number[], atMs: number): void => {
    for (const [index, meter] of meters.entries())
      meter.window.replace(atMs, settlements[index]?.counts ?? [])
    forget(spent)
  }

  /** Hands a grant out in the order of coming, and gives back what is left. */
  const distribute = (
    settlements: readonly Settlement[],
    waiters: readonly Waiter[],
    nowMs: number,
  ): void => {
    const left = settlements.map(({ granted }) => granted)
    const covers = (costs: Costs) => left.every((units, index) => units >= (costs[index] ?? 0))
    const refused: Waiter[] = []
    for (const waiter of waiters) {
      if (!waiter.resolve) continue
      if (covers(waiter.costs)) {
        for (const [index, units] of waiter.costs.entries()) left[index] = (left[index] ?? 0) - units
        answer(waiter, admitted)
      } else refused.push(waiter)
    }
    if (left.some((units) => units > 0)) account.charge(left.map((units) => -units))
    for (const waiter of refused) answer(waiter, judge(waiter.costs, nowMs))
  }

  const exchange = async (shared: LimitStore): Promise<void> => {
    const nowMs = now()
    const waiters = waiting
    waiting = []
    const demands = meters.map(({ policy, window, unsettled }, index) => ({
      policy,
      // Units that left the window while the store was away do not matter any more.
      spent: Math.min(unsettled, window.used(nowMs)),
      wanted: waiters.reduce((sum, { costs }) => sum + (costs[index] ?? 0), 0),
    }))
    const spent = demands.map((demand) => demand.spent)
    for (const [index, meter] of meters.entries()) {
      meter.unsettled = spent[index] ?? 0
      meter.window.mark()
    }
    isExchanging = true
    const stopWaiting = () => {
      judgeAll(waiters)
      judgeWaiting()
      isLate = now() - nowMs >= lateAfterMs
      if (!isLate) callOff = after(leaseWaitMs, stopWaiting)
    }
    let callOff = after(leaseWaitMs, stopWaiting)
    const settlements = await shared.exchange(name, demands)
    callOff()
    const thenMs = now()
    // A late count is dated when it was asked for, or its units would stay for as long as the answer took.
    const countedMs = isLate ? nowMs : thenMs
    isLate = false
    if (settlements) {
      adopt(settlements, spent, countedMs)
      distribute(settlements, waiters, thenMs)
    } else {
      judgeAll(waiters)
      forget(spent)
      for (const { isAdmitted, costs } of waiters) if (isAdmitted) forget(costs)
    }
    isExchanging = false
    goOn(shared)
  }

  /** After an exchange: starts the next one for requests and units that came meanwhile. */
  const goOn = (shared: LimitStore): void => {
    if (shared.isDown) judgeWaiting()
    else if (waiting.length > 0) void exchange(shared)
    else if (meters.some(({ unsettled }) => unsettled !== 0)) settleOrTell()
  }

  const wait = (shared: LimitStore, costs: Costs): Promise<Admission> =>
    new Promise((resolve) => {
      waiting.push({ costs, resolve, isAdmitted: false })
      if (!isExchanging) void exchange(shared)
    })

  const account: Account = {
    policies,
    take(costs) {
      if (account.takeAtOnce(costs)) return admitted
      const nowMs = now()
      return store && fits(costs, nowMs) ? wait(store, costs) : refuse(costs, nowMs)
    },
    takeAtOnce(costs) {
      const nowMs = now()
      const isAlone = !store || store.isDown || isLate
      const isAtOnce = isAlone || (waiting.length === 0 && isLeased(costs))
      if (!isAtOnce || !fits(costs, nowMs)) return false
      count(costs, nowMs)
      return true
    },
    charge: (costs) => count(costs, now()),
    use() {
      const nowMs = now()
      return meters.map(({ policy, window }) => ({
        policy,
        remaining: Math.max(0, policy.quota - window.used(nowMs)),
        resetSeconds: Math.ceil(window.releaseInMs(nowMs) / 1000),
      }))
    },
    settle() {
      if (!store || store.isDown || isExchanging) return
      if (meters.some(({ unsettled }) => unsettled !== 0)) void exchange(store)
    },
  }
  return account
}
