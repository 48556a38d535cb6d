import { type DeliveryResult, isDelivered } from './message.ts'

export const giveUpMs = 3 * 86_400_000
const firstDelayMs = 10_000
const longestDelayMs = 3_600_000
/** Spreads the attempts to receivers that failed together. */
const jitter = 0.1

type Attempted = Readonly<{ attempts: number; failing_since: string | null }>

export type Consequence =
  | { kind: 'delivered' }
  | { kind: 'retry'; attempts: number; failingSince: string; nextAttemptAt: string }
  | { kind: 'disable'; reason: 'gone' | 'failing' }

/** The delay in milliseconds after `attempts` failures. It doubles each time, up to 1 h. `random`: 0 to 1. */
export const delayAfter = (attempts: number, random: number): number =>
  Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs) * (1 - jitter * random)

/** Milliseconds since 1970 to RFC 3339 in UTC. */
export const toInstant = (ms: number): string => new Date(ms).toISOString()

/** Like `delayAfter`, but at least the receiver's Retry-After, up to an hour. */
const delayFor = (attempts: number, { retryAfterMs = 0 }: DeliveryResult, random: number): number =>
  Math.max(delayAfter(attempts, random), Math.min(retryAfterMs, longestDelayMs))

/** Decides after an attempt that ended at `atMs`. 410, or three days of failures, disable a webhook. */
export const decide = (
  { attempts, failing_since }: Attempted,
  result: DeliveryResult,
  atMs: number,
  random: number,
): Consequence => {
  if (isDelivered(result)) return { kind: 'delivered' }
  if (result.status === 410) return { kind: 'disable', reason: 'gone' }
  const failingSince = failing_since ?? toInstant(atMs)
  if (atMs - Date.parse(failingSince) >= giveUpMs) return { kind: 'disable', reason: 'failing' }
  const next = attempts + 1
  return {
    kind: 'retry',
    attempts: next,
    failingSince,
    nextAttemptAt: toInstant(atMs + delayFor(next, result, random)),
  }
}
