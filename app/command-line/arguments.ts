import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { date, text } from '../../schemas/fields.ts'
import { dayMs } from '../config/units.ts'
import { customerName, customerSlug } from '../identity/customers.ts'
import { maxNetworks, parseNetwork } from '../identity/networks.ts'

/** Creates a parser that throws commander's error with all faults of a value. */
export const parseBy =
  <T>(schema: z.ZodType<T>) =>
  (value: string): T => {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw new InvalidArgumentError(parsed.error.issues.map((issue) => issue.message).join('; '))
  }

/** Parses a slug. Like all parsers here, throws commander's error. */
export const parseSlug = parseBy(customerSlug)

export const parseName = parseBy(customerName)

const keyName = text
  .max(100, 'expected at most 100 characters')
  .regex(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, 'expected a name in one line')

/** Parses the name of a key. */
export const parseKeyName = parseBy(keyName)

const parseNumber =
  (what: string, most: number) =>
  (value: string): number => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (number >= 1 && number <= most) return number
    throw new InvalidArgumentError(`expected ${what} from 1 to ${most}`)
  }

/** Parses for how many days before its end a certificate counts as expiring. */
export const parseDays = parseNumber('a number of days', 365)

/** Parses the line of a table's header. */
export const parseHeaderLine = parseNumber('a line', 1000)

/** Parses a retention time, in days. */
export const parseRetention = parseNumber('a number of days', 3650)

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const
const longestDurationDays = 366

/** Parses a duration such as `30m`, `12h` or `7d`, at most 366 days. Returns seconds. */
export const parseDuration = (value: string): number => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? []
  const seconds = Number(count) * unitSeconds[unit as keyof typeof unitSeconds]
  if (seconds <= longestDurationDays * unitSeconds.d) return seconds
  throw new InvalidArgumentError('expected a duration such as 30m, 12h or 7d, at most 366d')
}

const instant = z.iso.datetime({
  offset: true,
  error: 'expected a day such as 2026-12-01, or an instant with its time zone such as 2026-12-01T22:00:00Z',
})

/** Parses a number of rows to show, 1–100,000. */
export const parseCount = parseNumber('a number', 100_000)

/** PostgreSQL accepts neither the year 0 nor JavaScript's form of years beyond 9999, such as +010000. */
const formatInstant = (moment: Date): string => {
  const text = moment.toISOString()
  if (/^(?!0000)\d{4}-/.test(text)) return text
  throw new InvalidArgumentError('expected a year from 1 to 9999 in UTC')
}

/** Parses a date (UTC) or an instant with time zone. Returns RFC 3339 in UTC. */
export const parseSince = (value: string): string =>
  formatInstant(new Date(date.safeParse(value).success ? value : parseBy(instant)(value)))

const dayAfter = (day: string) => new Date(Date.parse(day) + dayMs)

const parseEnd = (value: string): Date => {
  if (date.safeParse(value).success) return dayAfter(value)
  if (/^\d+[a-z]$/.test(value)) return new Date(Date.now() + 1000 * parseDuration(value))
  if (instant.safeParse(value).success) return new Date(value)
  throw new InvalidArgumentError(
    'expected a day such as 2027-12-31, an instant with its time zone such as 2027-12-31T22:00:00Z, or a time from now such as 90d',
  )
}

/** Parses an instant in the future, the last day (UTC) or a duration. Returns its end, RFC 3339 in UTC. */
export const parseExpiry = (value: string): string => {
  const end = parseEnd(value)
  if (end.getTime() <= Date.now()) throw new InvalidArgumentError('expected a time in the future')
  return formatInstant(end)
}

/** Creates a parser that converts errors of `parse` to commander's error. */
export const parseWith =
  <T>(parse: (value: string) => T) =>
  (value: string): T => {
    try {
      return parse(value)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  }

/** Parses networks separated by commas and adds them to `before`, which commander passes for a second value. */
export const parseNetworks = (value: string, before: readonly string[] = []): string[] => {
  const added = value.split(',').map((each) => parseWith(parseNetwork)(each.trim()))
  const networks = [...new Set([...before, ...added])]
  if (networks.length <= maxNetworks) return networks
  throw new InvalidArgumentError(`expected at most ${maxNetworks} networks`)
}
