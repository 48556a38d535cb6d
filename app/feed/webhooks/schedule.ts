import { type DeliveryResult, isDelivered } from './message.ts'

/** From the first failure until the service gives up. */
export const giveUpMs = 3 * 86_400_000
const firstDelayMs = 10_000
const longestDelayMs = 3_600_000
/** Random part of a delay, so that receivers that failed together are not retried together. */
const jitter = 0.1

/** The state of a webhook that determines the next step. Instants are RFC 3339. */
type Attempted = Readonly<{ attempts: number; failing_since: string | null }>

export type Consequence =
  | { kind: 'delivered' }
  | { kind: 'retry'; attempts: number; failingSince: string; nextAttemptAt: string }
  | { kind: 'disable'; reason: 'gone' | 'failing' }

/** Delay in milliseconds after `attempts` failures: doubles each time, up to 1 h. `random`: 0 to 1. */
export const delayAfter = (attempts: number, random: number): number =>
  Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs) * (1 - jitter * random)

/** Converts milliseconds since 1970 to RFC 3339 in UTC. */
export const toInstant = (ms: number): string => new Date(ms).toISOString()

/** Like `delayAfter`, but at least the receiver's Retry-After, up to an hour. */
const delayFor = (attempts: number, { retryAfterMs = 0 }: DeliveryResult, random: number): number =>
  Math.max(delayAfter(attempts, random), Math.min(retryAfterMs, longestDelayMs))

/**
 * Decides the next step after an attempt that ended at `atMs`. A webhook is disabled if the receiver responds
 * with 410, or after three days of failures. `random`: 0 to 1.
 */
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
