import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { Instance } from './instances.ts'
import type { Read } from './log.ts'
import type { Body, Parsed, Target } from './world.ts'

/** Longer than the service may take while the database hangs. */
const timeoutMs = 20_000

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 600, scheduling: 'lifo' })

/** Describes a failed answer. A proxy in front of the service may use another format. */
const getProblem = ({ body }: Answer): string => {
  try {
    const { code, detail } = JSON.parse(body.toString())
    return [code, detail].filter(Boolean).join(': ')
  } catch {
    return body.toString().slice(0, 200)
  }
}

/** Sends one request. Status 0 if there is no complete answer. */
export const send = (
  method: 'GET' | 'POST',
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> =>
  new Promise((resolve) => {
    const none = () => resolve({ status: 0, headers: {}, body: Buffer.alloc(0) })
    const outgoing = request({ method, host: '127.0.0.1', port, path, agent, headers, timeout: timeoutMs })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', none)
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', none)
      incoming.on('aborted', none)
      incoming.on('end', () => {
        const body = Buffer.concat(chunks)
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body })
      })
    })
    outgoing.end()
  })

export const closeConnections = () => agent.destroy()

export type Asker = { instance: Instance; token: string }

export type Readers = {
  reads: Read[]
  /** Sends one request and logs the answer. Also returns it, for comparisons. */
  ask(target: Target, asker: Asker, options?: { noCache?: boolean; plain?: boolean }): Promise<Answer>
  /** Sends requests at this rate until the returned function is called, which resolves after the last answer. */
  start(options: StartOptions): () => Promise<void>
}

export type StartOptions = {
  requestsPerSecond: number
  pickTarget: () => Target
  pickAsker: (customer: string) => Asker
  noCacheShare: number
}

const readers = 24
const patienceMs = 100
const mostWaiting = 500
const conditionalShare = 0.3
const gzipShare = 0.1

const decode = ({ headers, body }: Answer): Buffer =>
  headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body

const getAsOf = ({ headers }: Answer) => {
  const value = headers['data-as-of']
  return value === undefined ? {} : { asOf: Date.parse(String(value)) }
}

/** Parses a body. A body that is not JSON counts as foreign. */
export const parseText = (target: Target, text: Buffer): Parsed => {
  try {
    return target.parse(JSON.parse(text.toString()) as Body)
  } catch {
    return { seen: [], foreign: ['bytes that the service never wrote'] }
  }
}

type Known = { etag: string; text: Buffer; parsed: Parsed }

/** Remembers the last body of each address: an equal body is parsed once, and a 304 counts as that body. */
export const createReaders = (): Readers => {
  const reads: Read[] = []
  const known = new Map<string, Known>()

  const parse = (target: Target, answer: Answer): Parsed => {
    if (answer.status === 404) return target.parse(undefined)
    const name = `${target.customer} ${target.url}`
    const before = known.get(name)
    const text = decode(answer)
    const isSame = before?.text.equals(text)
    const parsed = isSame && before ? before.parsed : parseText(target, text)
    known.set(name, { etag: String(answer.headers.etag), text, parsed })
    return parsed
  }

  const ask: Readers['ask'] = async (
    target,
    { instance, token },
    { noCache = false, plain = false } = {},
  ) => {
    const { customer, url } = target
    const before = plain || Math.random() > conditionalShare ? undefined : known.get(`${customer} ${url}`)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(noCache ? { 'cache-control': 'no-cache' } : {}),
      ...(before ? { 'if-none-match': before.etag } : {}),
      ...(!plain && Math.random() < gzipShare ? { 'accept-encoding': 'gzip' } : {}),
    }
    const { id } = instance
    const sentAt = performance.now()
    const answer = await send('GET', instance.port, url, headers)
    const receivedAt = performance.now()
    const { status } = answer
    const isData = status === 200 || status === 404
    const { seen, foreign } =
      status === 304
        ? (before?.parsed ?? { seen: [], foreign: ['304 to nothing'] })
        : isData
          ? parse(target, answer)
          : { seen: [], foreign: [] }
    const isStale = String(answer.headers['cache-status']).includes('ttl=-')
    // A 404 is an answer, too: the record does not exist.
    reads.push({
      instance: id,
      customer,
      url,
      token,
      noCache,
      sentAt,
      receivedAt,
      status: status === 404 ? 200 : status,
      seen,
      foreign,
      isStale,
      ...getAsOf(answer),
      ...(status >= 500 ? { problem: getProblem(answer) } : {}),
    })
    return answer
  }

  const start = ({ requestsPerSecond, pickTarget, pickAsker, noCacheShare }: StartOptions) => {
    let isStopped = false
    const waiting = new Set<Promise<unknown>>()
    const everyMs = (readers / requestsPerSecond) * 1000
    const read = async () => {
      while (!isStopped) {
        const startedAt = performance.now()
        if (waiting.size < mostWaiting) {
          const target = pickTarget()
          const asker = pickAsker(target.customer)
          const asked: Promise<unknown> = ask(target, asker, { noCache: Math.random() < noCacheShare })
          const done = asked.finally(() => waiting.delete(done))
          waiting.add(done)
          // An instance that hangs must not delay requests to the other one, or later ones.
          await Promise.race([done, delay(patienceMs)])
        }
        const restMs = everyMs * (0.5 + Math.random()) - (performance.now() - startedAt)
        // At least 1 ms: an instance that refuses immediately must not be flooded.
        await delay(Math.max(1, restMs))
      }
    }
    const all = Array.from({ length: readers }, read)
    return async () => {
      isStopped = true
      await Promise.all(all)
      await Promise.all(waiting)
    }
  }

  return { reads, ask, start }
}
