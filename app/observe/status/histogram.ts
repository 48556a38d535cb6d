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
