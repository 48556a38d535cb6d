/** How late the event loop is. */
export type Lag = {
  /** 0: in time; one more for each look in a row that found it late, one less for each that did not. */
  level(): number
  /** How often it was looked at: whoever sees the same number twice saw no turn in between. */
  looks(): number
  stop(): void
}

export type LagOptions = {
  /** Later than this is late. */
  lateMs: number
  /** Milliseconds that never go back. */
  now: () => number
}

const everyMs = 20
const highestLevel = 4

/**
 * Looks at the event loop fifty times a second. A request waits for the loop before anybody can see it: a loop
 * that is late each time has more to do than it can, whatever it is.
 */
export const watchLag = ({ lateMs, now }: LagOptions): Lag => {
  let level = 0
  let looks = 0
  let dueAt = now() + everyMs
  const timer = setInterval(() => {
    const isLate = now() - dueAt > lateMs
    level = isLate ? Math.min(level + 1, highestLevel) : Math.max(level - 1, 0)
    looks += 1
    dueAt = now() + everyMs
  }, everyMs).unref()
  return { level: () => level, looks: () => looks, stop: () => clearInterval(timer) }
}
