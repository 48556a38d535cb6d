/**
 * Calls `call` once, `ms` milliseconds later. Returns a function that cancels it. Input that arrived by then
 * is read first: after a busy moment Node runs timers before sockets, so a response that is ready would count
 * as late. Does not keep the process alive.
 */
export const after = (ms: number, call: () => void): (() => void) => {
  let immediate: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    immediate = setImmediate(call)
  }, ms).unref()
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

/** Resolves as `work` does. Rejects as `work` does, or after `ms` milliseconds, counted as in `after`. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const stop = after(ms, () => reject(new Error(`no answer in ${ms} ms`)))
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
  }
}
