/** Waits `ms` milliseconds. Rejects with the signal's reason if it aborts. */
export const delay = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })

/**
 * Returns the promise's outcome, or rejects with the signal's reason if that is first. The promise itself
 * continues.
 */
export const orAborted = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * Limits each step of unbounded work, such as a stream. A step that takes longer than `ms` aborts `signal`
 * with a TimeoutError. The time between steps does not count. `given` aborts `signal`, too.
 */
export const createStepLimit = (ms: number, given: AbortSignal | undefined) => {
  const late = new AbortController()
  return {
    signal: given ? AbortSignal.any([late.signal, given]) : late.signal,
    async step<T>(doing: Promise<T>): Promise<T> {
      const stop = () => late.abort(new DOMException(`Nothing came for ${ms} ms`, 'TimeoutError'))
      const timer = setTimeout(stop, ms)
      try {
        return await doing
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
