import { z } from 'zod'

/** The customers' contract promises this average in milliseconds. */
const promisedAverageMs = 80
/** The contract promises 99 % of the answers. */
const mostFailed = 0.01
/** Faster than this difference in milliseconds, two runs are equal. */
const noiseMs = 2
/** Fewer requests have no percentile that can be compared. */
const leastForP95 = 20
const leastForP99 = 100

const figures = z.object({
  count: z.int(),
  failed: z.int(),
  average: z.number(),
  p95: z.number(),
  p99: z.number(),
})

/** In milliseconds. Failed requests are only counted. */
export type Figures = z.infer<typeof figures>

export const kinds = ['cached', 'uncached', 'login'] as const
export type Kind = (typeof kinds)[number]

/** One measurement, as `--save` writes it. `login` is missing for a demo token. `rate`: reads a second. */
export const latencyRun = z.object({
  url: z.string(),
  at: z.string(),
  rate: z.number(),
  seconds: z.number(),
  figures: z.object({ cached: figures, uncached: figures, login: figures.optional() }),
})
export type LatencyRun = z.infer<typeof latencyRun>

/** Milliseconds of an answered request. `undefined` if it failed. */
export type Sample = number | undefined

const round = (ms: number) => Math.round(ms * 100) / 100

/** The nearest-rank method. `sorted` has at least one element. */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN

/** Computes the figures of one kind of request. They are 0 if all failed. */
export const toFigures = (samples: readonly Sample[]): Figures => {
  const sorted = samples.filter((each) => each !== undefined).sort((a, b) => a - b)
  const failed = samples.length - sorted.length
  if (sorted.length === 0) return { count: samples.length, failed, average: 0, p95: 0, p99: 0 }
  const average = round(sorted.reduce((sum, each) => sum + each, 0) / sorted.length)
  const [p95, p99] = [percentile(sorted, 0.95), percentile(sorted, 0.99)]
  return { count: samples.length, failed, average, p95: round(p95), p99: round(p99) }
}

const listBroken = (kind: Kind, { count, failed, average }: Figures): string[] => {
  const faults: string[] = []
  if (failed > mostFailed * count) faults.push(`${kind}: ${failed} of ${count} requests failed`)
  if (average >= promisedAverageMs)
    faults.push(`${kind}: the average is ${average} ms, and the promise is less than ${promisedAverageMs} ms`)
  return faults
}

const listSlower = (kind: Kind, now: Figures, before: Figures, tolerance: number): string[] => {
  const least = Math.min(now.count - now.failed, before.count - before.failed)
  const compared = [
    { name: 'average', isCompared: least > 0, ms: now.average, beforeMs: before.average },
    { name: 'p95', isCompared: least >= leastForP95, ms: now.p95, beforeMs: before.p95 },
    { name: 'p99', isCompared: least >= leastForP99, ms: now.p99, beforeMs: before.p99 },
  ]
  return compared
    .filter(({ isCompared, ms, beforeMs }) => isCompared && ms > beforeMs * (1 + tolerance) + noiseMs)
    .map(({ name, ms, beforeMs }) => `${kind}: ${name} is ${ms} ms, and was ${beforeMs} ms`)
}

/**
 * Returns a fault for each broken promise. With `before`, also for each figure that is slower by more than `tolerance`,
 * a share, and 2 ms.
 */
export const judgeRun = (
  { figures: now }: LatencyRun,
  before: LatencyRun | undefined,
  tolerance: number,
): string[] =>
  kinds.flatMap((kind) => {
    const [mine, earlier] = [now[kind], before?.figures[kind]]
    if (!mine) return []
    return [...listBroken(kind, mine), ...(earlier ? listSlower(kind, mine, earlier, tolerance) : [])]
  })

const columns = [10, 10, 8, 12, 12, 12]
const toLine = (cells: readonly (string | number)[]): string =>
  cells
    .map((cell, at) => (at === 0 ? String(cell).padEnd(10) : String(cell).padStart(columns[at] ?? 0)))
    .join('')

const toCells = (name: string, { count, failed, average, p95, p99 }: Figures) => [
  name,
  count,
  failed,
  `${average} ms`,
  `${p95} ms`,
  `${p99} ms`,
]

/** Returns a table with a row for each kind of request, and a row for its earlier run. */
export const formatRun = ({ figures: now }: LatencyRun, before: LatencyRun | undefined): string =>
  [
    toLine(['', 'requests', 'failed', 'average', 'p95', 'p99']),
    ...kinds.flatMap((kind) => {
      const [mine, earlier] = [now[kind], before?.figures[kind]]
      const rows = mine ? [toLine(toCells(kind, mine))] : []
      return mine && earlier ? [...rows, toLine(toCells('  before', earlier))] : rows
    }),
  ].join('\n')
