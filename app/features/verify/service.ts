import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { buffer } from 'node:stream/consumers'
import { type Quota, readQuotas } from './quotas.ts'

export type Ask = Readonly<{
  path: string
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  token?: string | undefined
  /** The address has errors of another format than problem documents. */
  hasOwnErrors?: boolean
}>

/** A whole response. Names of headers are in lower case; fields with the same name are joined by commas. */
export type ServiceAnswer = Readonly<{
  ask: Ask
  status: number
  headers: Readonly<Record<string, string>>
  bytes: Buffer
}>

export type Send = (ask: Ask) => Promise<ServiceAnswer>

const exchangeTimeoutMs = 10_000

const parseBody = ({ bytes }: ServiceAnswer): unknown => {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

/** Returns a member of a JSON body by its pointer (RFC 6901, without escapes), or null. `/length` counts a list. */
export const readJson = (answer: ServiceAnswer, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((found, name) => (found as Record<string, unknown> | null)?.[name], parseBody(answer)) ??
  null

/** Creates a client with at most this number of connections. Unlike `fetch`, it sends methods, paths and headers as they are. */
export const createSender = (origin: string, connections = 1): { send: Send; close: () => void } => {
  const url = new URL(origin)
  const isTls = url.protocol === 'https:'
  const { Agent, request } = isTls ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const target = { host, port: url.port, agent, ...(isTls ? { servername: host } : {}) }
  const send: Send = async (ask) => {
    const { path, method = 'GET', headers = {}, body, token } = ask
    const sent = request({
      ...target,
      path,
      method,
      signal: AbortSignal.timeout(exchangeTimeoutMs),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    })
    sent.on('error', () => {})
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const fields = Object.entries(response.headersDistinct)
    const received = Object.fromEntries(fields.map(([name, values = []]) => [name, values.join(', ')]))
    return { ask, status: response.statusCode ?? 0, headers: received, bytes: await buffer(response) }
  }
  return { send, close: () => agent.destroy() }
}

const isExport = ({ path, headers = {} }: Ask): boolean =>
  /[?&]format=(csv|ndjson|xlsx)/.test(path) || /csv|ndjson/.test(headers.accept ?? '')

/** Waits before a request with a token would use more than half of a quota. Retries it once after a 429. */
export const withinHalfOfQuota = (send: Send, pause: (ms: number) => Promise<void>): Send => {
  let quotas: Quota[] = []
  return async (ask) => {
    if (ask.token === undefined) return send(ask)
    const units = isExport(ask) ? 10 : 1
    const waits = quotas
      .filter(({ quota, remaining }) => remaining - units < quota / 2)
      .map(({ windowSeconds, resetSeconds }) => (units > 1 ? windowSeconds : resetSeconds))
    if (waits.length > 0) {
      await pause(Math.max(...waits) * 1000)
      // They are out of date now, and the next answer may not have the headers.
      quotas = []
    }
    const answer = await send(ask)
    const seen = readQuotas(answer.headers)
    if (seen.length > 0) quotas = seen
    if (answer.status !== 429) return answer
    await pause(Number(answer.headers['retry-after'] ?? 1) * 1000)
    return send(ask)
  }
}
