import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'

export type WorkerMessage =
  | { type: 'listening' }
  | { type: 'metrics'; id: number; metrics: object[] }
  /** Requests the metrics of all workers, because this one was scraped. */
  | { type: 'scrape'; id: number }
export type PrimaryMessage = { type: 'collect'; id: number } | { type: 'scraped'; id: number; text: string }

type WorkersOptions = {
  count: number
  env: Readonly<Record<string, string>>
  log: { info(details: object, message: string): void; warn(details: object, message: string): void }
}

export type Workers = {
  /** Rejects if the first worker ends before it listens. Never settles if `stop` was called before. */
  started: Promise<void>
  readMetrics(): Promise<{ type: string; text: string }>
  /** Stops all workers. False if one of them ended with an error. */
  stop(): Promise<boolean>
}

const collectWithinMs = 2_000
const longestPauseMs = 5_000
const shortestPauseMs = 100
/** If a worker ran this long, the pause before its replacement is the shortest. */
const healthyMs = 10_000

const send = (worker: Worker, message: PrimaryMessage): void => {
  if (worker.isConnected()) worker.send(message)
}

/** Matches responses to requests by number. Ignores unknown numbers. */
export const createPendingRequests = <Response>() => {
  const pending = new Map<number, (response: Response) => void>()
  let lastId = 0
  return {
    request: (send: (id: number) => void): Promise<Response> =>
      new Promise((resolve) => {
        lastId += 1
        pending.set(lastId, resolve)
        send(lastId)
      }),
    respond(id: number, response: Response): void {
      pending.get(id)?.(response)
      pending.delete(id)
    },
  }
}

const createCollector = () => {
  const requests = createPendingRequests<object[]>()
  const collect = (worker: Worker): Promise<object[]> =>
    requests.request((id) => {
      send(worker, { type: 'collect', id })
      setTimeout(requests.respond, collectWithinMs, id, []).unref()
    })
  return {
    add: requests.respond,
    async read(workers: readonly Worker[]) {
      const all = await Promise.all(workers.map(collect))
      const registry = AggregatorRegistry.aggregate(all.filter((metrics) => metrics.length > 0))
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

/**
 * Starts the first worker alone, for one-time setup. When it listens, starts the others, and replaces workers that end.
 */
export const startWorkers = ({ count, env, log }: WorkersOptions): Workers => {
  const workers = new Set<Worker>()
  const listening = new WeakSet<Worker>()
  const collector = createCollector()
  let isStopping = false
  let isClean = true
  let pauseMs = shortestPauseMs

  const readMetrics = () => collector.read([...workers])
  const onMessage = (worker: Worker, message: WorkerMessage) => {
    if (message.type === 'listening') {
      listening.add(worker)
      log.info({ worker: worker.id }, 'a worker listens')
    }
    if (message.type === 'metrics') collector.add(message.id, message.metrics)
    if (message.type !== 'scrape') return
    const { id } = message
    readMetrics().then(
      ({ text }) => send(worker, { type: 'scraped', id, text }),
      ({ message: reason }: Error) => {
        log.warn({ reason }, 'the metrics of the workers cannot be combined: the scrape is empty')
        send(worker, { type: 'scraped', id, text: '' })
      },
    )
  }
  const replace = (index: number, startedAt: number) => {
    pauseMs =
      performance.now() - startedAt > healthyMs ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs)
    setTimeout(() => {
      if (!isStopping) launch(index)
    }, pauseMs)
  }
  const launch = (index: number, more = {}): Worker => {
    const startedAt = performance.now()
    const worker = cluster.fork({ ...env, WORKER_INDEX: String(index), ...more })
    workers.add(worker)
    worker.on('message', (message: WorkerMessage) => onMessage(worker, message))
    worker.once('exit', (code, signal) => {
      workers.delete(worker)
      if (isStopping) {
        isClean &&= code === 0 || !listening.has(worker)
        return
      }
      log.warn({ worker: worker.id, code, signal }, 'a worker has ended and is replaced')
      replace(index, startedAt)
    })
    return worker
  }
  // Until the database is reachable, only this worker listens (`listenEarly`), and no replacement of it.
  const first = launch(0, { WORKER_IS_FIRST: '1' })
  const started = new Promise<void>((resolve, reject) => {
    const fail = (code: number) => {
      if (isStopping) return
      isStopping = true
      reject(new Error(`the first worker ended with code ${code}: see its message above`))
    }
    first.prependOnceListener('exit', fail)
    first.on('message', ({ type }: WorkerMessage) => {
      if (type !== 'listening') return
      first.removeListener('exit', fail)
      if (isStopping) return
      for (let index = 1; index < count; index += 1) launch(index)
      resolve()
    })
  })
  return {
    started,
    readMetrics,
    async stop() {
      isStopping = true
      const ends = [...workers].map((worker) => new Promise((resolve) => worker.once('exit', resolve)))
      // Not by message, because a worker that starts may not receive it yet.
      for (const worker of workers) worker.process.kill('SIGTERM')
      await Promise.all(ends)
      return isClean
    },
  }
}
