import { isServiceFault } from '../../errors.ts'

export const minuteMs = 60_000
export const minutesPerDay = 1_440
/** A minute has six slots of ten seconds, each with a probe. */
export const slotsPerMinute = 6
export const slotMs = minuteMs / slotsPerMinute

/** What is known of a minute, of one instance or of all together. */
export type Minute = {
  /** Minutes since 1970. */
  minute: number
  /** A bit for each slot in which a probe was answered; instances' are joined by OR. */
  slots: number
  /** Answers of the API with any status. */
  requests: number
  /** Of these, failures of the service; see `isServiceFault`. */
  failed: number
  /** Data answers (200 and 304), whose time was taken. */
  timed: number
  durationMs: number
  /** Of the timed ones, those that came from a cache. */
  hits: number
  /** Greatest sampled age of served data, in milliseconds. Null if there was no sample. */
  ageMs: number | null
  /** A histogram, see `bucketOf`; may end early. */
  buckets: number[]
}

/** Twelve buckets for each power of ten: a quantile read from them is off by a fifth at most. */
const perDecade = 12
/** Milliseconds; what is faster counts as this. */
const firstBoundMs = 0.1

/** From 0.1 ms to 100 s; the last one takes what is slower. */
export const bucketCount = 6 * perDecade + 1

const boundMs = (index: number): number => firstBoundMs * 10 ** (index / perDecade)

/** The bucket of a duration: bucket i ends at 0.1 ms · 10^(i/12), which belongs to it. */
export const bucketOf = (ms: number): number => {
  if (!(ms > firstBoundMs)) return 0
  return Math.min(bucketCount - 1, Math.ceil(Math.log10(ms / firstBoundMs) * perDecade - 1e-9))
}

/** Adds one histogram to another of the same kind; what is missing at the end is 0. */
export const addBuckets = (sum: number[], counts: readonly number[]): void => {
  for (let i = 0; i < counts.length; i++) sum[i] = (sum[i] ?? 0) + (counts[i] ?? 0)
}

/**
 * The duration (ms) that so great a share of all stayed within, by interpolation in its bucket; null: nothing
 * was counted. Histograms that were added say the same as one that had seen everything.
 */
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
  /** Counts an answer. `ms`: its duration if it had data. `isHit`: a cache answered. */
  addAnswer(status: number, ms: number | undefined, isHit: boolean): void
  /** Notes a probe sent at `atMs`, and how old its answer might have been; undefined: there was none. */
  addProbe(atMs: number, ageMs: number | undefined): void
  /** Minutes that are over and were not settled, oldest first; with `all`, the one that runs as well. */
  unsettled(all?: boolean): readonly Minute[]
  /** Forgets minutes that were written, except the present one. */
  settle(minutes: readonly Minute[]): void
}

/** A day: while the database is away longer than that, the oldest are given up. */
const maxUnsettled = minutesPerDay

export const emptyMinute = (minute: number): Minute => ({
  ...{ minute, slots: 0, requests: 0, failed: 0, timed: 0, durationMs: 0, hits: 0, ageMs: null },
  buckets: new Array<number>(bucketCount).fill(0),
})

/** Counts by minutes of the wall clock, `now` in milliseconds since 1970. */
export const createMinutes = (now: () => number): Minutes => {
  const known = new Map<number, Minute>()
  let current = emptyMinute(Number.NaN)

  const minuteAt = (ms: number): Minute => {
    const minute = Math.floor(ms / minuteMs)
    if (minute === current.minute) return current
    current = known.get(minute) ?? emptyMinute(minute)
    known.set(minute, current)
    for (const oldest of known.keys()) {
      if (known.size <= maxUnsettled) break
      known.delete(oldest)
    }
    return current
  }

  return {
    addAnswer(status, ms, isHit) {
      const minute = minuteAt(now())
      minute.requests += 1
      if (isServiceFault(status)) minute.failed += 1
      if (ms === undefined) return
      minute.timed += 1
      minute.durationMs += ms
      if (isHit) minute.hits += 1
      const bucket = bucketOf(ms)
      minute.buckets[bucket] = (minute.buckets[bucket] ?? 0) + 1
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
      for (const { minute } of minutes) if (minute < running) known.delete(minute)
    },
  }
}
