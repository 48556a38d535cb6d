/** When requests are due, independent of earlier ones. Times are in milliseconds of any clock. */
export type Schedule = {
  /** Requests in all. */
  total: number
  dueAt(n: number): number
  /** How many were due by then. */
  countBy(now: number): number
}

/** A constant rate from `startMs` on: the first at once, the last less than `seconds` later. */
export const createSchedule = (startMs: number, perSecond: number, seconds: number): Schedule => {
  const total = Math.max(1, Math.floor(perSecond * seconds))
  const everyMs = 1000 / perSecond
  return {
    total,
    dueAt: (n) => startMs + n * everyMs,
    countBy: (now) => (now < startMs ? 0 : Math.min(total, Math.floor((now - startMs) / everyMs + 1e-9) + 1)),
  }
}
