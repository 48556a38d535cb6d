import { Agent, get } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

export type LoadOptions = {
  port: number
  seconds: number
  request: () => { path: string; authorization: string }
  /** A constant rate, independent of the answers, or a number of clients that each wait for the previous answer. */
  pace: { perSecond: number } | { clients: number }
}

/** Milliseconds of each answer by status, sorted. Failures without an answer are listed by their error. */
export type LoadResult = { seconds: number; times: Readonly<Record<string, readonly number[]>> }

const tickMs = 5

/** Sends requests over keep-alive connections until the time is over, and waits for all answers. */
export const load = async ({ port, seconds, request, pace }: LoadOptions): Promise<LoadResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 5_000 })
  const times: Record<string, number[]> = {}
  const send = (): Promise<void> =>
    new Promise((resolve) => {
      const { path, authorization } = request()
      const startedAt = performance.now()
      const end = (outcome: string) => {
        times[outcome] ??= []
        times[outcome].push(performance.now() - startedAt)
        resolve()
      }
      const asked = get({ port, path, agent, headers: { authorization } }, (answer) => {
        answer.resume().once('end', () => end(String(answer.statusCode)))
      })
      asked.once('error', ({ code }: NodeJS.ErrnoException) => end(code ?? 'failed'))
    })

  const startedAt = performance.now()
  const isOver = () => performance.now() - startedAt >= seconds * 1000
  const sendInTurn = async () => {
    while (!isOver()) await send()
  }
  const sendAtRate = async (perSecond: number) => {
    const pending: Promise<void>[] = []
    for (let sent = 0; !isOver(); await delay(tickMs)) {
      const due = ((performance.now() - startedAt) * perSecond) / 1000
      for (; sent < due; sent += 1) pending.push(send())
    }
    await Promise.all(pending)
  }
  if ('clients' in pace) await Promise.all(Array.from({ length: pace.clients }, sendInTurn))
  else await sendAtRate(pace.perSecond)
  agent.destroy()
  for (const each of Object.values(times)) each.sort((a, b) => a - b)
  return { seconds, times }
}

/** The value that this share (0 to 1) of the sorted times does not exceed. NaN if there are none. */
export const quantile = (sorted: readonly number[] = [], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
