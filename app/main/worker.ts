import { createQuestions, type PrimaryMessage, type WorkerMessage } from './workers.ts'

type WorkerOptions = {
  stop: () => void
  collect: () => Promise<object[]>
}

const tell = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message)
}

export type WorkerLink = {
  scrape(): Promise<string>
}

/** Connects a worker to the primary. `scrape` returns the metrics of all workers. */
export const joinWorkers = ({ stop, collect }: WorkerOptions): WorkerLink => {
  const scrapes = createQuestions<string>()
  // The primary leaves out a worker without metrics.
  const sendMetrics = async (id: number) => {
    tell({ type: 'metrics', id, metrics: await collect().catch(() => []) })
  }
  process.on('message', (message: PrimaryMessage) => {
    if (message.type === 'stop') stop()
    else if (message.type === 'scraped') scrapes.answer(message.id, message.text)
    else void sendMetrics(message.id)
  })
  process.on('disconnect', stop)
  tell({ type: 'listening' })
  return { scrape: () => scrapes.ask((id) => tell({ type: 'scrape', id })) }
}
