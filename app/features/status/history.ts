import type { Db } from '../../db/schema.ts'
import { type Minute, minutesPerDay } from './minutes.ts'
import {
  findFirstServiceMinute,
  listServiceDays,
  listServiceMinutes,
  listServiceNotes,
  type ServiceDay,
  type ServiceNote,
} from './store.ts'

export const shownDays = 90
/** Recent minutes are kept one by one: a day, a quarter of an hour, and a margin for late reports. */
const shownMinutes = minutesPerDay + 60
/** Another instance's report may be minutes late, or a day if that instance could not reach the database. */
const lateMinutes = 10
const veryLateMinutes = minutesPerDay
const daysPerRead = 5

export type History = Readonly<{
  first: number | undefined
  minutes: ReadonlyMap<number, Minute>
  days: ReadonlyMap<number, ServiceDay>
  notes: readonly ServiceNote[]
}>

type HistoryReader = {
  current(): History
  refresh(): Promise<void>
  /** Adds minutes that this instance has just written, if missing. The next refresh replaces them. */
  note(minutes: readonly Minute[]): void
}

/**
 * Keeps the history in memory. A refresh reads the last minutes again, and once an hour a whole day of them
 * and the last two days, because reports may be late. `nowMs`: milliseconds since 1970.
 */
export const createHistoryReader = (db: Db, nowMs: () => number): HistoryReader => {
  let first: number | undefined
  let readUntil = 0
  let readAllAt = Number.NEGATIVE_INFINITY
  let daysUntil = 0
  let notes: readonly ServiceNote[] = []
  const minutes = new Map<number, Minute>()
  const days = new Map<number, ServiceDay>()

  const forget = (now: number, today: number) => {
    for (const minute of minutes.keys()) if (minute < now - shownMinutes) minutes.delete(minute)
    for (const day of days.keys()) if (day <= today - shownDays) days.delete(day)
  }

  const readDays = async (since: number, today: number) => {
    for (let day = since; day < today; day += daysPerRead) {
      const until = Math.min(today, day + daysPerRead)
      for (const each of await listServiceDays(db, day, until)) days.set(each.day, each)
      daysUntil = Math.max(daysUntil, until)
    }
  }

  const refresh = async () => {
    const now = Math.floor(nowMs() / 60_000)
    const today = Math.floor(now / minutesPerDay)
    const isHourly = now - readAllAt >= 60
    const reach = isHourly ? veryLateMinutes : lateMinutes
    const since = Math.max(now - shownMinutes, readUntil - reach)
    const found = await listServiceMinutes(db, since, now + 1)
    notes = await listServiceNotes(db, now - shownDays * minutesPerDay)
    first = await findFirstServiceMinute(db)
    for (const each of found) minutes.set(each.minute, each)
    readUntil = now
    await readDays(Math.max(today - shownDays + 1, daysUntil - (isHourly ? 2 : 0)), today)
    if (isHourly) readAllAt = now
    forget(now, today)
  }

  return {
    current: () => ({ first, minutes, days, notes }),
    refresh,
    note(written) {
      for (const each of written) {
        if (!minutes.has(each.minute)) minutes.set(each.minute, each)
        first ??= each.minute
      }
    },
  }
}
