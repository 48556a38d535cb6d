import { collectDefaultMetrics, Registry } from 'prom-client'

/** Gauges that are named like counters: `promtool check metrics` refuses them. */
const misnamed = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
]

/** CPU, memory, open files, event-loop delay and collections of this process. Make it once in a process. */
export const createProcessRegistry = (): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  return registry
}
