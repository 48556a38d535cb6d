/** When requests are due, independent of earlier ones. Times are in milliseconds of any clock. */
export type Schedule = {
  total: number
  dueAt(n: number): number
  /** Number of requests due by `now`. */
  countBy(now: number): number
}

/** A constant rate: the first request is due at `startMs`, the last less than `seconds` later. */
export const createSchedule = (startMs: number, perSecond: number, seconds: number): Schedule => {
  const total = Math.max(1, Math.floor(perSecond * seconds))
  const everyMs = 1000 / perSecond
  return {
    total,
    dueAt: (n) => startMs + n * everyMs,
    countBy: (now) => (now < startMs ? 0 : Math.min(total, Math.floor((now - startMs) / everyMs + 1e-9) + 1)),
  }
}
