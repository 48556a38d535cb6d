import { type DeliveryResult, isDelivered } from './message.ts'

/** From the first failure to the end of the attempts. */
export const giveUpMs = 3 * 86_400_000
const firstDelayMs = 10_000
const longestDelayMs = 3_600_000
/** Part of a delay that is left to chance, so that receivers that failed together are not asked together. */
const jitter = 0.1

/** What counts of a webhook for what follows an attempt. Instants are RFC 3339. */
type Attempted = Readonly<{ attempts: number; failing_since: string | null }>

/** What follows an attempt. */
export type Consequence =
  | { kind: 'delivered' }
  | { kind: 'retry'; attempts: number; failingSince: string; nextAttemptAt: string }
  | { kind: 'disable'; reason: 'gone' | 'failing' }

/** Milliseconds to wait after so many failed attempts: twice as long each time, an hour at most. */
export const delayAfter = (attempts: number, random: number): number =>
  Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs) * (1 - jitter * random)

/** RFC 3339 in UTC, of milliseconds since 1970. */
export const toInstant = (ms: number): string => new Date(ms).toISOString()

/** The same for a receiver that asks to be left alone: for that long at least, and an hour at most. */
const delayFor = (attempts: number, { retryAfterMs = 0 }: DeliveryResult, random: number): number =>
  Math.max(delayAfter(attempts, random), Math.min(retryAfterMs, longestDelayMs))

/**
 * Decides what follows an attempt that ended at `atMs`. A receiver that says 410 wants no more. One that has failed for
 * three days is given up. `random`: 0 to 1.
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
