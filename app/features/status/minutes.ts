import { isServiceFault } from '../../errors.ts'
import type { SentAnswer } from '../../observe/sent-answer.ts'

export const minuteMs = 60_000
export const minutesPerDay = 1_440
/** Each slot of ten seconds has one probe. */
export const slotsPerMinute = 6
export const slotMs = minuteMs / slotsPerMinute

export type Minute = {
  minute: number
  /** A bit for each slot with a successful probe. The bits of several instances are combined with OR. */
  slots: number
  requests: number
  failed: number
  /** Cacheable data with a status below 400. `durationMs`, `hits` and `buckets` count only these answers. */
  timed: number
  durationMs: number
  hits: number
  /** Greatest age of a probe's answer, in milliseconds. Null if none is known. */
  ageMs: number | null
  /** Trailing zeros may be omitted. */
  buckets: number[]
}

/**
 * Returns the availability of a minute, 0 to 1: the smaller of the share of slots with a successful probe,
 * and the share of answers, probes included, that are not faults of the service. See
 * docs/decisions/0041-availability-is-the-worse-of-two.md.
 */
export const getLevel = (minute: Pick<Minute, 'slots' | 'requests' | 'failed'>): number => {
  let up = 0
  for (let slot = 0; slot < slotsPerMinute; slot++) up += (minute.slots >> slot) & 1
  const good = minute.requests - minute.failed + up
  return Math.min(up / slotsPerMinute, good / (minute.requests + slotsPerMinute))
}

/** Bounds are 10^(1/12) apart, so that a quantile is off by about a fifth at most. */
const perDecade = 12
const firstBoundMs = 0.1

/** From 0.1 ms to 100 s. The last bucket also contains slower answers. */
export const bucketCount = 6 * perDecade + 1

const boundMs = (index: number): number => firstBoundMs * 10 ** (index / perDecade)

/** Returns the bucket of a duration. The upper bound of bucket i, 0.1 ms · 10^(i/12), is inclusive. */
export const getBucket = (ms: number): number => {
  if (!(ms > firstBoundMs)) return 0
  return Math.min(bucketCount - 1, Math.ceil(Math.log10(ms / firstBoundMs) * perDecade - 1e-9))
}

/** Adds a histogram to `sum`. Either may lack trailing buckets. */
export const addBuckets = (sum: number[], counts: readonly number[]): void => {
  for (let i = 0; i < counts.length; i++) sum[i] = (sum[i] ?? 0) + (counts[i] ?? 0)
}

/** Returns a quantile in milliseconds, interpolated within its bucket; null without values. */
export const quantile = (counts: readonly number[], share: number): number | null => {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = share * total
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? 0
    if (count >= left && count > 0) {
      const [low, high] = [i === 0 ? 0 : boundMs(i - 1), boundMs(i)]
      return low + (high - low) * (left / count)
    }
    left -= count
  }
  return boundMs(bucketCount - 1)
}

export type Minutes = {
  addAnswer(status: number, ms: number | undefined, isHit: boolean): void
  /** Counts an answer of the API. Answers of pages do not count. */
  addSentAnswer(answer: Pick<SentAnswer, 'route' | 'isClosed' | 'status' | 'ms' | 'source'>): void
  /** `atMs`: when the probe was sent. `ageMs`: age of its answer, or NaN; `undefined` if the probe failed. */
  addProbe(atMs: number, ageMs: number | undefined): void
  /** Returns the completed minutes that are not settled, oldest first. `all` adds the current minute. */
  unsettled(all?: boolean): readonly Minute[]
  /** Forgets these minutes, except the current one. Call it when they are in the database. */
  settle(minutes: readonly Minute[]): void
}

const firstError = 400

/** If the database is unreachable for more than a day, the oldest minutes are dropped. */
const maxUnsettled = minutesPerDay

export const emptyMinute = (minute: number): Minute => ({
  minute,
  slots: 0,
  requests: 0,
  failed: 0,
  timed: 0,
  durationMs: 0,
  hits: 0,
  ageMs: null,
  buckets: new Array<number>(bucketCount).fill(0),
})

/** Counts by minutes of the wall clock, `now` in milliseconds since 1970. */
export const createMinutes = (now: () => number): Minutes => {
  const known = new Map<number, Minute>()
  let current = emptyMinute(Number.NaN)
  let lastSettled = Number.NEGATIVE_INFINITY

  const minuteAt = (ms: number): Minute => {
    const minute = Math.floor(ms / minuteMs)
    if (minute === current.minute) return current
    // A late probe, or a clock that was set back. Not counted: a second report would replace the first.
    if (minute <= lastSettled) return emptyMinute(minute)
    current = known.get(minute) ?? emptyMinute(minute)
    known.set(minute, current)
    for (const oldest of known.keys()) {
      if (known.size <= maxUnsettled) break
      known.delete(oldest)
    }
    return current
  }

  const addAnswer: Minutes['addAnswer'] = (status, ms, isHit) => {
    const minute = minuteAt(now())
    minute.requests += 1
    if (isServiceFault(status)) minute.failed += 1
    if (ms === undefined) return
    minute.timed += 1
    minute.durationMs += ms
    if (isHit) minute.hits += 1
    const bucket = getBucket(ms)
    minute.buckets[bucket] = (minute.buckets[bucket] ?? 0) + 1
  }

  return {
    addAnswer,
    addSentAnswer({ route = '', isClosed, status, ms, source }) {
      if (!isClosed && !route.startsWith('/v1/')) return
      // Only cached endpoints have a source: durations of streams, exports and logins do not count.
      const isTimed = source !== 'none' && status < firstError
      addAnswer(status, isTimed ? ms : undefined, source !== 'database')
    },
    addProbe(atMs, ageMs) {
      const minute = minuteAt(atMs)
      if (ageMs === undefined) return
      minute.slots |= 1 << Math.floor((atMs % minuteMs) / slotMs)
      if (Number.isFinite(ageMs)) minute.ageMs = Math.max(minute.ageMs ?? 0, Math.round(ageMs))
    },
    unsettled(all = false) {
      const running = Math.floor(now() / minuteMs)
      return [...known.values()].filter(({ minute }) => all || minute < running)
    },
    settle(minutes) {
      const running = Math.floor(now() / minuteMs)
      for (const { minute } of minutes) {
        if (minute >= running) continue
        known.delete(minute)
        lastSettled = Math.max(lastSettled, minute)
      }
    },
  }
}
