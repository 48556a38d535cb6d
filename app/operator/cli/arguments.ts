import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { date, text } from '../../../schemas/fields.ts'
import { customerName, customerSlug } from '../../identity/customers.ts'
import { maxNetworks, parseNetwork } from '../../identity/networks.ts'

const parseBy =
  <T>(schema: z.ZodType<T>) =>
  (value: string): T => {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw new InvalidArgumentError(parsed.error.issues.map((issue) => issue.message).join('; '))
  }

/** The slug of a customer. Throws commander's error, as all of these. */
export const parseSlug = parseBy(customerSlug)

/** A customer's own name. */
export const parseName = parseBy(customerName)

/** Why something was refused. */
export const parseReason = parseBy(text.min(1, 'expected a reason'))

/** Parses a whole number in plain digits. `1e2` is refused. */
const parseNumber =
  (what: string, least: number, most: number) =>
  (value: string): number => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`expected ${what} from ${least} to ${most}`)
  }

/** A customer's expiry window, in days. */
export const parseDays = parseNumber('a number of days', 1, 365)

/** How long something is kept, in days. */
export const parseRetention = parseNumber('a number of days', 1, 3650)

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const
const longestDurationDays = 366

/** A duration such as `30m`, `12h` or `7d`, at most a year; returns seconds. */
export const parseDuration = (value: string): number => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? []
  const seconds = Number(count) * unitSeconds[unit as keyof typeof unitSeconds]
  if (seconds <= longestDurationDays * unitSeconds.d) return seconds
  throw new InvalidArgumentError('expected a duration such as 30m, 12h or 7d, at most 366d')
}

const instant = z.iso.datetime({ offset: true, error: 'expected a date or an instant with its time zone' })

/** A number of things to show, 1–100,000. */
export const parseCount = parseNumber('a number', 1, 100_000)

/** Since when: the beginning of a day (UTC), or an instant with its time zone. Returns RFC 3339 in UTC. */
export const parseSince = (value: string): string =>
  new Date(date.safeParse(value).success ? value : parseBy(instant)(value)).toISOString()

const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000)

/**
 * When something ends: an instant with its time zone, or a date, whose whole day (UTC) still counts.
 * Returns the instant as RFC 3339 in UTC. Throws where it is over already.
 */
export const parseExpiry = (value: string): string => {
  const end = date.safeParse(value).success ? dayAfter(value) : new Date(parseBy(instant)(value))
  if (end.getTime() <= Date.now()) throw new InvalidArgumentError('expected a time in the future')
  return end.toISOString()
}

/** Has commander say why a value is refused. `parse` throws the reason. */
export const parseWith =
  <T>(parse: (value: string) => T) =>
  (value: string): T => {
    try {
      return parse(value)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  }

/** Networks of a key, in their canonical form; commander gives them one by one, with those before. */
export const parseNetworks = (value: string, before: readonly string[] = []): string[] => {
  const networks = [...new Set([...before, parseWith(parseNetwork)(value)])]
  if (networks.length <= maxNetworks) return networks
  throw new InvalidArgumentError(`expected at most ${maxNetworks} networks`)
}
