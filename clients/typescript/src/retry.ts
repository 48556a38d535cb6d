import { delay } from './abort.ts'
import { ProblemError } from './problem.ts'

export type RetryOptions = {
  /** Attempts after the first. */
  retries: number
  /** Limit of the first wait. Each further limit is at most twice the previous one. */
  firstDelayMs: number
  /** Limit of each wait. If Retry-After is longer, the refusal is thrown instead. */
  maxDelayMs: number
}

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

/** Converts an error to a failed attempt. `undefined` for an error with another cause. */
export const getFailure = (error: unknown): Failure | undefined => {
  if (error instanceof ProblemError) return { status: error.status, retryAfterMs: error.retryAfterMs }
  // Without a complete answer, fetch throws a TypeError, or the TimeoutError of our signal.
  const isNetwork =
    error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')
  return isNetwork ? {} : undefined
}

/** Returns the failure if waiting may cure it. Throws any other error, or the reason of an aborted signal. */
export const requireTransient = (error: unknown, signal: AbortSignal | undefined): Failure => {
  signal?.throwIfAborted()
  const failure = getFailure(error)
  if (!failure || !isTransient(failure)) throw error
  return failure
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

/** Calls until it succeeds, fails permanently, or has no attempts left. Only for requests that may be repeated. */
export const withRetry = async <T>(
  call: () => Promise<T>,
  options: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> => {
  for (let n = 1; ; n++) {
    try {
      return await call()
    } catch (error) {
      signal?.throwIfAborted()
      const failure = getFailure(error)
      const waitMs = failure && decideRetry('GET', n, failure, options)
      if (waitMs === undefined) throw error
      await delay(waitMs, signal)
    }
  }
}
