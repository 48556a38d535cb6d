import { dayMs } from '../../config/units.ts'
import type { LeasedWebhook, WebhookChanges } from './lease.ts'
import { type DeliveryResult, isDelivered } from './message.ts'

export const giveUpMs = 3 * dayMs
const firstDelayMs = 10_000
const longestDelayMs = 3_600_000
/** Spreads the attempts to receivers that failed together. */
const jitter = 0.1

export type Consequence = Readonly<
  { changes: WebhookChanges } & (
    | { kind: 'delivered' | 'retry' }
    | { kind: 'disable'; reason: 'gone' | 'failing' }
  )
>

/** The delay in milliseconds after `attempts` failures. It doubles each time, up to 1 h. `random`: 0 to 1. */
export const delayAfter = (attempts: number, random: number): number =>
  Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs) * (1 - jitter * random)

/** Milliseconds since 1970 to RFC 3339 in UTC. */
export const toInstant = (ms: number): string => new Date(ms).toISOString()

const noMessage = {
  message_id: null,
  message_at: null,
  message_resources: null,
  message_after: null,
  next_token: null,
  next_since: null,
  next_day: null,
  next_identity: null,
} as const

/** Decides after an attempt that ended at `atMs`. 410, or three days of failures, disable a webhook. */
export const decide = (
  hook: LeasedWebhook,
  result: DeliveryResult,
  atMs: number,
  random: number,
): Consequence => {
  const at = toInstant(atMs)
  if (isDelivered(result)) {
    const { next_token, next_since: since, next_day: day, next_identity: identity } = hook
    const position = { token: next_token ?? hook.token, since, day, identity }
    const health = { attempts: 0, failing_since: null, next_attempt_at: null, delivered_at: at }
    return { kind: 'delivered', changes: { ...noMessage, ...position, ...health } }
  }
  const failingSince = hook.failing_since ?? at
  const isGone = result.status === 410
  if (isGone || atMs - Date.parse(failingSince) >= giveUpMs) {
    const reason = isGone ? 'gone' : 'failing'
    return {
      kind: 'disable',
      reason,
      changes: { state: 'disabled', reason, changed_at: at, held_until: null },
    }
  }
  const attempts = hook.attempts + 1
  const { retryAfterMs = 0 } = result
  const delayMs = Math.max(delayAfter(attempts, random), Math.min(retryAfterMs, longestDelayMs))
  const next_attempt_at = toInstant(atMs + delayMs)
  return {
    kind: 'retry',
    changes: { attempts, failing_since: failingSince, next_attempt_at, held_until: null },
  }
}
