import { Agent, get } from 'node:https'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from '../overload/load.ts'
import { page, type Stage } from './stage.ts'

/** Far from saturation, so that what it sees is not a queue of its own. */
const perSecond = 300
const tickMs = 2

/**
 * Asks for the cached page at a constant rate over kept connections, and returns the p99 in milliseconds. An answer's
 * time counts from when its request was due. Throws if one is not 200.
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
  // Connections and code first.
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
