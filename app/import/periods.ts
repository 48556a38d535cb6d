import { dayMs } from '../config/units.ts'
import type { StoredRecord } from './record.ts'

type Period = { from: string; until: string | null; basis: string }

const dayNumber = (date: string) => Date.parse(date) / dayMs
const lastDay = (period: Period) =>
  period.until === null ? Number.POSITIVE_INFINITY : dayNumber(period.until)

// Finds the last unbroken run: each period begins at most a day after the end of an earlier one.
// `periods`: at least one, oldest first. `until`: null if unlimited. `gaps`: texts of gaps before the run.
const findRun = (periods: readonly Period[]) => {
  let [from, until, end] = ['', null as string | null, Number.NEGATIVE_INFINITY]
  const gaps: string[] = []
  for (const period of periods) {
    if (dayNumber(period.from) > end + 1) {
      if (from !== '') gaps.push(`${until} to ${period.from}`)
      from = period.from
      end = Number.NEGATIVE_INFINITY
    }
    if (lastDay(period) > end) {
      until = period.until
      end = lastDay(period)
    }
  }
  return { from, until, gaps }
}

const byStart = (a: Period, b: Period) => dayNumber(a.from) - dayNumber(b.from) || lastDay(a) - lastDay(b)

/** Sets a certificate's dates from its last run of periods, or a period from its dates. Returns warnings. */
export const derivePeriods = (record: StoredRecord): string[] => {
  const given = record.validity_periods as Period[]
  if (given.length === 0) {
    const { valid_from: from, valid_until: until } = record as Record<string, string | null>
    if (from) record.validity_periods = [{ from, until, basis: 'initial' }]
    return from && until && from > until ? [`valid_until ${until} is before valid_from ${from}`] : []
  }
  const periods = given.toSorted(byStart)
  const { from, until, gaps } = findRun(periods)
  const warnings = gaps.map((gap) => `validity_periods: no period is valid from ${gap}`)
  for (const period of periods) {
    if (period.until !== null && period.until < period.from) {
      warnings.push(`validity_periods: ${period.until} is before ${period.from}`)
    }
  }
  for (const [name, derived] of Object.entries({ valid_from: from, valid_until: until })) {
    if (record[name] && record[name] !== derived) {
      warnings.push(
        `${name}: ${record[name]} given, but the periods give ${derived ?? 'unlimited'}, which is used`,
      )
    }
  }
  Object.assign(record, { validity_periods: periods, valid_from: from, valid_until: until })
  return warnings
}
