type ThrottledWarning = (reason: string, message: string) => void

type Log = { warn(details: object, message: string): void }

const pauseMs = 60_000

/** Returns a function that logs at most one warning a minute for each reason. Every reason stays in memory. */
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
