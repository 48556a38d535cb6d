import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createPlain, type RequestListener, type Server } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import {
  createClient,
  NetworkError,
  ProblemError,
  type RetryEvent,
} from '../../clients/typescript/src/index.ts'
import { selfSigned } from '../self-signed.ts'

const listen = async (t: Test, server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}
const serve = async (t: Test, answer: RequestListener) =>
  `http://127.0.0.1:${await listen(t, createPlain(answer))}`

/** Returns the error of one attempt. */
const fail = async (url: string, options: { timeoutMs?: number; apiKey?: string } = {}) => {
  const { timeoutMs = 30_000, apiKey } = options
  const credentials = apiKey === undefined ? { token: 'x' } : { apiKey }
  const client = createClient({ url, timeoutMs, retry: { retries: 0 }, ...credentials })
  return client.me().then(
    () => undefined,
    (error: unknown) => error as NetworkError,
  )
}

const describe = (error: NetworkError | undefined) =>
  error instanceof NetworkError ? { reason: error.reason, code: error.code } : error

t.test('an error of the network has a type, a reason and a code', async (t) => {
  const gone = createPlain()
  const refusing = `http://127.0.0.1:${await listen(t, gone)}`
  gone.close()
  const silent = await serve(t, () => {})
  const dropping = await serve(t, (request) => request.socket.destroy())
  const cutting = await serve(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"data":', () => request.socket.destroy())
  })
  const files = selfSigned(t)
  const pair = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  const secure = `https://localhost:${await listen(
    t,
    createSecure(pair, () => {}),
  )}`
  t.same(describe(await fail(refusing)), { reason: 'refused', code: 'ECONNREFUSED' })
  t.same(describe(await fail('http://nowhere.invalid')), { reason: 'unresolved', code: 'ENOTFOUND' })
  t.same(describe(await fail(silent, { timeoutMs: 30 })), { reason: 'timeout', code: undefined })
  t.match(describe(await fail(dropping)), { reason: 'incomplete' })
  t.match(describe(await fail(cutting)), { reason: 'incomplete' })
  t.match(describe(await fail(secure)), { reason: 'certificate', code: /CERT|SELF_SIGNED/ })
  t.match(describe(await fail(refusing, { apiKey: 'x' })), { reason: 'refused' }, 'also at the login')
  const error = await fail(refusing)
  t.equal(error?.message, `No complete answer from ${refusing}: nothing listens there (ECONNREFUSED)`)
  t.ok(error?.cause instanceof TypeError)
})

t.test('a stream that breaks off has the same type of error, and an abort its own reason', async (t) => {
  const url = await serve(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write('{"id":"1"}\n')
    if (request.url?.includes('products')) setImmediate(() => request.socket.destroy())
  })
  const client = createClient({ url, token: 'x' })
  const read = async (resource: 'products' | 'projects', signal?: AbortSignal) => {
    for await (const _ of client.export(resource, {}, signal ? { signal } : {}));
  }
  t.match(await read('products').catch((error) => error), { name: 'NetworkError', reason: 'incomplete' })
  const signal = AbortSignal.timeout(50)
  await t.rejects(read('projects', signal), { name: 'TimeoutError' })
})

t.test('the hook gets each retry before its wait, and its error ends the request', async (t) => {
  let count = 0
  const url = await serve(t, (request, response) => {
    count += 1
    if (count === 1) request.socket.destroy()
    else if (count === 2) response.writeHead(503, { 'retry-after': '0' }).end()
    else response.end('{"data":{}}')
  })
  const events: RetryEvent[] = []
  const retry = { firstDelayMs: 1 }
  const client = createClient({ url, token: 'x', retry, onRetry: (event) => void events.push(event) })
  await client.list('products', { limit: 3 })
  t.match(events, [
    { path: '/v1/products?limit=3', attempt: 1, error: { reason: 'incomplete' } },
    { path: '/v1/products?limit=3', attempt: 2, error: { status: 503 } },
  ])
  t.ok(events[0]?.error instanceof NetworkError && events[1]?.error instanceof ProblemError)
  t.ok(events.every(({ waitMs }) => waitMs >= 0))
  count = 0
  const throwing = createClient({
    url,
    token: 'x',
    onRetry: () => {
      throw new Error('enough')
    },
  })
  await t.rejects(throwing.me(), { message: 'enough' })
  t.equal(count, 1)
})

t.test('the hook gets retries of a copy and of a stream of changes', async (t) => {
  let fails = 0
  const url = await serve(t, (request, response) => {
    fails += 1
    if (fails < 3) request.socket.destroy()
    else response.writeHead(403).end()
  })
  for (const way of ['follow', 'streamChanges'] as const) {
    fails = 0
    const paths: string[] = []
    const client = createClient({
      url,
      token: 'x',
      retry: { firstDelayMs: 1 },
      onRetry: ({ path, attempt }) => void paths.push(`${attempt} ${path}`),
    })
    const store = { loadToken: async () => 'st_1', replaceAll: async () => {}, apply: async () => {} }
    const work = way === 'follow' ? client.follow(store) : client.streamChanges({ after: 'st_1' }).next()
    t.match(await work.catch((error) => error), { status: 403 }, way)
    t.same(paths, ['1 /v1/changes?after=st_1', '2 /v1/changes?after=st_1'], way)
  }
})
