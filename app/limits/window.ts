/** Units counted together, when the first and when the last of them came. */
type Bucket = { firstMs: number; lastMs: number; units: number }

/** Units of one moment, as stores tell them: how long ago the last of them came. */
export type Count = readonly [ageMs: number, units: number]

/** What was counted within a sliding window. Times are of the caller's clock, never going back. */
export type Window = {
  /** Negative units take back what was added. */
  add(nowMs: number, units: number): void
  used(nowMs: number): number
  /** Milliseconds until the first units leave, more than 0; the window's length where there are none. */
  releaseInMs(nowMs: number): number
  /** Milliseconds until so many units have left; the window's length where it never held them. */
  freesInMs(nowMs: number, units: number): number
  /** Keeps units apart from now on: `replace` keeps those that come after the mark. */
  mark(): void
  /** Replaces the units from before the mark by these counts, in any order. Ages are relative to `atMs`. */
  replace(atMs: number, counts: readonly Count[]): void
}

/**
 * Parts of a window. Units that come within one part are kept as one and leave together, a window after the
 * last of them: so no stretch as long as the window ever shows more than was judged, and steady traffic
 * gets 1/50 less at most.
 */
export const windowParts = 50

/**
 * A sliding window, because the others let twice the quota through in one window's time: fixed windows at
 * their edges, token buckets and GCRA with a full bucket. Memory: windowParts + 2 buckets of 3 numbers.
 */
export const createWindow = (windowMs: number): Window => {
  const partMs = windowMs / windowParts
  let buckets: Bucket[] = []
  let total = 0
  /** How many buckets are from before the mark. */
  let marked = 0

  // Sums of fractions may come out above the window's length, and a second later once they are rounded up.
  const leavesInMs = ({ lastMs }: Bucket, nowMs: number): number =>
    Math.min(windowMs, lastMs + windowMs - nowMs)

  const expire = (nowMs: number): void => {
    let [first] = buckets
    while (first && first.lastMs + windowMs <= nowMs) {
      total -= first.units
      buckets.shift()
      marked = Math.max(0, marked - 1)
      first = buckets[0]
    }
  }

  const add = (nowMs: number, units: number): void => {
    total += units
    const last = buckets.at(-1)
    if (last && buckets.length > marked && nowMs - last.firstMs < partMs) {
      last.units += units
      last.lastMs = nowMs
    } else buckets.push({ firstMs: nowMs, lastMs: nowMs, units })
  }

  return {
    add(nowMs, units) {
      expire(nowMs)
      add(nowMs, units)
    },
    used(nowMs) {
      expire(nowMs)
      return Math.max(0, total)
    },
    releaseInMs(nowMs) {
      expire(nowMs)
      const first = buckets.find(({ units }) => units > 0)
      return first ? leavesInMs(first, nowMs) : windowMs
    },
    freesInMs(nowMs, units) {
      expire(nowMs)
      let freed = 0
      for (const bucket of buckets) {
        freed += bucket.units
        if (freed >= units) return leavesInMs(bucket, nowMs)
      }
      return windowMs
    },
    mark() {
      marked = buckets.length
    },
    replace(atMs, counts) {
      const later = buckets.slice(marked)
      buckets = []
      total = later.reduce((sum, { units }) => sum + units, 0)
      marked = 0
      for (const [ageMs, units] of [...counts].sort((a, b) => b[0] - a[0])) {
        if (ageMs < windowMs) add(atMs - ageMs, units)
      }
      buckets.push(...later)
    },
  }
}
