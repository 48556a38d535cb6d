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

/**
 * Rejects with a `TimeoutError` after `ms` milliseconds, unless `work` settles first. Counts from the end of the turn,
 * when gathered commands are sent. `timer` defaults to `after`.
 */
export const within = <T>(ms: number, work: Promise<T>, timer = after): Promise<T> =>
  new Promise((resolve, reject) => {
    let stop = () => {}
    const sent = setImmediate(() => {
      stop = timer(ms, () => {
        const late = new Error(`no answer in ${ms} ms`)
        late.name = 'TimeoutError'
        reject(late)
      })
    })
    work.then(resolve, reject).finally(() => {
      clearImmediate(sent)
      stop()
    })
  })

/** Whether `within` rejected because of its time limit. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'
