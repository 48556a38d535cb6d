const dayMs = 86_400_000

const isBusinessDay = (day: number, holidays: ReadonlySet<string>): boolean => {
  const date = new Date(day * dayMs)
  const weekday = date.getUTCDay()
  return weekday !== 0 && weekday !== 6 && !holidays.has(date.toISOString().slice(0, 10))
}

/** Adds 24 hours without weekends and `holidays` (YYYY-MM-DD, UTC): Friday 15:00 is due on Monday 15:00. */
export const dueAfterBusinessDay = (receivedMs: number, holidays: ReadonlySet<string>): number => {
  let leftMs = dayMs
  for (let day = Math.floor(receivedMs / dayMs); ; day++) {
    if (!isBusinessDay(day, holidays)) continue
    const fromMs = Math.max(receivedMs, day * dayMs)
    const untilMs = (day + 1) * dayMs
    if (fromMs + leftMs <= untilMs) return fromMs + leftMs
    leftMs -= untilMs - fromMs
  }
}
