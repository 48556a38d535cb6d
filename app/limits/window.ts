type Bucket = { firstMs: number; lastMs: number; units: number }

/** `ageMs` is the age of the newest of these units. */
export type Count = readonly [ageMs: number, units: number]

/**
 * Units of one part of the window leave together, one window length after the newest of them. So no interval admits
 * more than the quota, and steady traffic gets at most 1/50 less.
 */
export const windowParts = 50

/** Creates a sliding window. Fixed windows, token buckets and GCRA admit twice the quota within one window length. */
export const createWindow = (windowMs: number) => {
  const partMs = windowMs / windowParts
  let buckets: Bucket[] = []
  let total = 0
  let marked = 0

  // Floating-point sums may exceed the window's length.
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
    add(nowMs: number, units: number): void {
      expire(nowMs)
      add(nowMs, units)
    },
    used(nowMs: number): number {
      expire(nowMs)
      return Math.max(0, total)
    },
    /** Milliseconds until the oldest units leave. `windowMs` if there are none. */
    releaseInMs(nowMs: number): number {
      expire(nowMs)
      const first = buckets.find(({ units }) => units > 0)
      return first ? leavesInMs(first, nowMs) : windowMs
    },
    /** Milliseconds until this number of units has left. `windowMs` if there are fewer. */
    freesInMs(nowMs: number, units: number): number {
      expire(nowMs)
      let freed = 0
      for (const bucket of buckets) {
        freed += bucket.units
        if (freed >= units) return leavesInMs(bucket, nowMs)
      }
      return windowMs
    },
    mark(): void {
      marked = buckets.length
    },
    /** Replaces the units from before the mark. Ages are relative to `atMs`. */
    replace(atMs: number, counts: readonly Count[]): void {
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

export type Window = ReturnType<typeof createWindow>
