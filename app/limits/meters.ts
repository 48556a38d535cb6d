import { ApiError } from '../errors.ts'
import type { Policy } from './store.ts'
import { createWindow, type Window } from './window.ts'

export type Admission = Readonly<{
  /** Names of the policies without room. Empty if the request is admitted. */
  violated: readonly string[]
  retryAfterSeconds: number
}>

export type Use = Readonly<{
  policy: Policy
  remaining: number
  resetSeconds: number
}>

export type Costs = readonly number[]

export const admitted: Admission = Object.freeze({ violated: Object.freeze([]), retryAfterSeconds: 0 })

/** 429 with `Retry-After`. */
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

/** One per policy, in their order. */
export const createMeters = (policies: readonly Policy[]): readonly Meter[] =>
  policies.map((policy) => ({ policy, window: createWindow(policy.windowSeconds * 1000), unsettled: 0 }))

const lacks = ({ policy, window }: Meter, cost: number, nowMs: number): number =>
  cost === 0 ? 0 : window.used(nowMs) + cost - policy.quota

/** By the counts that this instance knows. */
export const fits = (meters: readonly Meter[], costs: Costs, nowMs: number): boolean =>
  meters.every((meter, index) => lacks(meter, costs[index] ?? 0, nowMs) <= 0)

/** Counts nothing. */
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

/** In the order of the policies. */
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
  // On every response, so without map and join.
  let text = ''
  for (const { policy, remaining, resetSeconds } of use) {
    text += `${text === '' ? '"' : ', "'}${policy.name}";r=${remaining};t=${resetSeconds}`
  }
  return text
}
