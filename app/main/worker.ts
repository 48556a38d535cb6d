import { Registry } from 'prom-client'
import { createPendingRequests, type PrimaryMessage, type WorkerMessage } from './workers.ts'

type WorkerOptions = {
  stop: () => void
  collect: () => Promise<object[]>
}

const send = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message)
}

/** Connects a worker to the primary. Returns the function that reads the metrics of all workers. */
export const joinWorkers = ({ stop, collect }: WorkerOptions) => {
  const scrapes = createPendingRequests<string>()
  // The primary leaves out a worker without metrics.
  const sendMetrics = async (id: number) => {
    send({ type: 'metrics', id, metrics: await collect().catch(() => []) })
  }
  process.on('message', (message: PrimaryMessage) => {
    if (message.type === 'scraped') scrapes.respond(message.id, message.text)
    else void sendMetrics(message.id)
  })
  process.on('disconnect', stop)
  send({ type: 'listening' })
  return async () => ({
    type: Registry.PROMETHEUS_CONTENT_TYPE,
    text: await scrapes.request((id) => send({ type: 'scrape', id })),
  })
}
