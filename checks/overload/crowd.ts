import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { createKeySecret } from '../../app/identity/api-keys.ts'
import { quantile } from './load.ts'

// A crowd of clients in a process of its own, so that their work delays no measurement. Each client has one connection,
// sends one request at a time, and the next one as soon as it has the answer.

export type CrowdOptions = {
  port: number
  clients: number
  seconds: number
  /** `logins`: an unknown key each time, and an address for each client. `readers`: an uncached page each time. */
  kind: 'logins' | 'readers'
  tokens: readonly string[]
  /** Makes the requests of two crowds differ. */
  seed: number
}

/** `times`: milliseconds by status: number, median, 99th percentile and largest. */
export type CrowdResult = {
  /** Until each client had its first answer. The measurement begins then. */
  settleSeconds: number
  seconds: number
  times: Record<string, { count: number; p50: number; p99: number; max: number }>
  /** Connections that ended before the answer. */
  lost: number
  /** Share of a core that the crowd used. */
  busy: number
}

const { formatKey } = createKeySecret()
const keyIdLength = 16

const createRequest = ({ kind, tokens, seed }: CrowdOptions) => {
  let sent = 0
  if (kind === 'logins') {
    return () => {
      sent += 1
      const id = `${seed.toString(36)}x${sent.toString(36)}`.padStart(keyIdLength, '0')
      const body = `{"api_key":"${formatKey(id)}"}`
      return `POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    }
  }
  return () => {
    sent += 1
    const second = String(seed % 60).padStart(2, '0')
    const query = `limit=50&updated_at[gte]=2020-01-01T00:00:${second}.${String(sent).padStart(6, '0')}Z`
    const authorization = `Bearer ${tokens[sent % tokens.length]}`
    return `GET /v1/products?${query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`
  }
}

/** 127.1.0.0 and the following addresses, which Linux lets every program use. */
const toAddress = (client: number): string => `127.1.${client >> 8}.${client & 255}`

/** On a busy machine, new connections of a large crowd take this long. */
const longestSettleMs = 20_000

const headEnd = Buffer.from('\r\n\r\n')

const run = async (options: CrowdOptions, onSettled: () => void): Promise<CrowdResult> => {
  const { port, clients, seconds, kind } = options
  const createText = createRequest(options)
  const times: Record<string, number[]> = {}
  const open = new Set<Socket>()
  let lost = 0
  let isMeasured = false
  let isOver = false

  const note = (status: string, ms: number): void => {
    const known = times[status]
    if (known) known.push(ms)
    else times[status] = [ms]
  }
  const allAnswered = Promise.withResolvers<void>()
  let answered = 0
  const noteFirst = (): void => {
    answered += 1
    if (answered === clients) allAnswered.resolve()
  }
  const start = (client: number): void => {
    const from = kind === 'logins' ? { localAddress: toAddress(client) } : {}
    const socket = createConnection({ port, host: '127.0.0.1', ...from })
    open.add(socket)
    let startedAt = 0
    let missing = -1
    let status = ''
    let isNew = true
    let head = Buffer.alloc(0)
    const send = () => {
      startedAt = performance.now()
      socket.write(createText())
    }
    const end = () => {
      missing = -1
      if (isOver) return
      if (isNew) noteFirst()
      isNew = false
      if (isMeasured) note(status, performance.now() - startedAt)
      send()
    }
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      if (missing > 0) {
        missing -= chunk.length
        if (missing <= 0) end()
        return
      }
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      const at = head.indexOf(headEnd)
      if (at === -1) return
      const text = head.toString('latin1', 0, at)
      status = text.slice(9, 12)
      missing = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0) - (head.length - at - headEnd.length)
      head = Buffer.alloc(0)
      if (missing <= 0) end()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      if (isOver) return
      if (isMeasured) lost += 1
      start(client)
    })
  }

  for (let client = 0; client < clients; client += 1) start(client)
  const startedAt = performance.now()
  await Promise.race([allAnswered.promise, delay(longestSettleMs, undefined, { ref: false })])
  const settleSeconds = (performance.now() - startedAt) / 1000
  onSettled()
  isMeasured = true
  const usedBefore = process.cpuUsage()
  const begun = performance.now()
  await delay(seconds * 1000)
  isOver = true
  const lasted = (performance.now() - begun) / 1000
  const used = process.cpuUsage(usedBefore)
  for (const socket of open) socket.destroy()
  const summary: CrowdResult['times'] = {}
  for (const [each, all] of Object.entries(times)) {
    all.sort((a, b) => a - b)
    summary[each] = {
      count: all.length,
      p50: quantile(all, 0.5),
      p99: quantile(all, 0.99),
      max: all.at(-1) ?? 0,
    }
  }
  const busy = (used.user + used.system) / 1e6 / lasted
  return { settleSeconds, seconds: lasted, times: summary, lost, busy }
}

/** Runs a crowd in another process. Calls `onSettled` when the measurement begins. */
export const sendCrowd = async (options: CrowdOptions, onSettled: () => void): Promise<CrowdResult> => {
  const child = fork(import.meta.filename, [JSON.stringify(options)])
  const ended = once(child, 'exit')
  const early = ended.then(() => Promise.reject(new Error('the crowd ended without a result')))
  await Promise.race([once(child, 'message'), early])
  onSettled()
  const [result] = (await Promise.race([once(child, 'message'), early])) as [CrowdResult]
  await ended
  return result
}

if (process.send) {
  const options = JSON.parse(process.argv[2] as string) as CrowdOptions
  process.send(await run(options, () => process.send?.('settled')))
  process.disconnect()
}
