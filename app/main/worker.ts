import { Registry } from 'prom-client'
import { createPendingRequests, type PrimaryMessage, type WorkerMessage } from './workers.ts'

type Collect = () => Promise<object[]>

const send = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message)
}

/** Connects a worker to the primary. Returns the function that reads the metrics of all workers. */
export const joinWorkers = (collect: Collect) => {
  const scrapes = createPendingRequests<string>()
  // The primary leaves out a worker without metrics.
  const sendMetrics = async (id: number) => {
    send({ type: 'metrics', id, metrics: await collect().catch(() => []) })
  }
  process.on('message', (message: PrimaryMessage) => {
    if (message.type === 'scraped') scrapes.respond(message.id, message.text)
    else void sendMetrics(message.id)
  })
  const lost = new Promise<string>((resolve) => process.once('disconnect', () => resolve('')))
  send({ type: 'listening' })
  return async () => ({
    type: Registry.PROMETHEUS_CONTENT_TYPE,
    text: await Promise.race([lost, scrapes.request((id) => send({ type: 'scrape', id }))]),
  })
}
