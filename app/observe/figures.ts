import type { Metric, Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>
/** Undefined: not known now, and then not shown. `suffix`: of a histogram's parts, added to the name. */
type Reading = number | undefined | readonly (readonly [labels: Labels, value: number, suffix?: string])[]

/** A metric that is read when somebody asks for it: rooms keep plain numbers and are not told of metrics. */
export type Figure = Readonly<{
  /** Base units and `_total` for counters, as Prometheus names things. */
  name: string
  /** What the registry asks of a metric (prom-client, `Registry.getMetricsAsString` and `getMetricsAsJSON`). */
  get: () => Promise<object>
}>

/** Makes a figure. `aggregator`: how several processes' numbers become one. */
const figure =
  (type: 'gauge' | 'counter' | 'histogram', aggregator: 'sum' | 'max' | 'min') =>
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

/** A figure that goes up and down; the greatest of all processes. */
export const gauge = figure('gauge', 'max')
/** The same; of all processes together. */
export const gaugeSum = figure('gauge', 'sum')
/** The same; the least of all processes. */
export const gaugeMin = figure('gauge', 'min')
/** A figure that only grows while the process lives. */
export const counter = figure('counter', 'sum')
export const histogram = figure('histogram', 'sum')

/** Adds figures to a registry. */
export const registerFigures = (registry: Registry, figures: readonly Figure[]): void => {
  for (const each of figures) registry.registerMetric(each as unknown as Metric)
}

/** Counts by one label, from a record or a map of them. */
export const byLabel = (
  label: string,
  counts: Readonly<Record<string, number>> | ReadonlyMap<string, number>,
): Reading =>
  (counts instanceof Map ? [...counts] : Object.entries(counts)).map(
    ([name, value]) => [{ [label]: name }, value] as const,
  )

type SlowFigureOptions = {
  read: () => Promise<number>
  /** Milliseconds that never go back. */
  now: () => number
  /** How old a figure may be. */
  keptMs: number
}

/**
 * Returns a function that reads a figure from the database at most once per `keptMs`. If a read fails, it returns
 * the last figure; undefined if there was none.
 */
export const createSlowFigure = ({ read, now, keptMs }: SlowFigureOptions) => {
  let known: number | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let flight: Promise<unknown> | undefined
  return async (): Promise<number | undefined> => {
    if (now() - askedAt >= keptMs) {
      askedAt = now()
      flight = read().then(
        (value) => {
          known = value
        },
        () => {},
      )
    }
    await flight
    return known
  }
}
