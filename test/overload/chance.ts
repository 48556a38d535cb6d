import { percentile } from '../load.ts'

const resamples = 1_000

/** As many of these as there are, drawn by chance, each as often as it comes. */
export const redraw = <T>(items: readonly T[]): T[] =>
  items.map(() => items[Math.floor(Math.random() * items.length)] as T)

/**
 * Between what a figure lies with a probability of 90 %, by drawing again what it was taken of (a bootstrap): of whole
 * rounds, because answers of one are not independent of each other.
 */
export const intervalOf = (drawAgain: () => number): { least: number; most: number } => {
  const drawn = Array.from({ length: resamples }, drawAgain).sort((a, b) => a - b)
  return { least: percentile(drawn, 0.05), most: percentile(drawn, 0.95) }
}
