import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, LightMyRequestResponse, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import { problem } from '../../schemas/problem.ts'
import {
  addCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl,
  type TestClock,
} from '../helper.ts'
import { type RawAnswer, sendBytes } from './sockets.ts'
import { seedCountries, seedCustomer } from './world.ts'

type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST'

export const line = (target: string, method = 'GET') => `${method} ${target} HTTP/1.1\r\n`
export const end = 'Connection: close\r\n\r\n'

/** The service with records of the customer `acme`, for requests by injection and as bytes. */
export const openHttpStage = async (t: Test) => {
  const today = new Date().toISOString().slice(0, 10)
  const clock: TestClock = { offsetMs: 0 }
  const database = await createTestDatabase()
  const app = await createTestApp(database, { clock })
  const countries = await seedCountries(database, today)
  const key = await addCustomer(database, 'acme')
  const stored = await seedCustomer(database, 'acme', { seed: 1, today, countries })
  const { token, get } = await logIn(app, key)
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  closeAfter(t, app, database)
  const authorization = `Bearer ${token}`
  const someId = stored.products?.find((row) => /^prod-Q/.test(row.id))?.id as string
  /** Without `no-cache`, unlike `get`. */
  const ask = (url: string, headers: Record<string, string> = {}, method: Method = 'GET') =>
    app.inject({ method, url, headers: { authorization, ...headers } })
  const auth = `Authorization: ${authorization}\r\n`
  const send = async (bytes: string | Buffer): Promise<RawAnswer> =>
    (await sendBytes(port, bytes))[0] as RawAnswer
  return {
    database,
    app,
    clock,
    port,
    stored,
    someId,
    key,
    token,
    authorization,
    auth,
    get,
    ask,
    send,
  }
}

/** Builds an app and returns its routes, so that tests include every new one. */
export const collectRoutes = async (build: () => Promise<FastifyInstance>) => {
  const routes: RouteOptions[] = []
  const listen = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', (route) => void routes.push(route))
  }
  subscribe('fastify.initialization', listen)
  const app = await build()
  unsubscribe('fastify.initialization', listen)
  return { app, routes }
}

/** Without HSTS, which needs TLS. */
const securityHeaders: Record<string, string> = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

/** For any answer. */
export const listHeaderFaults = (headers: Record<string, unknown>): string[] => [
  ...Object.entries(securityHeaders)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name]) => `${name}: ${headers[name]}`),
  ...['server', 'x-powered-by'].filter((name) => headers[name] !== undefined),
]

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const listProblemFaults = (
  status: number,
  headers: Record<string, unknown>,
  body: string,
): unknown[] => {
  const { data, error } = problem.safeParse(parseJson(body))
  const { etag, 'content-type': mediaType, 'cache-control': cacheControl, 'request-id': id } = headers
  const seen = { status: data?.status, type: data?.type, id: data?.request_id, mediaType, cacheControl, etag }
  const type = `${publicUrl}/problems/${data?.code}`
  const fixed = { mediaType: 'application/problem+json', cacheControl: 'no-store', etag: undefined }
  const isAsPromised = isDeepStrictEqual(seen, { status, type, id, ...fixed })
  return [...listHeaderFaults(headers), ...(error?.issues ?? []), ...(isAsPromised ? [] : [seen])]
}

export const expectProblem = (
  t: Test,
  answer: LightMyRequestResponse | RawAnswer,
  code: string,
  status: number,
  name = code,
) => {
  const given = 'statusCode' in answer ? answer.statusCode : answer.status
  t.match({ status: given, body: answer.body }, { status, body: `"code":"${code}"` }, name)
  t.same(listProblemFaults(given, answer.headers as Record<string, unknown>, answer.body), [], name)
}
