/**
 * Calls `call` after `ms` milliseconds, without keeping the process alive. Returns a function that cancels it.
 * Node runs timers before sockets, so this reads arrived input first: it might be the response waited for.
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

/** Rejects after `ms` milliseconds, counted as in `after`, unless `work` settles first. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const stop = after(ms, () => reject(new Error(`no answer in ${ms} ms`)))
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
  }
}
