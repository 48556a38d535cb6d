import cluster from 'node:cluster'
import type { Config } from '../config/config.ts'
import { startMetricsServer } from '../observe/metrics-server.ts'
import { endBySignal } from './end.ts'
import type { OpenLog } from './log.ts'
import { findPort } from './port.ts'
import { startWorkers, type Workers } from './workers.ts'

/** Starts workers that share a port. A signal ends them within `withinMs`. Rejects if the first one fails. */
export const supervise = async (
  config: Config,
  { stream, log }: OpenLog,
  withinMs: number,
): Promise<void> => {
  process.once('exit', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
  })
  let workers: Workers | undefined
  endBySignal(withinMs, async ({ err }) => {
    if (err) log.fatal({ err }, 'stopping after an unexpected error')
    const isClean = await workers?.stop()
    await stream.end()
    if (isClean === false) throw new Error('a worker ended with an error')
  })
  const port = await findPort(config)
  workers = startWorkers({ count: config.workers, env: { PORT: String(port) }, log })
  await workers.started
  const { metricsPort: at, host } = config
  if (at !== undefined) await startMetricsServer({ host, port: at, read: workers.readMetrics, log })
}
