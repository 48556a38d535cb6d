import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'

export type LoadOptions = {
  port: number
  perSecond: number
  headers: Readonly<Record<string, string>>
  path: (n: number) => string
}

export type LoadResult = {
  sent: number
  /** By status, or by error if there was no answer. */
  outcomes: Record<string, number>
  /** Sorted milliseconds from the time when a request was due. */
  latencies: number[]
}

export type Load = {
  /** Waits for the last answers. */
  stop(): Promise<LoadResult>
}

const tickMs = 10
const timeoutMs = 30_000

/** Sends at a constant rate over kept connections, even if answers are slow. */
export const startLoad = ({ port, perSecond, headers, path }: LoadOptions): Load => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })
  const result: LoadResult = { sent: 0, outcomes: {}, latencies: [] }
  const pending = new Set<Promise<void>>()

  const send = (n: number, dueAt: number) => {
    const done = new Promise<void>((resolve) => {
      const finish = (outcome: string) => {
        result.outcomes[outcome] = (result.outcomes[outcome] ?? 0) + 1
        result.latencies.push(performance.now() - dueAt)
        resolve()
      }
      const sent = request({ host: '127.0.0.1', port, path: path(n), headers, agent, timeout: timeoutMs })
      sent.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
      sent.on('timeout', () => sent.destroy(new Error('timeout')))
      sent.on('response', (response) => {
        response.resume()
        const { statusCode = 0, headers } = response
        // Only the service sets this header.
        const by = statusCode >= 500 && !headers['request-id'] ? ' of the proxy' : ''
        response.on('end', () => finish(`${statusCode}${by}`))
        response.on('error', () => finish('cut'))
      })
      sent.end()
    })
    pending.add(done)
    void done.then(() => pending.delete(done))
  }

  const startedAt = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond
    while (result.sent < due) {
      send(result.sent, startedAt + (result.sent / perSecond) * 1000)
      result.sent += 1
    }
  }, tickMs)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      agent.destroy()
      result.latencies.sort((a, b) => a - b)
      return result
    },
  }
}
