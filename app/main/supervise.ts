import cluster from 'node:cluster'
import type { Config } from '../config/config.ts'
import { startMetricsServer } from '../observe/metrics-server.ts'
import { findPort } from './address.ts'
import { endBySignal } from './end.ts'
import { captureConsole, openLog } from './log.ts'
import { startWorkers, type Workers } from './workers.ts'

/**
 * Keeps workers on one port; serves their metrics together; ends when they have, or `withinMs` after a signal.
 * Rejects where the first of them does not start.
 */
export const supervise = async (config: Config, withinMs: number): Promise<void> => {
  // Before the log's own: that may wait for whoever reads it.
  process.once('exit', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
  })
  const { stream, log } = openLog(config)
  captureConsole(log)
  let workers: Workers | undefined
  endBySignal(withinMs, async ({ err }) => {
    if (err) log.fatal({ err }, 'stopping after an unexpected error')
    const isClean = await workers?.stop()
    await stream.end()
    if (isClean === false) throw new Error('a worker ended with an error')
  })
  const port = await findPort(config)
  workers = await startWorkers({ count: config.workers, env: { PORT: String(port) }, log })
  const { metricsPort: at, host } = config
  if (at !== undefined) await startMetricsServer({ host, port: at, read: workers.readMetrics })
}
