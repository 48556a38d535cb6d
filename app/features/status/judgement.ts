import { targets } from '../../site/home-page.ts'

const promises = { availability: 'availability', average: 'time to answer', freshness: 'freshness' } as const

type PromiseName = keyof typeof promises
type PromiseVerdict = 'kept' | 'broken' | 'unknown'
type PromiseVerdicts = Readonly<Record<PromiseName, PromiseVerdict>>

export type JudgedFigures = Readonly<{
  minutes: number
  whole_minutes: number
  availability: number | null
  timed: number
  latency: Readonly<{ average_ms: number | null }>
  max_age_ms: number | null
}>

type ServiceState = 'operational' | 'degraded' | 'down' | 'unknown'

/** The least availability of a minute without a fault worth mentioning. */
export const soundLevel = 0.95
const leastMeasured = 0.5
/** The average of fewer answers is not judged: a single slow answer would decide. */
const leastAnswers = 20

/** Compares a period with the promises. `unknown`: no value, or measuring began in its second half. */
export const judgeFigures = (period: JudgedFigures): PromiseVerdicts => {
  const isMeasured = period.minutes >= period.whole_minutes * leastMeasured
  const judge = (value: number | null, isKept: (value: number) => boolean): PromiseVerdict => {
    if (!isMeasured || value === null) return 'unknown'
    return isKept(value) ? 'kept' : 'broken'
  }
  const average = period.timed < leastAnswers ? null : period.latency.average_ms
  return {
    availability: judge(period.availability, (share) => share >= targets.availability.promised),
    average: judge(average, (ms) => ms < targets.latency.average_ms),
    freshness: judge(period.max_age_ms, (ms) => ms <= targets.freshness.max_age_ms),
  }
}

const listBroken = (verdicts: PromiseVerdicts): string[] =>
  (Object.keys(promises) as PromiseName[])
    .filter((name) => verdicts[name] === 'broken')
    .map((name) => promises[name])

const lists = new Intl.ListFormat('en')

const judgeMoment = (
  level: number | undefined,
  verdicts: PromiseVerdicts,
  answersSince: string | undefined,
): [ServiceState, string] => {
  if (level === undefined || verdicts.availability === 'unknown')
    return ['unknown', 'Not enough measurements yet']
  if (level < soundLevel && answersSince !== undefined)
    return ['degraded', `The service answers again since ${answersSince.slice(11, 16)} UTC`]
  if (level < 0.5) return ['down', 'The service does not answer correctly']
  if (level < soundLevel) return ['degraded', 'Some requests fail at the moment']
  const broken = listBroken(verdicts)
  if (broken.length > 0) return ['degraded', `Below the promise at the moment: ${lists.format(broken)}`]
  return ['operational', 'All systems operational']
}

const names = { '24h': '24 hours', '30d': '30 days', '90d': '90 days' } as const

const formatNote = (
  periods: Readonly<Record<keyof typeof names, { verdicts: PromiseVerdicts }>>,
): string | null => {
  const notes = (Object.keys(names) as (keyof typeof names)[]).flatMap((key) => {
    const broken = listBroken(periods[key].verdicts)
    return broken.length === 0 ? [] : [`${lists.format(broken)} over ${names[key]}`]
  })
  return notes.length === 0 ? null : `Below the promise: ${notes.join('; ')}.`
}

/**
 * `level`: availability of the last minute, 0 to 1, 0 if unreported; `undefined` before any measurement.
 * `answersSince`: if the service answers again since that minute, the first success (ISO 8601).
 */
export const judgeService = (
  level: number | undefined,
  periods: Readonly<Record<'now' | keyof typeof names, { verdicts: PromiseVerdicts }>>,
  answersSince?: string,
): { status: ServiceState; headline: string; note: string | null } => {
  const [status, headline] = judgeMoment(level, periods.now.verdicts, answersSince)
  return { status, headline, note: formatNote(periods) }
}
