import type { Metric, Registry } from 'prom-client'

/** One number of a metric. `suffix`: of a histogram's parts, added to the name. */
export type Sample = Readonly<{ labels: Readonly<Record<string, string>>; value: number; suffix?: string }>

/** A metric that is read when somebody asks for it: rooms keep plain numbers and are not told of metrics. */
export type Collector = Readonly<{
  /** Base units and `_total` for counters, as Prometheus names things. */
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** How several processes' numbers become one; default: sum. */
  aggregate?: 'sum' | 'max' | 'min' | 'first'
  /** Nothing, where it is not known. */
  collect: () => readonly Sample[] | Promise<readonly Sample[]>
}>

/** A sample without labels. */
export const plainSample = (value: number): readonly Sample[] => [{ labels: {}, value }]

/** What the registry asks of a metric (prom-client, `Registry.getMetricsAsString` and `getMetricsAsJSON`). */
export const registerCollector = (registry: Registry, collector: Collector): void => {
  const { name, help, type, aggregate = 'sum', collect } = collector
  const get = async () => ({
    name,
    help,
    type,
    aggregator: aggregate,
    values: (await collect()).map(({ labels, value, suffix = '' }) => ({
      labels,
      value,
      metricName: name + suffix,
    })),
  })
  registry.registerMetric({ name, get } as unknown as Metric)
}
