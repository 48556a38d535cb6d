import { collectDefaultMetrics, type Histogram, Registry } from 'prom-client'

/** Gauges with the names of counters, which `promtool check metrics` refuses. */
const misnamed = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
]

const gcKinds = ['major', 'minor', 'incremental', 'weakcb']

/** Metrics of CPU, memory, files, event loop and garbage collection. Create one registry per process. */
export const createProcessRegistry = (): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  const collections = registry.getSingleMetric('nodejs_gc_duration_seconds') as Histogram
  for (const kind of gcKinds) collections.zero({ kind })
  return registry
}
