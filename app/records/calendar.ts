const dayMs = 86_400_000

/** The UTC date (YYYY-MM-DD) of a clock in milliseconds since 1970; written anew only when the day changes. */
export const createCalendar = (now: () => number): (() => string) => {
  let day = Number.NaN
  let date = ''
  return () => {
    const current = Math.floor(now() / dayMs)
    if (current !== day) {
      day = current
      date = new Date(current * dayMs).toISOString().slice(0, 10)
    }
    return date
  }
}
