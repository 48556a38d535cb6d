import { ApiError } from '../errors.ts'
import type { Count, Policy, PolicyName } from './store.ts'

type Bucket = { firstMs: number; lastMs: number; units: number }

/**
 * Units of one part of the window leave together, one window length after the newest. So no interval admits
 * more than the quota, and steady traffic gets at most 1/50 less. The Redis script has as many parts.
 */
export const windowParts = 50

/** Creates a sliding window. Others (fixed, token bucket, GCRA) would admit twice the quota in one window. */
export const createWindow = (windowMs: number) => {
  const partMs = windowMs / windowParts
  let buckets: Bucket[] = []
  let total = 0
  let marked = 0

  const expire = (nowMs: number): void => {
    let [first] = buckets
    while (first && first.lastMs + windowMs <= nowMs) {
      total -= first.units
      buckets.shift()
      marked = Math.max(0, marked - 1)
      first = buckets[0]
    }
  }

  const add = (nowMs: number, units: number): void => {
    total += units
    const last = buckets.at(-1)
    if (last && buckets.length > marked && nowMs - last.firstMs < partMs) {
      last.units += units
      last.lastMs = nowMs
    } else buckets.push({ firstMs: nowMs, lastMs: nowMs, units })
  }

  return {
    add(nowMs: number, units: number): void {
      expire(nowMs)
      add(nowMs, units)
    },
    /** Removes units that entered at `addedMs`. Returns false if they have left already. */
    remove(nowMs: number, addedMs: number, units: number): boolean {
      expire(nowMs)
      if (addedMs + windowMs <= nowMs) return false
      const bucket = buckets.find(({ lastMs }) => lastMs >= addedMs)
      if (!bucket) return false
      bucket.units -= units
      total -= units
      return true
    },
    used(nowMs: number): number {
      expire(nowMs)
      return Math.max(0, total)
    },
    /** Milliseconds until this number of units has left. `windowMs` if there are fewer. */
    freesInMs(nowMs: number, units: number): number {
      expire(nowMs)
      let freed = 0
      for (const bucket of buckets) {
        freed += bucket.units
        // Floating-point sums may exceed the window's length.
        if (freed >= units) return Math.min(windowMs, bucket.lastMs + windowMs - nowMs)
      }
      return windowMs
    },
    mark(): void {
      marked = buckets.length
    },
    /** Replaces the units from before the mark. Ages are relative to `atMs`. */
    replace(atMs: number, counts: readonly Count[]): void {
      const later = buckets.slice(marked)
      buckets = []
      total = later.reduce((sum, { units }) => sum + units, 0)
      marked = 0
      for (const [ageMs, units] of [...counts].sort((a, b) => b[0] - a[0])) {
        if (ageMs < windowMs) add(atMs - ageMs, units)
      }
      buckets.push(...later)
    },
  }
}

export type Admission = Readonly<{
  /** Names of the policies without room. Empty if the request is admitted. */
  violated: readonly string[]
  retryAfterSeconds: number
}>

/** `resetSeconds`: until the first unit is free again, or the window's length if none is used. */
export type Use = Readonly<{ policy: Policy; remaining: number; resetSeconds: number }>

/** Units for each policy. */
export type Costs<Name extends PolicyName> = Readonly<Record<Name, number>>

export const admitted: Admission = Object.freeze({ violated: Object.freeze([]), retryAfterSeconds: 0 })

/** 429 with `Retry-After`. */
export const toQuotaError = ({ violated, retryAfterSeconds }: Admission): ApiError =>
  new ApiError('quota_exceeded', {
    detail: `Quota exceeded: no units left of ${violated.join(' and ')}. Try again in ${retryAfterSeconds} s`,
    violatedPolicies: violated,
    headers: { 'retry-after': String(retryAfterSeconds) },
  })

/** Creates a window for each policy. All results are by the counts that this instance knows. */
export const createMeters = <Name extends PolicyName>(policies: readonly Policy<Name>[]) => {
  const meters = policies.map((policy) => ({
    policy,
    window: createWindow(policy.windowSeconds * 1000),
    /** Units that the store has not confirmed. */
    unsettled: 0,
    /** When the last exchange began. Units that entered later are among `unsettled`. */
    reportedMs: Number.NEGATIVE_INFINITY,
    /** Refunds of units that were reported, with the times when these units entered. */
    refunds: [] as { addedMs: number; units: number }[],
  }))
  const lacks = ({ policy, window }: (typeof meters)[number], costs: Costs<Name>, nowMs: number): number =>
    costs[policy.name] === 0 ? 0 : window.used(nowMs) + costs[policy.name] - policy.quota

  return {
    meters,
    fits: (costs: Costs<Name>, nowMs: number): boolean =>
      meters.every((meter) => lacks(meter, costs, nowMs) <= 0),
    toAdmission(costs: Costs<Name>, nowMs: number): Admission {
      const violated: string[] = []
      let waitMs = 0
      for (const meter of meters) {
        const lacking = lacks(meter, costs, nowMs)
        if (lacking <= 0) continue
        violated.push(meter.policy.name)
        waitMs = Math.max(waitMs, meter.window.freesInMs(nowMs, lacking))
      }
      return { violated, retryAfterSeconds: Math.ceil(waitMs / 1000) }
    },
    use: (nowMs: number): Use[] =>
      meters.map(({ policy, window }) => ({
        policy,
        remaining: Math.max(0, policy.quota - window.used(nowMs)),
        resetSeconds: Math.ceil(window.freesInMs(nowMs, 1) / 1000),
      })),
  }
}
