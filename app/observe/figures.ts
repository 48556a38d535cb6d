import type { Metric, Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>
/** `undefined`: unknown, and not exported. `suffix` is appended to the name, for the parts of a histogram. */
type Reading = number | undefined | readonly (readonly [labels: Labels, value: number, suffix?: string])[]

/** A metric that is read at each scrape, so that the measured code only keeps plain numbers. */
export type Figure = Readonly<{
  name: string
  /** The method that prom-client's `Registry.getMetricsAsString` and `getMetricsAsJSON` call. */
  get: () => Promise<object>
}>

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

/** A gauge. The maximum of all processes. */
export const gauge = figure('gauge', 'max')
/** A gauge. The sum of all processes. */
export const gaugeSum = figure('gauge', 'sum')
/** A gauge. The minimum of all processes. */
export const gaugeMin = figure('gauge', 'min')
/** A value that only grows while the process lives. The sum of all processes. */
export const counter = figure('counter', 'sum')
export const histogram = figure('histogram', 'sum')

/** Registers figures as metrics. */
export const registerFigures = (registry: Registry, figures: readonly Figure[]): void => {
  for (const each of figures) registry.registerMetric(each as unknown as Metric)
}

/** Converts counts by name to values with one label. */
export const byLabel = (
  label: string,
  counts: Readonly<Record<string, number>> | ReadonlyMap<string, number>,
): Reading =>
  (counts instanceof Map ? [...counts] : Object.entries(counts)).map(
    ([name, value]) => [{ [label]: name }, value] as const,
  )

type SlowFigureOptions = {
  read: () => Promise<number>
  now: () => number
  keptMs: number
}

/**
 * Returns a function that reads a value at most once per `keptMs`. After a failed read, returns the last
 * value, or `undefined`.
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
