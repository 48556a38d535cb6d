/** NaN for an empty list. Of two middle values, returns the larger. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Nearest rank: the smallest value that at least `share` of the values do not exceed. NaN for an empty list. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export type Point = { x: number; y: number }

/** `error` is the standard error of the slope. Infinity for fewer than three points. */
export type Line = { slope: number; intercept: number; error: number }

/** Least squares. NaN if all points have the same x. */
export const fitLine = (points: readonly Point[]): Line => {
  const mean = (pick: (point: Point) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0)
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread
  const intercept = y - slope * x
  const residual = points.reduce((sum, point) => sum + (point.y - intercept - slope * point.x) ** 2, 0)
  const error =
    points.length < 3 ? Number.POSITIVE_INFINITY : Math.sqrt(residual / (points.length - 2) / spread)
  return { slope, intercept, error }
}

/**
 * Returns the lowest point of each window of x. It shows the heap size after a garbage collection. Other
 * points depend only on the time since the last collection.
 */
export const getLowest = (points: readonly Point[], window: number): Point[] => {
  const lowest = new Map<number, Point>()
  for (const point of points) {
    const at = Math.floor(point.x / window)
    const before = lowest.get(at)
    if (!before || point.y < before.y) lowest.set(at, point)
  }
  return [...lowest.values()]
}
