import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

const stepMs = 250

type ReadOptions = {
  port: number
  path: string
  authorization: string
  bytesPerSecond: number
  /** Once, after the first megabytes. */
  pauseMs: number
}

/** Reads an answer slowly. Returns its bytes, and whether it arrived completely. */
export const readSlowly = async ({ port, path, authorization, bytesPerSecond, pauseMs }: ReadOptions) => {
  const request = get({ host: '127.0.0.1', port, path, agent: false, headers: { authorization } })
  request.on('error', () => {})
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.on('error', () => {})
  const startedAt = performance.now()
  let bytes = 0
  let hasPaused = false
  while (!answer.readableEnded && !answer.destroyed) {
    const most = ((performance.now() - startedAt) / 1000) * bytesPerSecond
    while (bytes < most) {
      const chunk = answer.read()
      if (chunk === null) break
      bytes += chunk.length
    }
    await delay(stepMs)
    if (hasPaused || bytes < 4 * 2 ** 20) continue
    hasPaused = true
    await delay(pauseMs)
  }
  return { bytes, isComplete: answer.complete, seconds: (performance.now() - startedAt) / 1000 }
}
