/** `reason` identifies the cause. There must be few different reasons. */
type ThrottledWarning = (reason: string, message: string) => void

type Log = { warn(details: object, message: string): void }

const pauseMs = 60_000

/**
 * Returns a function that writes at most one warning a minute for each reason. The next warning contains the
 * number of omitted ones. The caller must bound the number of different reasons. `now`: milliseconds from an
 * arbitrary start, monotonic.
 */
export const throttleWarnings = (log: Log, now = () => performance.now()): ThrottledWarning => {
  const written = new Map<string, { atMs: number; omitted: number }>()
  return (reason, message) => {
    const last = written.get(reason)
    if (last && now() - last.atMs < pauseMs) {
      last.omitted += 1
      return
    }
    written.set(reason, { atMs: now(), omitted: 0 })
    log.warn({ reason, ...(last?.omitted ? { omitted: last.omitted } : {}) }, message)
  }
}
