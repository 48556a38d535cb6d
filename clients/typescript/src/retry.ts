import { delay } from './abort.ts'
import { ProblemError } from './problem.ts'

export type RetryOptions = {
  /** Attempts after the first. */
  retries: number
  /** The first wait is up to this, each further up to twice the one before. */
  firstDelayMs: number
  /** No wait is longer; where Retry-After asks for more, the refusal is thrown instead. */
  maxDelayMs: number
}

export const defaultRetry: RetryOptions = { retries: 4, firstDelayMs: 200, maxDelayMs: 60_000 }

/** Whether the same request may succeed in a while: a quota, an ill service, or no answer at all. */
export const isTransient = (error: unknown): boolean => {
  if (error instanceof ProblemError) return [408, 429, 502, 503, 504].includes(error.status)
  // What fetch throws where no whole answer came: TypeError, and TimeoutError by our own signal.
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')
}

/**
 * Returns the milliseconds to wait before attempt `n` (1 = the first retry). With Retry-After it is that time plus
 * jitter. Otherwise it is a random part of a bound that doubles, so that many clients do not come back at once.
 */
export const waitBefore = (n: number, error: unknown, options: RetryOptions): number => {
  const bound = Math.min(options.maxDelayMs, options.firstDelayMs * 2 ** Math.min(n - 1, 30))
  const asked = error instanceof ProblemError ? error.retryAfterMs : undefined
  return asked === undefined ? Math.random() * bound : asked + Math.random() * options.firstDelayMs
}

/** Calls until it succeeds, fails for good, or the attempts are used up. Only for what may be repeated. */
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
      if (n > options.retries || !isTransient(error)) throw error
      const waitMs = waitBefore(n, error, options)
      if (waitMs > options.maxDelayMs + options.firstDelayMs) throw error
      await delay(waitMs, signal)
    }
  }
}
