import { delay } from './abort.ts'
import { NetworkError } from './network-error.ts'
import { ProblemError } from './problem.ts'

export type RetryOptions = {
  /** Attempts after the first. */
  retries: number
  /** Limit of the first wait. Each further limit is at most twice the previous one. */
  firstDelayMs: number
  /** Limit of each wait. If Retry-After is longer, the refusal is thrown instead. */
  maxDelayMs: number
}

/** A request that failed and is sent again. */
export type RetryEvent = Readonly<{
  /** Path and query. */
  path: string
  /** The number of failed attempts in a row, from 1 on. */
  attempt: number
  /** Milliseconds until the next attempt. */
  waitMs: number
  /** `undefined` if a stream of changes ended without an error. */
  error: ProblemError | NetworkError | undefined
}>

/** The options of a client, with its hook. */
export type Retrying = RetryOptions & { onRetry?: ((event: RetryEvent) => void) | undefined }

export const defaultRetry: RetryOptions = { retries: 4, firstDelayMs: 200, maxDelayMs: 60_000 }

/** A failed attempt. Without `status`, no complete answer arrived. */
export type Failure = {
  status?: number
  /** The answer's Retry-After. */
  retryAfterMs?: number | undefined
}

const transientStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])
const repeatableMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Whether the same request may succeed later: after a quota error, a service error, or no answer. */
export const isTransient = ({ status }: Failure): boolean =>
  status === undefined || transientStatuses.has(status)

/** An error that is a failed attempt. */
type Failed = Failure & { error: ProblemError | NetworkError }

/** Converts an error to a failed attempt. `undefined` for an error with another cause. */
const findFailed = (error: unknown): Failed | undefined => {
  if (error instanceof NetworkError) return { error }
  if (!(error instanceof ProblemError)) return undefined
  return { error, status: error.status, retryAfterMs: error.retryAfterMs }
}

/** Returns the failure if waiting may cure it. Throws any other error, or the reason of an aborted signal. */
export const requireTransient = (error: unknown, signal: AbortSignal | undefined): Failed => {
  signal?.throwIfAborted()
  const failed = findFailed(error)
  if (!failed || !isTransient(failed)) throw error
  return failed
}

/**
 * Returns the milliseconds to wait after `n` failed attempts. With Retry-After it is that time plus jitter. Otherwise
 * it is a random part of a bound that doubles, so that many clients do not return together.
 */
export const waitBefore = (
  n: number,
  { retryAfterMs }: Failure,
  { firstDelayMs, maxDelayMs }: RetryOptions,
  random = Math.random(),
): number => {
  if (retryAfterMs !== undefined) return retryAfterMs + random * firstDelayMs
  return random * Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(n - 1, 30))
}

/** Returns the milliseconds to wait after `n` failed attempts. `undefined` to give up. Only reads are repeated. */
export const decideRetry = (
  method: string,
  n: number,
  failure: Failure,
  options: RetryOptions,
  random = Math.random(),
): number | undefined => {
  if (!repeatableMethods.has(method) || n > options.retries || !isTransient(failure)) return undefined
  if ((failure.retryAfterMs ?? 0) > options.maxDelayMs) return undefined
  return waitBefore(n, failure, options, random)
}

/** Reports a retry to the hook, and waits. */
export const waitForRetry = async (
  event: RetryEvent,
  { onRetry }: Retrying,
  signal: AbortSignal | undefined,
): Promise<void> => {
  onRetry?.(event)
  await delay(event.waitMs, signal)
}

/**
 * Calls until it succeeds, fails permanently, or has no attempts left. Only for requests that may be repeated. `path`: for
 * the hook.
 */
export const withRetry = async <T>(
  path: string,
  call: () => Promise<T>,
  options: Retrying,
  signal: AbortSignal | undefined,
): Promise<T> => {
  for (let n = 1; ; n++) {
    try {
      return await call()
    } catch (error) {
      signal?.throwIfAborted()
      const failed = findFailed(error)
      const waitMs = failed && decideRetry('GET', n, failed, options)
      if (failed === undefined || waitMs === undefined) throw error
      await waitForRetry({ path, attempt: n, waitMs, error: failed.error }, options, signal)
    }
  }
}
