import { targets } from '../../site/home-page.ts'
import { type History, shownDays } from './history.ts'
import { findIncidents, type Incident } from './incidents.ts'
import { judgeFigures, judgeService, soundLevel } from './judgement.ts'
import { type Minute, minuteMs, minutesPerDay, quantile } from './minutes.ts'
import type { ServiceNote } from './store.ts'
import { createStretchReader, type Stretch, type Sums } from './stretch.ts'

/** Instances report a minute 1 s after its end, and read the reports of other instances after 11 s. */
const settledAfterMs = 15_000
const shownIncidents = 50

const instant = (minute: number) => new Date(minute * minuteMs).toISOString().replace('.000Z', 'Z')
const rounded = (value: number, digits: number) => Number(value.toFixed(digits))
const roundedMs = (ms: number | null) => (ms === null ? null : rounded(ms, 2))

const downMinutes = ({ levels }: Stretch) => levels.reduce<number>((sum, level) => sum + 1 - (level ?? 0), 0)

const formatLatency = ({ timed, durationMs, buckets }: Sums) => ({
  average_ms: timed === 0 ? null : roundedMs(durationMs / timed),
  p50_ms: roundedMs(quantile(buckets, 0.5)),
  p99_ms: roundedMs(quantile(buckets, 0.99)),
})

const countMaintenance = ({ from, until }: Stretch, notes: readonly ServiceNote[]) => {
  const marked = new Set<number>()
  for (const note of notes)
    for (let minute = Math.max(from, note.from); minute < Math.min(until, note.until); minute++)
      marked.add(minute)
  return marked.size
}

const formatFigures = (stretch: Stretch, notes: readonly ServiceNote[]) => {
  const { levels, sums } = stretch
  const { requests, failed, timed, hits, ageMs } = sums
  return {
    minutes: levels.length,
    unreported_minutes: levels.filter((level) => level === undefined).length,
    // See docs/decisions/0237-maintenance-is-marked-and-counts.md.
    maintenance_minutes: countMaintenance(stretch, notes),
    availability: levels.length === 0 ? null : rounded(1 - downMinutes(stretch) / levels.length, 7),
    requests,
    failed,
    latency: formatLatency(sums),
    cache_hit_ratio: timed === 0 ? null : rounded(hits / timed, 4),
    max_age_ms: ageMs,
  }
}

const formatBudget = (stretch: Stretch, objective: number) => {
  const allowed = stretch.levels.length * 60 * (1 - objective)
  const used = downMinutes(stretch) * 60
  return {
    objective,
    allowed_seconds: rounded(allowed, 1),
    used_seconds: rounded(used, 1),
    left: allowed === 0 ? null : rounded(1 - used / allowed, 4),
  }
}

const describePeriod = (stretch: Stretch, wholeMinutes: number, notes: readonly ServiceNote[]) => {
  const figures = { whole_minutes: wholeMinutes, ...formatFigures(stretch, notes) }
  return {
    from: instant(stretch.from),
    until: instant(stretch.until),
    ...figures,
    verdicts: judgeFigures({ ...figures, timed: stretch.sums.timed }),
    error_budgets: [
      formatBudget(stretch, targets.availability.promised),
      formatBudget(stretch, targets.availability.objective),
    ],
  }
}

const describeIncident = (
  { from, until, kind, availability }: Incident,
  end: number,
  isOver: boolean,
  notes: readonly ServiceNote[],
) => ({
  from: instant(from),
  until: until === null && !isOver ? null : instant(until ?? end),
  minutes: (until ?? end) - from,
  kind,
  availability: rounded(availability, 4),
  /** The text of the announced maintenance during which it was. */
  maintenance: notes.find((note) => note.from < (until ?? end) && from < note.until)?.text ?? null,
})

const describeNote = ({ from, until, text }: ServiceNote) => ({
  from: instant(from),
  until: instant(until),
  text,
})

/**
 * Creates the content of `/status.json` up to the last settled minute. `own`: minutes of this instance that
 * are not in the database yet. Minutes without any report count as unavailable. `answersSinceMs`: the first
 * probe since the last failed one, or since the start; `undefined` after a failure.
 */
export const createStatusDocument = (
  history: History,
  own: readonly Minute[],
  nowMs: number,
  answersSinceMs?: number,
) => {
  const until = Math.floor((nowMs - settledAfterMs) / minuteMs)
  const first = Math.min(history.first ?? until, ...own.map(({ minute }) => minute))
  const since = Math.min(first + 1, until)
  const { notes } = history
  const reader = createStretchReader(history, own, since)
  const clamp = (minute: number) => Math.min(Math.max(minute, since), until)
  const today = Math.floor(until / minutesPerDay)
  const getStart = (days: number) => (today - days + 1) * minutesPerDay
  const period = (start: number) => describePeriod(reader.read(clamp(start), until), until - start, notes)
  const points = (count: number, width: number) => {
    const end = Math.ceil(until / width) * width
    return Array.from({ length: count }, (_, i) => {
      const start = end - (count - i) * width
      return { at: instant(start), ...formatFigures(reader.read(clamp(start), clamp(start + width)), notes) }
    })
  }
  const { from, levels } = reader.read(clamp(getStart(shownDays)), until)
  const incidents = findIncidents(from, levels).slice(-shownIncidents).reverse()
  const level = until > since ? (reader.levelAt(until - 1) ?? 0) : undefined
  // Probes of the last settled minute failed, and the next ones succeeded: after a restart, for example.
  const isBack =
    level !== undefined &&
    level < soundLevel &&
    answersSinceMs !== undefined &&
    answersSinceMs >= (until - 1) * minuteMs
  const answersSince = isBack ? new Date(answersSinceMs).toISOString() : undefined
  const periods = {
    now: period(until - 5),
    '24h': period(until - minutesPerDay),
    '30d': period(getStart(30)),
    '90d': period(getStart(shownDays)),
  }
  return {
    ...judgeService(level, periods, answersSince),
    answers_again_since: answersSince ?? null,
    generated_at: new Date(nowMs).toISOString(),
    measured_since: until > since ? instant(since) : null,
    targets,
    periods,
    series: { minutes: points(60, 1), quarters: points(96, 15), days: points(shownDays, minutesPerDay) },
    incidents: incidents.map((each) => describeIncident(each, until, isBack, notes)),
    maintenance: notes.map(describeNote),
  }
}

/** Shares are between 0 and 1, times in milliseconds. */
export type StatusDocument = ReturnType<typeof createStatusDocument>
