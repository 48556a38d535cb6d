import { ApiError } from '../errors.ts'
import type { Policy } from './policy.ts'
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

export const admitted: Admission = Object.freeze({ violated: Object.freeze([]), retryAfterSeconds: 0 })

/** 429 `quota_exceeded` with `Retry-After` and the violated policies. */
export const refuseQuota = ({ violated, retryAfterSeconds }: Admission): ApiError =>
  new ApiError('quota_exceeded', {
    detail: `Quota exceeded: no units left of ${violated.join(' and ')}. Try again in ${retryAfterSeconds} s`,
    violatedPolicies: violated,
    headers: { 'retry-after': String(retryAfterSeconds) },
  })

export type Meter = {
  policy: Policy
  window: Window
  /** Counted here and not yet confirmed by the store. */
  unsettled: number
}

/** One meter a policy. */
export const createMeters = (policies: readonly Policy[]): readonly Meter[] =>
  policies.map((policy) => ({ policy, window: createWindow(policy.windowSeconds * 1000), unsettled: 0 }))

const lacks = ({ policy, window }: Meter, cost: number, nowMs: number): number =>
  cost === 0 ? 0 : window.used(nowMs) + cost - policy.quota

/** Whether every policy has room for the costs, as far as this instance knows. */
export const fits = (meters: readonly Meter[], costs: Costs, nowMs: number): boolean =>
  meters.every((meter, index) => lacks(meter, costs[index] ?? 0, nowMs) <= 0)

/** Says which policies have no room for the costs, and when they will. */
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

/** Each policy and its present use. */
export const usesOf = (meters: readonly Meter[], nowMs: number): Use[] =>
  meters.map(({ policy, window }) => ({
    policy,
    remaining: Math.max(0, policy.quota - window.used(nowMs)),
    resetSeconds: Math.ceil(window.releaseInMs(nowMs) / 1000),
  }))
