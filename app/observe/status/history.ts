import type { Db } from '../../db/schema.ts'
import { type Minute, minutesPerDay } from './minutes.ts'
import { findFirstServiceMinute, listServiceDays, listServiceMinutes, type ServiceDay } from './store.ts'

/** Days that the page shows, today among them. */
export const shownDays = 90
/** Minutes kept one by one: a day, and what a quarter of an hour and a late report may add. */
const shownMinutes = minutesPerDay + 60
/** Reports of others may come late by a bit; those of an instance that had lost the database, by more. */
const lateMinutes = 10
const veryLateMinutes = minutesPerDay
/** Days that one statement reads: well within its time, however many instances reported. */
const daysAtOnce = 5

/** All instances' reports, as this instance last read them. */
export type History = Readonly<{
  /** The first minute there is a report of; undefined: none yet. */
  first: number | undefined
  /** Minutes of the last day and a little more. */
  minutes: ReadonlyMap<number, Minute>
  /** Days that are over. */
  days: ReadonlyMap<number, ServiceDay>
}>

type HistoryReader = {
  current(): History
  /** Reads what may be new; rejects with the driver's errors and keeps what it had. */
  refresh(): Promise<void>
  /** Counts what this instance has just written, until it is read. */
  note(minutes: readonly Minute[]): void
}

/**
 * Keeps the history in memory, so that a visitor costs the database nothing. It reads minutes of the last day again
 * a few at a time. Past days change only by late reports, so it reads them again once an hour. `nowMs`:
 * milliseconds since 1970.
 */
export const createHistoryReader = (db: Db, nowMs: () => number): HistoryReader => {
  let first: number | undefined
  let readUntil = 0
  let readAllAt = Number.NEGATIVE_INFINITY
  let daysUntil = 0
  const minutes = new Map<number, Minute>()
  const days = new Map<number, ServiceDay>()

  const forget = (now: number, today: number) => {
    for (const minute of minutes.keys()) if (minute < now - shownMinutes) minutes.delete(minute)
    for (const day of days.keys()) if (day <= today - shownDays) days.delete(day)
  }

  const readDays = async (since: number, today: number) => {
    for (let day = since; day < today; day += daysAtOnce) {
      const until = Math.min(today, day + daysAtOnce)
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
    first = await findFirstServiceMinute(db)
    for (const each of found) minutes.set(each.minute, each)
    readUntil = now
    await readDays(Math.max(today - shownDays + 1, daysUntil - (isHourly ? 2 : 0)), today)
    if (isHourly) readAllAt = now
    forget(now, today)
  }

  return {
    current: () => ({ first, minutes, days }),
    refresh,
    note(written) {
      for (const each of written) {
        if (!minutes.has(each.minute)) minutes.set(each.minute, each)
        first ??= each.minute
      }
    },
  }
}
