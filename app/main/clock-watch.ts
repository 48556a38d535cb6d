export type ClockWatchOptions = {
  /** Milliseconds since 1970, by this machine. */
  wallNow: () => number
  /** Milliseconds from any start, never going back. */
  monotonicNow: () => number
  /** Told of each step, and by how much; negative: backwards. */
  onStep: (seconds: number) => void
  /** From one look to the next. */
  everyMs?: number
}

export type ClockWatch = {
  /** Looks now. */
  check(): void
  stop(): void
}

const defaultEveryMs = 1_000
/** A clock that is slewed moves half a millisecond a second; a busy moment between two readings is shorter, too. */
const toleranceMs = 2_000

/**
 * Notices that the machine's clock was set, or that the machine stood still. Nothing here needs to be told: ages
 * are measured by the monotonic clock, days and tokens go by the database's. Whoever reads the log does, because
 * its times jump.
 */
export const watchClock = (options: ClockWatchOptions): ClockWatch => {
  const { wallNow, monotonicNow, onStep, everyMs = defaultEveryMs } = options
  const difference = () => wallNow() - monotonicNow()
  let known = difference()
  const check = () => {
    const now = difference()
    if (Math.abs(now - known) >= toleranceMs) onStep(Math.round((now - known) / 1000))
    known = now
  }
  const timer = setInterval(check, everyMs).unref()
  return { check, stop: () => clearInterval(timer) }
}
