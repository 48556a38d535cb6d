import type { Metric, Registry } from 'prom-client'
import { within } from '../overload/timer.ts'

export type Labels = Readonly<Record<string, string>>
/** `undefined` and values that are not finite are omitted. `suffix`, such as `_bucket`, follows the name. */
type Reading = number | undefined | readonly (readonly [labels: Labels, value: number, suffix?: string])[]

/** A metric. Its value is read at each scrape, so that the measured code only counts plain numbers. */
export type Figure = Readonly<{
  name: string
  /** prom-client's registry calls only this method of a metric. */
  get: () => Promise<object>
}>

const figure =
  (type: 'gauge' | 'counter' | 'histogram', aggregator: 'sum' | 'max' | 'min' | 'first') =>
  (name: string, help: string, read: () => Reading | Promise<Reading>): Figure => ({
    name,
    get: async () => {
      const reading = await read()
      const all = typeof reading === 'number' ? [[{}, reading] as const] : (reading ?? [])
      const values = all
        .filter(([, value]) => Number.isFinite(value))
        .map(([labels, value, suffix = '']) => ({ labels, value, metricName: name + suffix }))
      return { name, help, type, aggregator, values }
    },
  })

/** Creates a gauge. With several processes, the maximum of their values is exported. */
export const gauge = figure('gauge', 'max')
/** Creates a gauge. The sum of all processes is exported. */
export const gaugeSum = figure('gauge', 'sum')
/** Creates a gauge. The minimum of all processes is exported. */
export const gaugeMin = figure('gauge', 'min')
/** Creates a gauge. With several processes, the values of one of them are exported. */
export const gaugeFirst = figure('gauge', 'first')
/** Creates a counter. The sum of all processes is exported. */
export const counter = figure('counter', 'sum')
/** Creates a histogram. `read` lists its buckets, sum and count. */
export const histogram = figure('histogram', 'sum')

/** Registers figures with prom-client. */
export const registerFigures = (registry: Registry, figures: readonly Figure[]): void => {
  for (const each of figures) registry.registerMetric(each as unknown as Metric)
}

/** Converts counts by name to samples: the name becomes the value of `label`. */
export const byLabel = (
  label: string,
  counts: Readonly<Record<string, number>> | ReadonlyMap<string, number>,
): Reading =>
  (counts instanceof Map ? [...counts] : Object.entries(counts)).map(
    ([name, value]) => [{ [label]: name }, value] as const,
  )

type SlowFigureOptions<Value> = {
  read: () => Promise<Value>
  now: () => number
  keptMs: number
}

/** A scrape waits this long for the first value. */
const firstValueMs = 1_000

/**
 * Returns a function that calls `read` at most once per `keptMs`. Returns the last value without waiting for `read`, so
 * that a database that hangs delays no scrape. Only the first value is waited for, for one second at most. It is
 * `undefined` until then. If `read` rejects, the last value stays.
 */
export const createSlowFigure = <Value>({ read, now, keptMs }: SlowFigureOptions<Value>) => {
  let last: Value | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  let first: Promise<unknown> | undefined
  return async (): Promise<Value | undefined> => {
    if (now() - startedAt >= keptMs) {
      startedAt = now()
      const reading = read().then(
        (value) => {
          last = value
        },
        () => {},
      )
      first ??= within(firstValueMs, reading).catch(() => {})
    }
    await first
    return last
  }
}
