import type { History } from './history.ts'
import { addBuckets, emptyMinute, getLevel, type Minute, minutesPerDay } from './minutes.ts'

export type Sums = Omit<Minute, 'minute' | 'slots'>

/** A period from minute `from` (since 1970) until before `until`. `levels`: availability, if reported. */
export type Stretch = Readonly<{
  from: number
  until: number
  sums: Sums
  levels: readonly (number | undefined)[]
}>

const addSums = (sum: Sums, other: Sums): void => {
  sum.requests += other.requests
  sum.failed += other.failed
  sum.timed += other.timed
  sum.durationMs += other.durationMs
  sum.hits += other.hits
  if (other.ageMs !== null) sum.ageMs = Math.max(sum.ageMs ?? 0, other.ageMs)
  addBuckets(sum.buckets, other.buckets)
}

const mergeOwn = (minutes: History['minutes'], own: readonly Minute[]): Map<number, Minute> =>
  new Map(
    own.map((each) => {
      const known = minutes.get(each.minute)
      const sum = { ...emptyMinute(each.minute), slots: each.slots | (known?.slots ?? 0) }
      if (known) addSums(sum, known)
      addSums(sum, each)
      return [each.minute, sum]
    }),
  )

/**
 * Reads periods of the history. Sums use whole days, and for parts of a day only minutes in memory. `since`:
 * the first whole minute that was measured. `own`: minutes of this instance that are not in the database yet.
 */
export const createStretchReader = ({ minutes, days }: History, own: readonly Minute[], since: number) => {
  const merged = mergeOwn(minutes, own)
  const findMinute = (minute: number) => merged.get(minute) ?? minutes.get(minute)

  const levelAt = (minute: number): number | undefined => {
    const known = findMinute(minute)
    if (known) return getLevel(known)
    return days.get(Math.floor(minute / minutesPerDay))?.levels[minute % minutesPerDay]
  }

  const addDay = (sums: Sums, day: number, from: number, until: number): void => {
    const start = day * minutesPerDay
    const whole = days.get(day)
    // The sums of the first day include the minute before `since`. While that minute is in memory, so are all
    // later ones, and the day is summed without it.
    const isWhole = from <= start || (from <= since && !minutes.has(since - 1))
    if (whole && until === start + minutesPerDay && isWhole) {
      addSums(sums, whole)
      for (const each of own) if (Math.floor(each.minute / minutesPerDay) === day) addSums(sums, each)
      return
    }
    for (let minute = from; minute < until; minute++) {
      const known = findMinute(minute)
      if (known) addSums(sums, known)
    }
  }

  return {
    levelAt,
    read(from: number, until: number): Stretch {
      const sums: Sums = emptyMinute(0)
      for (let at = from; at < until; ) {
        const day = Math.floor(at / minutesPerDay)
        const end = Math.min(until, (day + 1) * minutesPerDay)
        addDay(sums, day, at, end)
        at = end
      }
      const levels = Array.from({ length: Math.max(0, until - from) }, (_, i) => levelAt(from + i))
      return { from, until, sums, levels }
    },
  }
}
