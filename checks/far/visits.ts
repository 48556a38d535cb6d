import { once } from 'node:events'
import { connect } from 'node:http2'
import { Agent, request } from 'node:https'
import { performance } from 'node:perf_hooks'
import { createClient } from '../../clients/typescript/src/index.ts'
import type { Distance, Passage } from './proxy.ts'

/** Duration of a request in round trips. `byTime`: elapsed time divided by the round-trip time, rounded. */
export type Trips = { byTime: number; byTurns: number }

export type Visit = {
  /** New connection, login and first page. */
  first: Trips
  /** The page again, on the same connection. */
  kept: Trips
  /** Bytes of that page on the wire, including its head. */
  pageBytes: number
  connections: number
}

type Ask = (method: string, path: string, headers: Record<string, string>) => Promise<string>
type Login = { access_token: string }

export const page = '/v1/products?limit=50'

const basic = (apiKey: string) => `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`

/** Counts a client's round trips between two moments. `turns` exclude TCP's handshake, which has no bytes. */
const createCounter = (distance: Distance) => {
  const before = distance.passages.length
  const own = () => distance.passages.slice(before)
  const sum = (of: (passage: Passage) => number) => own().reduce((total, each) => total + of(each), 0)
  const turnsNow = () => sum(({ turns }) => turns) + own().length
  return {
    received: () => sum(({ received }) => received),
    connections: () => own().length,
    async trips(act: () => Promise<unknown>): Promise<Trips> {
      const [startedAt, turnsBefore] = [performance.now(), turnsNow()]
      await act()
      const byTime = Math.round((performance.now() - startedAt) / (2 * distance.oneWayMs))
      return { byTime, byTurns: turnsNow() - turnsBefore }
    },
  }
}

const visit = async (distance: Distance, apiKey: string, ask: Ask): Promise<Visit> => {
  const counter = createCounter(distance)
  let authorization = ''
  const askPage = () => ask('GET', page, { authorization, 'accept-encoding': 'gzip' })
  const first = await counter.trips(async () => {
    const { access_token } = JSON.parse(
      await ask('POST', '/v1/auth/login', { authorization: basic(apiKey) }),
    ) as Login
    authorization = `Bearer ${access_token}`
    await askPage()
  })
  const before = counter.received()
  const kept = await counter.trips(askPage)
  return { first, kept, pageBytes: counter.received() - before, connections: counter.connections() }
}

export const visitByHttp1 = async (distance: Distance, apiKey: string): Promise<Visit> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
  const ask: Ask = async (method, path, headers) => {
    const sent = request({
      method,
      path,
      headers,
      agent,
      host: '127.0.0.1',
      port: distance.port,
    }).end()
    const [answer] = await once(sent, 'response')
    const body = Buffer.concat(await answer.toArray())
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`)
    return body.toString()
  }
  try {
    return await visit(distance, apiKey, ask)
  } finally {
    agent.destroy()
  }
}

export const visitByHttp2 = async (distance: Distance, apiKey: string): Promise<Visit> => {
  let session: ReturnType<typeof connect> | undefined
  const ask: Ask = async (method, path, headers) => {
    session ??= connect(`https://127.0.0.1:${distance.port}`, { rejectUnauthorized: false })
    const stream = session.request({ ':method': method, ':path': path, ...headers })
    const [{ ':status': status }] = await once(stream, 'response')
    const body = Buffer.concat(await stream.toArray())
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return body.toString()
  }
  try {
    return await visit(distance, apiKey, ask)
  } finally {
    session?.destroy()
  }
}

/** Visits with the TypeScript client, whose second page is a 304. Its `fetch` must trust the certificate. */
export const visitByClient = async (
  distance: Distance,
  apiKey: string,
): Promise<Visit & { statuses: number[] }> => {
  const statuses: number[] = []
  const noting: typeof fetch = async (...given) => {
    const answer = await fetch(...given)
    statuses.push(answer.status)
    return answer
  }
  const client = createClient({ url: `https://127.0.0.1:${distance.port}`, apiKey, fetch: noting })
  const counter = createCounter(distance)
  const first = await counter.trips(() => client.list('products', { limit: 50 }))
  const before = counter.received()
  const kept = await counter.trips(() => client.list('products', { limit: 50 }))
  const pageBytes = counter.received() - before
  return { first, kept, pageBytes, statuses, connections: counter.connections() }
}
