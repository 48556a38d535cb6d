import { date, text as storedText } from '../../schemas/fields.ts'
import { dayMs } from '../config/units.ts'
import { findNearest } from './nearest.ts'

/** A value as canonical text, or the expected form. */
export type Parsed = { value: string } | { detail: string; suggestion?: string }

/** Returns a parser for one of `values`. `intro` begins the message. */
export const oneOf =
  (values: readonly string[], intro: string) =>
  (text: string): Parsed => {
    if (values.includes(text)) return { value: text }
    const suggestion = findNearest(text, values)
    return { detail: `${intro}${values.join(', ')}`, ...(suggestion ? { suggestion } : {}) }
  }

/** Texts that a program writes for a missing value or an object. */
const written: ReadonlySet<string> = new Set(['undefined', 'null', 'NaN', '[object Object]'])

const isJson = (text: string): boolean => {
  if (!/^\s*[[{].*[\]}]\s*$/s.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What Postman fills in for a type (`<string>`), and sends for a variable without a value (`{{brand}}`). */
const placeholder =
  /^(?:<(?:string|number|integer|long|float|double|boolean|date|dateTime|uuid)>|\{\{[^{}]*\}\})$/

/** Whether a text is a client's accident: a missing value, a placeholder, or an object or array of JSON. */
export const isAccident = (text: string): boolean =>
  written.has(text) || placeholder.test(text) || isJson(text)

/** Whether only `[eq]` and `[ne]` take the text: an accident, or empty text. */
export const isExplicitOnly = (text: string): boolean => text === '' || isAccident(text)

const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** Explains the accident. */
export const describeAccident = (text: string): string =>
  `got ${shorten(text)}, which a program writes for a missing value or an object: expected text`

const relativeDate = /^today(?:([+ -])(\d{1,5})d)?$/

/** Parses a date. One relative to today stays relative. */
export const parseDate = (text: string): Parsed => {
  const relative = relativeDate.exec(text)
  if (relative) {
    const days = Number(relative[2] ?? 0)
    return { value: days === 0 ? 'today' : `today${relative[1] === '-' ? '-' : '+'}${days}d` }
  }
  if (date.safeParse(text).success) return { value: text }
  return { detail: 'expected a date as YYYY-MM-DD, or today, today+90d, today-30d' }
}

/** Operators that compare with a bound. */
export const rangeOperators: readonly string[] = ['gt', 'gte', 'lt', 'lte']

/** A date, or an instant (RFC 3339, section 5.6). A `+` may arrive as a space. */
const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:Z|([+ -])([01]\d|2[0-3]):([0-5]\d)))?$/i

/** Returns the instant without its decimals, in milliseconds since 1970. `undefined` if it is invalid. */
const readSeconds = ([
  ,
  day = '',
  time = '00:00',
  second = '00',
  ,
  sign,
  hours = '00',
  minutes = '00',
]: RegExpExecArray) => {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined
  const isLeap = second === '60'
  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  const ms = Date.parse(`${day}T${time}:${isLeap ? '59' : second}Z`) - offsetMs + (isLeap ? 1000 : 0)
  // As in PostgreSQL, a leap second is the first second of the next month.
  return isLeap && new Date(ms).toISOString().slice(8, 19) !== '01T00:00:00' ? undefined : ms
}

const microsecondDigits = 6

/** `undefined` outside the years 1 to 9999. `decimals`: of the second. */
const formatInstant = (ms: number, decimals: string, operator: string): string | undefined => {
  const kept = decimals.slice(0, microsecondDigits).padEnd(microsecondDigits, '0')
  const rest = decimals.slice(microsecondDigits).replace(/0+$/, '')
  const isRoundedUp = rest !== '' && (operator === 'gte' || operator === 'lt')
  const micros = Number(kept) + (isRoundedUp ? 1 : 0)
  const utc = new Date(ms + (micros === 1_000_000 ? 1000 : 0))
  if (utc.getUTCFullYear() < 1 || utc.getUTCFullYear() > 9999) return undefined
  const shown = String(micros % 1_000_000).padStart(microsecondDigits, '0')
  return `${utc.toISOString().slice(0, 19)}.${shown}${rangeOperators.includes(operator) ? '' : rest}Z`
}

/**
 * Parses an instant to UTC with six decimals, as stored. With more decimals `gte` and `lt` take the next
 * stored instant, `gt` and `lte` the previous one. Other operators keep all decimals: no instant is equal.
 */
export const parseInstant = (text: string, operator = 'gte'): Parsed => {
  if (relativeDate.test(text)) return parseDate(text)
  const match = instantPattern.exec(text)
  const seconds = match ? readSeconds(match) : undefined
  const value = seconds === undefined ? undefined : formatInstant(seconds, match?.[4] ?? '', operator)
  if (value !== undefined) return { value }
  return { detail: 'expected an instant as 2026-01-31T12:00:00Z, a date, or today-30d' }
}

/** The start of the fault of an empty value. Postman sends every parameter that is switched on. */
export const expectedValue = 'expected a value: switch off or leave out a parameter that you do not need'

/** Parses a boolean. */
export const parseBoolean = (text: string): Parsed =>
  text === 'true' || text === 'false' ? { value: text } : { detail: 'expected true or false' }

/** Parses any storable text except `''`, for example a prefix, which a field's pattern need not match. */
export const parseNonEmptyText = (text: string): Parsed => {
  if (text === '') return { detail: expectedValue }
  if (isAccident(text)) return { detail: describeAccident(text) }
  return storedText.safeParse(text).success
    ? { value: text }
    : { detail: 'expected at most 2000 bytes, without U+0000' }
}

/** Returns a function that formats the day of a clock in UTC, YYYY-MM-DD. `now`: milliseconds since 1970. */
export const createToday = (now: () => number): (() => string) => {
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

/** Resolves `today…` to a day, YYYY-MM-DD. Returns other values unchanged. */
export const resolveDate = (value: string, today: string): string => {
  const [match, sign, days = '0'] = relativeDate.exec(value) ?? []
  if (match === undefined) return value
  const distanceMs = (sign === '-' ? -1 : 1) * Number(days) * dayMs
  return new Date(Date.parse(`${today}T00:00:00Z`) + distanceMs).toISOString().slice(0, 10)
}

const storedLength = '2026-01-31T12:00:00.000000Z'.length

/** Resolves `today…`, and a day to its first instant in UTC. */
export const resolveInstant = (value: string, today: string): string => {
  const resolved = resolveDate(value, today)
  // PostgreSQL would round more than six decimals. No record has `-infinity`.
  if (resolved.length > storedLength) return '-infinity'
  return resolved.length === 10 ? `${resolved}T00:00:00Z` : resolved
}
