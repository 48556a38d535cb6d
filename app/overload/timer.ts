/**
 * Calls once after so many milliseconds; what it returns calls it off. Not before what had arrived by then
 * was read: after a busy moment Node runs timers first and sockets second, and an answer that lay ready would
 * count as late. Keeps no process alive.
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

/** What the work yields. Rejects as the work does, or after so many milliseconds, counted as in `after`. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const stop = after(ms, () => reject(new Error(`no answer in ${ms} ms`)))
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
  }
}
