import { delay } from './abort.ts'
import { ProblemError } from './problem.ts'

export type RetryOptions = {
  /** Attempts after the first. */
  retries: number
  /** The first wait is up to this, each further up to twice the one before. */
  firstDelayMs: number
  /** No wait is longer. If Retry-After asks for more, the refusal is thrown instead. */
  maxDelayMs: number
}

export const defaultRetry: RetryOptions = { retries: 4, firstDelayMs: 200, maxDelayMs: 60_000 }

/** An attempt that failed. Without `status`, no whole answer came. */
export type Failure = {
  status?: number
  /** What the answer's Retry-After asks for. */
  retryAfterMs?: number | undefined
}

const transientStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])
const repeatableMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Whether the same request may succeed in a while: a quota, an ill service, or no answer at all. */
export const isTransient = ({ status }: Failure): boolean =>
  status === undefined || transientStatuses.has(status)

/** What an error says of an attempt; undefined: it comes from elsewhere. */
export const failureOf = (error: unknown): Failure | undefined => {
  if (error instanceof ProblemError) return { status: error.status, retryAfterMs: error.retryAfterMs }
  // What fetch throws where no whole answer came: TypeError, and TimeoutError by our own signal.
  const isNetwork =
    error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')
  return isNetwork ? {} : undefined
}

/** Returns the failure that waiting may cure. Throws any other error, or the reason of a signal that has aborted. */
export const requireTransient = (error: unknown, signal: AbortSignal | undefined): Failure => {
  signal?.throwIfAborted()
  const failure = failureOf(error)
  if (!failure || !isTransient(failure)) throw error
  return failure
}

/**
 * Returns the milliseconds to wait after `n` failed attempts. With Retry-After it is that time plus jitter. Otherwise
 * it is a random part of a bound that doubles, so that many clients do not come back at once.
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

/** Returns the milliseconds to wait after `n` failed attempts; undefined: give up. Only reads are repeated. */
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

/** Calls until it succeeds, fails for good, or the attempts are used up. Only for reads. */
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
      const failure = failureOf(error)
      const waitMs = failure && decideRetry('GET', n, failure, options)
      if (waitMs === undefined) throw error
      await delay(waitMs, signal)
    }
  }
}
