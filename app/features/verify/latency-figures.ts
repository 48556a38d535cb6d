import { z } from 'zod'

/** The customers' contract promises this average in milliseconds. */
const promisedAverageMs = 80
/** The contract promises 99 % of the answers. */
const mostFailed = 0.01
/** Faster than this difference in milliseconds, two runs are equal. */
const noiseMs = 2
/** Reads of each kind that a run needs. Averages of fewer requests are not compared. */
export const leastReads = 10
/** Fewer requests have no percentile that can be compared. */
const leastForP95 = 20
const leastForP99 = 100

const figures = z.object({
  count: z.int(),
  failed: z.int(),
  first_failure: z.string().nullable(),
  average: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
})

/** In milliseconds; null if all requests failed. Failed requests are only counted, with the reason of the first. */
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

/** `ms`: from the planned start of a request to its answer. `failure`: such as `status 400 unknown_parameter`. */
export type Sample = Readonly<{ ms: number } | { failure: string }>

const round = (ms: number) => Math.round(ms * 100) / 100

/** The nearest-rank method. `sorted` has at least one element. */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN

/** Computes the figures of one kind of request. */
export const toFigures = (samples: readonly Sample[]): Figures => {
  const sorted = samples.flatMap((each) => ('ms' in each ? [each.ms] : [])).sort((a, b) => a - b)
  const failures = samples.flatMap((each) => ('failure' in each ? [each.failure] : []))
  const counts = { count: samples.length, failed: failures.length, first_failure: failures[0] ?? null }
  if (sorted.length === 0) return { ...counts, average: null, p95: null, p99: null }
  const average = round(sorted.reduce((sum, each) => sum + each, 0) / sorted.length)
  const [p95, p99] = [percentile(sorted, 0.95), percentile(sorted, 0.99)]
  return { ...counts, average, p95: round(p95), p99: round(p99) }
}

const isFailed = ({ count, failed }: Figures): boolean => failed > mostFailed * count

const describeFailed = (kind: Kind, { count, failed, first_failure }: Figures): string =>
  `${kind}: ${failed} of ${count} requests failed, the first with: ${first_failure}`

/** A broken promise, or a figure that is slower than before. */
export type LatencyFault = Readonly<{ word: 'FAILED' | 'SLOW'; reason: string }>

const listBroken = (kind: Kind, mine: Figures): LatencyFault[] => {
  const faults: LatencyFault[] = []
  const { average } = mine
  if (isFailed(mine)) faults.push({ word: 'FAILED', reason: describeFailed(kind, mine) })
  if (average !== null && average >= promisedAverageMs) {
    const reason = `${kind}: the average is ${average} ms, and the promise is less than ${promisedAverageMs} ms`
    faults.push({ word: 'SLOW', reason })
  }
  return faults
}

/** Describes the kinds of requests that failed. A run with one is no measure for a later run. */
export const listFailed = ({ figures: run }: LatencyRun): string[] =>
  kinds.flatMap((kind) => {
    const { [kind]: mine } = run
    return mine && isFailed(mine) ? [describeFailed(kind, mine)] : []
  })

const listSlower = (kind: Kind, now: Figures, before: Figures, tolerance: number): LatencyFault[] => {
  const least = Math.min(now.count - now.failed, before.count - before.failed)
  const compared = [
    { name: 'average', isCompared: least >= leastReads, ms: now.average, beforeMs: before.average },
    { name: 'p95', isCompared: least >= leastForP95, ms: now.p95, beforeMs: before.p95 },
    { name: 'p99', isCompared: least >= leastForP99, ms: now.p99, beforeMs: before.p99 },
  ]
  return compared
    .filter(({ isCompared, ms, beforeMs }) => {
      if (!isCompared || ms === null || beforeMs === null) return false
      return ms > beforeMs * (1 + tolerance) + noiseMs
    })
    .map(({ name, ms, beforeMs }) => {
      return { word: 'SLOW', reason: `${kind}: ${name} is ${ms} ms, and was ${beforeMs} ms` }
    })
}

/**
 * Returns a fault for each broken promise. With `before`, also for each figure that is slower by more than `tolerance`,
 * a share, and 2 ms.
 */
export const judgeRun = (
  { figures: now }: LatencyRun,
  before: LatencyRun | undefined,
  tolerance: number,
): LatencyFault[] =>
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
  ...[average, p95, p99].map((ms) => (ms === null ? '–' : `${ms} ms`)),
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
