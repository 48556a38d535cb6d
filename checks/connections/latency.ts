import { Agent, get } from 'node:https'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from '../overload/load.ts'
import { page, type Stage } from './stage.ts'

/** Far from saturation, to avoid a queue that distorts the measurement. */
const perSecond = 300
const tickMs = 2

/**
 * Requests the cached page at a constant rate over keep-alive connections, and returns the p99 in
 * milliseconds. Latency counts from when a request was due. Throws if a status is not 200.
 */
export const measureLatency = async (
  { port, authorization }: Pick<Stage, 'port' | 'authorization'>,
  seconds: number,
): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 20, rejectUnauthorized: false })
  const times: number[] = []
  const send = (dueAt: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const asked = get(
        { host: '127.0.0.1', port, path: page, agent, headers: { authorization } },
        (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`))
          answer.resume().once('end', () => {
            times.push(performance.now() - dueAt)
            resolve()
          })
        },
      )
      asked.once('error', reject)
    })
  // Warms up connections and code.
  await Promise.all(Array.from({ length: 20 }, () => send(performance.now())))
  times.length = 0
  const startedAt = performance.now()
  const pending: Promise<void>[] = []
  for (let sent = 0; sent < seconds * perSecond; await delay(tickMs))
    for (; sent < ((performance.now() - startedAt) * perSecond) / 1000; sent += 1)
      pending.push(send(startedAt + (sent * 1000) / perSecond))
  await Promise.all(pending)
  agent.destroy()
  return quantile(
    times.sort((a, b) => a - b),
    0.99,
  )
}
