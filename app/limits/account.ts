import {
  type Admission,
  admitted,
  type Costs,
  createMeters,
  fits,
  listUses,
  type Meter,
  refuse,
  type Use,
} from './meters.ts'
import type { AccountName, LimitStore, Policy } from './store.ts'

export type Account = {
  readonly policies: readonly Policy[]
  /** Counts and admits the request if every policy has room. Returns a promise only if it waits for the store. */
  take(costs: Costs): Admission | Promise<Admission>
  /** If false, nothing was counted, and `take` may still admit. */
  takeAtOnce(costs: Costs): boolean
  charge(costs: Costs): void
  use(): Use[]
  settle(): void
}

export type AccountDeps = {
  store: LimitStore | undefined
  now: () => number
  after: (ms: number, call: () => void) => () => void
  onUnsettled: (account: Account) => void
}

/**
 * The promise is 10 %. The rest is for new instances, which others know only after a heartbeat.
 * See docs/decisions/0012-sliding-window-with-settled-leases.md.
 */
const aheadShare = 0.08
/** Used share of a lease at which it is settled. The rest lasts until the store responds. */
const settleShare = 0.75
/** Then the instance decides by its own counts. */
const leaseWaitMs = 5
/** Then no new request waits for the exchange. See docs/decisions/0074-late-answers-of-redis-count.md. */
const lateAfterMs = 25

type Waiter = {
  costs: Costs
  resolve: (admission: Admission) => void
  admission: Admission | undefined
}

/**
 * Creates the account of one customer. Instances share its quotas through leases: an instance may be `aheadShare *
 * quota / instances` units ahead of the shared count, and a request beyond this waits for an exchange. So all
 * instances together admit at most quota · (1 + aheadShare) in any window. No unit is reported twice, even if an
 * exchange fails. Without a store, or while it is down or late, each instance enforces the whole quota by itself.
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

  const getHeadroom = ({ policy }: Meter): number =>
    Math.floor((policy.quota * aheadShare) / Math.max(1, store?.instances ?? 1))
  const isUnsettled = (): boolean => meters.some(({ unsettled }) => unsettled !== 0)
  const isLeased = (costs: Costs): boolean =>
    meters.every((meter, index) => meter.unsettled + (costs[index] ?? 0) <= getHeadroom(meter))

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

  const forget = (units: Costs): void => {
    for (const [index, meter] of meters.entries()) meter.unsettled -= units[index] ?? 0
  }

  const exchange = async (shared: LimitStore): Promise<void> => {
    isExchanging = true
    const nowMs = now()
    const waiters = waiting.splice(0)
    const demands = meters.map((meter, index) => {
      // Units that left the window while the store was unavailable no longer matter.
      meter.unsettled = Math.min(meter.unsettled, meter.window.used(nowMs))
      meter.window.mark()
      const wanted = waiters.reduce((sum, { costs }) => sum + (costs[index] ?? 0), 0)
      return { policy: meter.policy, spent: meter.unsettled, wanted }
    })
    const stopWaiting = () => {
      judgeAll(waiters)
      judgeAll(waiting.splice(0))
      isLate = now() - nowMs >= lateAfterMs
      if (!isLate) callOff = after(leaseWaitMs, stopWaiting)
    }
    let callOff = after(leaseWaitMs, stopWaiting)
    const settlements = await shared.exchange(name, demands)
    callOff()
    // Late counts are dated at the start of the exchange, so that their units leave the window in time.
    const countedMs = isLate ? nowMs : now()
    isLate = false
    if (settlements) {
      for (const [index, { window }] of meters.entries())
        window.replace(countedMs, settlements[index]?.counts ?? [])
      // The counts of the store contain the grant. `judgeAll` adds it again, in order of arrival.
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

  const goOn = (): void => {
    if (!store || isExchanging) return
    const isDue = meters.some((meter) => meter.unsettled >= getHeadroom(meter) * settleShare)
    if (store.isDown) judgeAll(waiting.splice(0))
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
    use: () => listUses(meters, now()),
    settle() {
      if (store && !store.isDown && !isExchanging && isUnsettled()) void exchange(store)
    },
  }
  return account
}
