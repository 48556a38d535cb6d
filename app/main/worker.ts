import { createQuestions, type PrimaryMessage, type WorkerMessage } from './workers.ts'

type WorkerOptions = {
  /** Ends this process in order. */
  stop: () => void
  /** This process's numbers. */
  collect: () => Promise<object[]>
}

const tell = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message)
}

export type WorkerLink = {
  /** Metrics of all workers, in Prometheus's text format. */
  scrape(): Promise<string>
}

/** A worker's line to the process that made it; says that it listens. */
export const joinWorkers = ({ stop, collect }: WorkerOptions): WorkerLink => {
  const scrapes = createQuestions<string>()
  process.on('message', (message: PrimaryMessage) => {
    if (message.type === 'stop') stop()
    else if (message.type === 'scraped') scrapes.answer(message.id, message.text)
    else void collect().then((metrics) => tell({ type: 'metrics', id: message.id, metrics }))
  })
  // Nobody would stop it any more.
  process.on('disconnect', stop)
  tell({ type: 'listening' })
  return { scrape: () => scrapes.ask((id) => tell({ type: 'scrape', id })) }
}
