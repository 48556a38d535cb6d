import { ApiError } from '../errors.ts'
import type { Policy } from './store.ts'
import { createWindow, type Window } from './window.ts'

export type Admission = Readonly<{
  /** Policies without room for the request. Empty if it is admitted and counted. */
  violated: readonly string[]
  /** Until all policies have room. 0 if admitted. */
  retryAfterSeconds: number
}>

export type Use = Readonly<{
  policy: Policy
  remaining: number
  /** Until more units are available: 1 to the window's length. */
  resetSeconds: number
}>

export type Costs = readonly number[]

export const admitted: Admission = Object.freeze({ violated: Object.freeze([]), retryAfterSeconds: 0 })

/** Returns 429 `quota_exceeded`. */
export const refuseQuota = ({ violated, retryAfterSeconds }: Admission): ApiError =>
  new ApiError('quota_exceeded', {
    detail: `Quota exceeded: no units left of ${violated.join(' and ')}. Try again in ${retryAfterSeconds} s`,
    violatedPolicies: violated,
    headers: { 'retry-after': String(retryAfterSeconds) },
  })

export type Meter = {
  policy: Policy
  window: Window
  /** Units that the store has not confirmed. Negative units are refunds. */
  unsettled: number
}

/** Creates one meter per policy. */
export const createMeters = (policies: readonly Policy[]): readonly Meter[] =>
  policies.map((policy) => ({ policy, window: createWindow(policy.windowSeconds * 1000), unsettled: 0 }))

const lacks = ({ policy, window }: Meter, cost: number, nowMs: number): number =>
  cost === 0 ? 0 : window.used(nowMs) + cost - policy.quota

/** Whether every policy has room, as far as this instance knows. */
export const fits = (meters: readonly Meter[], costs: Costs, nowMs: number): boolean =>
  meters.every((meter, index) => lacks(meter, costs[index] ?? 0, nowMs) <= 0)

/** Returns the policies without room, and the time until all have room. */
export const refuse = (meters: readonly Meter[], costs: Costs, nowMs: number): Admission => {
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

/** Returns the current use of each policy. */
export const listUses = (meters: readonly Meter[], nowMs: number): Use[] =>
  meters.map(({ policy, window }) => ({
    policy,
    remaining: Math.max(0, policy.quota - window.used(nowMs)),
    resetSeconds: Math.ceil(window.releaseInMs(nowMs) / 1000),
  }))

// draft-ietf-httpapi-ratelimit-headers-10: lists of strings with parameters (RFC 9651). Names need no escapes.

const policyHeaders = new WeakMap<readonly Policy[], string>()

/** Formats `RateLimit-Policy`: `"burst";q=100;w=1, "minute";q=600;w=60`. */
export const formatPolicies = (policies: readonly Policy[]): string => {
  let header = policyHeaders.get(policies)
  if (header === undefined) {
    header = policies
      .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', ')
    policyHeaders.set(policies, header)
  }
  return header
}

/** Formats `RateLimit`: `"burst";r=97;t=1, "minute";r=412;t=23`. */
export const formatUse = (use: readonly Use[]): string => {
  // Every response has this field, so map and join would cost too much.
  let text = ''
  for (const { policy, remaining, resetSeconds } of use) {
    text += `${text === '' ? '"' : ', "'}${policy.name}";r=${remaining};t=${resetSeconds}`
  }
  return text
}
