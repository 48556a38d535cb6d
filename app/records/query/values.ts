import { date } from '../../../schemas/fields.ts'
import type { Field } from '../resources/define.ts'
import { findNearest } from './nearest.ts'

/** Either a value in canonical text, or what was expected instead. */
export type Parsed = { value: string } | { detail: string; suggestion?: string }

/** Days by which a relative date may differ from today: about 270 years, so every result has a date. */
const relativeDate = /^today(?:([+ -])(\d{1,5})d)?$/

/** A calendar date, or one relative to today, kept relative. */
export const parseDate = (text: string): Parsed => {
  const relative = relativeDate.exec(text)
  if (relative) {
    const days = Number(relative[2] ?? 0)
    return { value: days === 0 ? 'today' : `today${relative[1] === '-' ? '-' : '+'}${days}d` }
  }
  if (date.safeParse(text).success) return { value: text }
  return { detail: 'expected a date as YYYY-MM-DD, or today, today+90d, today-30d' }
}

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?(?:Z|([+ -])(\d{2}):(\d{2})))?$/

/** A day stands for its first instant in UTC; an offset is brought to UTC, microseconds are kept. */
export const parseInstant = (text: string): Parsed => {
  if (relativeDate.test(text)) return parseDate(text)
  const fault = {
    detail: 'expected an instant as 2026-01-31T12:00:00Z (at most six decimals), a date, or today-30d',
  }
  const match = instantPattern.exec(text)
  if (!match) return fault
  const [, day, hour = '00', minute = '00', second = '00', decimals = '', sign, offsetHour, offsetMinute] =
    match
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return fault
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return fault
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return fault
  const offsetMs =
    (sign === '-' ? -1 : 1) * (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000
  const utc = new Date(Date.parse(`${day}T${hour}:${minute}:${second}Z`) - offsetMs)
  if (utc.getUTCFullYear() < 1 || utc.getUTCFullYear() > 9999) return fault
  return { value: `${utc.toISOString().slice(0, 19)}.${decimals.padEnd(6, '0')}Z` }
}

const parseKnown = (values: readonly string[], text: string): Parsed => {
  if (values.includes(text)) return { value: text }
  const suggestion = findNearest(text, values)
  return { detail: `expected one of: ${values.join(', ')}`, ...(suggestion ? { suggestion } : {}) }
}

const parseText = (field: Field, text: string): Parsed => {
  const checked = field.element.safeParse(text)
  if (checked.success) return { value: text }
  const capitals = text.toUpperCase()
  const detail = checked.error.issues[0]?.message ?? 'expected another value'
  return field.element.safeParse(capitals).success ? { detail, suggestion: capitals } : { detail }
}

/**
 * One value of a filter on `field` in canonical text: known values, dates (also relative ones, kept
 * relative so that a cursor outlives midnight), instants in UTC, booleans, text as it is.
 */
export const parseValue = (field: Field, text: string): Parsed => {
  if (text === '') return { detail: 'expected a value; to find null, use [null]=true' }
  if (field.kind === 'boolean') return parseKnown(['true', 'false'], text)
  if (field.values) return parseKnown(field.values, text)
  if (field.kind === 'date') return parseDate(text)
  if (field.kind === 'instant') return parseInstant(text)
  return parseText(field, text)
}

/**
 * The beginning of a value. Of an open text any storable beginning will do, even where the whole must
 * have a form.
 */
export const parsePrefix = (text: string): Parsed =>
  text !== '' && text.isWellFormed() && !text.includes('\u0000') && Buffer.byteLength(text) <= 2000
    ? { value: text }
    : { detail: 'expected at least one character, at most 2000 bytes, without U+0000' }

const dayMs = 86_400_000

/** The day `days` after `day`, both YYYY-MM-DD. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)

/** A canonical date or instant with `today…` replaced by the day it means. */
export const resolveDate = (value: string, today: string): string => {
  const match = relativeDate.exec(value)
  if (!match) return value
  return addDays(today, (match[1] === '-' ? -1 : 1) * Number(match[2] ?? 0))
}

/** The same, and a day as its first instant (UTC): the database would take it in its own time zone. */
export const resolveInstant = (value: string, today: string): string => {
  const resolved = resolveDate(value, today)
  return resolved.length === 10 ? `${resolved}T00:00:00Z` : resolved
}
