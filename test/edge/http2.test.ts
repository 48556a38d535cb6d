import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { listEntries } from '../../app/audit/list.ts'
import { makeCertificate } from '../api/sockets.ts'
import {
  addCustomer,
  createTestApp,
  createTestDatabase,
  logIn,
  type TestAppOptions,
  until,
} from '../helper.ts'
import { lasting, leaseMs, ofTheMoment, twice } from './compare.ts'

const database = await createTestDatabase()
const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
t.teardown(async () => {
  remove()
  await database.close()
})

type Fields = readonly (readonly [string, string])[]
type Answer = { status: number; headers: Record<string, unknown>; body: string; isFast: boolean }

let customers = 0

const start = async (t: Test, options: TestAppOptions = {}) => {
  const env = { TLS_KEY, TLS_CERT, ...options.env }
  const app = await createTestApp(database, { leaseMs, ...options, env })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const sessions: ClientHttp2Session[] = []
  t.teardown(async () => {
    for (const session of sessions) session.destroy()
    await app.close()
  })
  const customerId = `h2-${++customers}`
  const { token } = await logIn(app, await addCustomer(database, customerId))
  await sql`insert into products (customer_id, id, name, brand, tags)
    select ${customerId}, 'p-' || n, 'N ' || n, repeat('ü', 400), array['a', 'b,c'] from generate_series(1, 400) n`.execute(
    database.operator,
  )

  const open = async (settings: { initialWindowSize?: number } = {}): Promise<ClientHttp2Session> => {
    const options = { rejectUnauthorized: false, strictSingleValueFields: false, settings }
    const session = connect(`https://127.0.0.1:${port}`, options)
    session.on('error', () => {})
    sessions.push(session)
    await once(session, 'remoteSettings')
    return session
  }
  const bearer = ['authorization', `Bearer ${token}`] as const
  const request = (session: ClientHttp2Session, path: string, fields: Fields = [bearer], method = 'GET') => {
    const raw = [[':method', method], [':path', path], ...fields].flat()
    const stream = session.request(raw as never, { endStream: true })
    stream.on('error', () => {})
    return stream
  }
  const read = async (stream: ClientHttp2Stream): Promise<Answer> => {
    const before = app.edgeAnswers
    const [{ ':status': status, ...headers }] = await once(stream, 'response')
    const body = (await buffer(stream)).toString('latin1')
    return { status, headers, body, isFast: app.edgeAnswers > before }
  }
  const session = await open()
  const ask = (path: string, fields?: Fields, method?: string) => read(request(session, path, fields, method))
  return { app, customerId, bearer, session, open, request, read, ask }
}

/** The edge leaves requests with this field to the router, whose answer it does not change. */
const byRouter = ['pragma', 'none'] as const
const list = '/v1/products?limit=3'

t.test('the edge and the router return the same answer, field by field', async (t) => {
  const { ask, bearer } = await start(t)
  for (const path of [list, '/v1/products/p-1', '/products?limit=3&fields=name', '/v1/products?limit=300']) {
    const etag = String((await twice(() => ask(path))).headers.etag)
    const variants: Fields[] = [
      [],
      [['accept', 'application/json']],
      [['accept-encoding', 'gzip']],
      [['accept-encoding', 'br;q=1.0, gzip;q=0.5']],
      [['if-none-match', etag]],
      [['if-none-match', '"other"']],
      [['range', 'bytes=0-1']],
      [
        ['cookie', 'a=1'],
        ['cookie', 'b=2'],
        ['user-agent', 'x'],
        ['x-twice', '1'],
        ['x-twice', '2'],
      ],
      [['host', 'elsewhere.test']],
      [[':authority', 'elsewhere.test']],
      [[':scheme', 'http']],
    ]
    for (const variant of variants) {
      const fields = [...variant, bearer]
      await ask(path, fields)
      const fast = await ask(path, fields)
      const routed = await ask(path, [...fields, byRouter])
      const name = `${path} ${JSON.stringify(variant)}`
      t.equal(fast.isFast, true, `${name} by the edge`)
      t.equal(routed.isFast, false, `${name} by the router`)
      t.same(lasting(fast), lasting(routed), name)
      for (const field of ofTheMoment) t.ok(fast.headers[field], field)
      for (const field of ['connection', 'keep-alive', 'transfer-encoding']) t.notOk(fast.headers[field])
      t.not(fast.headers['request-id'], routed.headers['request-id'])
    }
  }
})

t.test('streams of a session are authenticated each by its own token, once', async (t) => {
  const { app, customerId, bearer, session, request, read, ask } = await start(t)
  const otherId = `${customerId}-other`
  const { token } = await logIn(app, await addCustomer(database, otherId))
  const other = ['authorization', `Bearer ${token}`] as const
  // The edge does not wait until the facts about a key are loaded.
  for (const token of [bearer, other]) await ask('/v1/me', [token])
  const authenticated: unknown[] = []
  const { authenticate } = app
  app.authenticate = (asker) => {
    authenticated.push(asker)
    return authenticate(asker)
  }
  const wrong = ['authorization', 'Bearer wrong'] as const
  const tokens: [Fields, string | undefined][] = [
    [[bearer], customerId],
    [[other], otherId],
    [[], undefined],
    [[wrong], undefined],
  ]
  const asked = Array.from({ length: 40 }, (_, n) => tokens[n % 4] as (typeof tokens)[number])
  const answers = await Promise.all(asked.map(([fields]) => read(request(session, '/v1/me', fields))))
  t.same(
    answers.map(({ status, body }) => (status === 200 ? JSON.parse(body).data.customer : undefined)),
    asked.map(([, id]) => id),
  )
  // The router repeats those that the edge refuses. The edge takes no request without a token.
  t.equal(authenticated.length, 10 + 10 + 10 + 20)
})

t.test(
  'a request that the edge may not answer gets the same answer on the first and second try',
  async (t) => {
    const { ask, bearer, customerId } = await start(t)
    const etag = String((await ask(list)).headers.etag)
    const cases: [number, string, Fields, string?][] = [
      [200, list, [bearer], 'HEAD'],
      [204, list, [bearer], 'OPTIONS'],
      [405, list, [bearer], 'POST'],
      [405, list, [bearer], 'DELETE'],
      [200, list, [bearer, ['cache-control', 'no-cache']]],
      [200, list, [bearer, ['cache-control', 'max-stale, max-age=0']]],
      [200, list, [bearer, byRouter]],
      [412, list, [bearer, ['if-match', '"other"']]],
      [200, list, [bearer, ['if-match', '*']]],
      [406, list, [bearer, ['accept', 'image/png']]],
      [200, list, [bearer, ['origin', 'https://else.test']]],
      [200, list, [bearer, ['content-length', '0']]],
      [200, list, [bearer, ['expect', 'something']]],
      [400, list, [bearer, bearer]],
      [400, list, [bearer, ['authorization', 'Bearer x']]],
      [200, list, [bearer, ['accept', '*/*'], ['accept', 'text/csv']]],
      [304, list, [bearer, ['if-none-match', etag], ['if-none-match', '"x"']]],
      [431, list, [bearer, ['x', 'x'.repeat(16_000)]]],
      [401, list, []],
      [401, list, [['authorization', '']]],
      [401, list, [['authorization', 'Bearer nobody']]],
      [401, list, [['authorization', 'Bearer cda_demo_public']]],
      [400, `${list}&nonsense=1`, [bearer]],
      [404, '/v1/products/none', [bearer]],
    ]
    for (const [status, path, fields, method] of cases) {
      const name = `${method ?? 'GET'} ${path} ${JSON.stringify(fields).slice(-60)}`
      await until('the edge knows the target', async () => (await ask(list)).isFast)
      const [warm, again] = [await ask(path, fields, method), await ask(path, fields, method)]
      await sql`update products set brand = case brand when 'x' then 'y' else 'x' end where customer_id = ${customerId} and id = 'p-399'`.execute(
        database.operator,
      )
      await ask('/v1/products?limit=499', [bearer])
      const cold = await ask(path, fields, method)
      for (const answer of [warm, again]) {
        t.same(lasting(answer, 'cache-status'), lasting(cold, 'cache-status'), name)
      }
      t.match(again, { status, isFast: false }, name)
    }
  },
)

t.test('a GET with a body is left to the router', async (t) => {
  const { ask, bearer, session, read } = await start(t)
  await twice(() => ask(list))
  t.equal((await ask(list)).isFast, true)
  for (const body of ['', 'x']) {
    const raw = [':method', 'GET', ':path', list, ...bearer]
    const stream = session.request(raw as never, { endStream: false })
    stream.on('error', () => {})
    const answer = read(stream)
    stream.end(body)
    t.match(await answer, { status: 200, isFast: false })
  }
})

t.test('one reply serves both protocols', async (t) => {
  const { app, ask, bearer } = await start(t)
  await ask(list)
  const over2 = await ask(list)
  const { port } = app.server.address() as { port: number }
  const { sendBytes } = await import('../api/sockets.ts')
  const before = app.edgeAnswers
  const bytes = `GET ${list} HTTP/1.1\r\nHost: x\r\n${bearer.join(': ')}\r\n\r\n`
  const last = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const [over1] = await sendBytes(port, bytes + last, true)
  t.equal(app.edgeAnswers, before + 1, 'which HTTP/2 made known')
  t.equal(over1?.body, Buffer.from(over2.body, 'latin1').toString())
  const { connection, 'keep-alive': alive, ...headers } = over1?.headers ?? {}
  t.match(connection, 'keep-alive')
  t.ok(alive)
  const asOver1 = { ...over2, headers }
  t.same(lasting(asOver1), lasting(over2))
})

t.test('the audit trail and quotas count reads over HTTP/2', async (t) => {
  const { app, ask, bearer, customerId } = await start(t)
  const left = ({ headers }: Answer) => Number(/"minute";r=(\d+)/.exec(String(headers.ratelimit))?.[1])
  await ask(list)
  const first = await ask(list)
  const etag = String(first.headers.etag)
  await ask(list, [bearer, ['if-none-match', etag]])
  const same = await ask(list, [bearer, ['if-none-match', etag]])
  t.match(same, { status: 304, isFast: true, body: '' })
  t.equal(left(first) - left(same), 0, 'a 304 costs nothing of the minute')
  t.equal(left(await ask(list)), left(first) - 1)
  await app.audit.flush()
  const entries = await listEntries(database.operator, { customer: customerId, limit: 10 })
  const counts = entries
    .filter(({ action }) => action === 'reads')
    .map(({ details }) => [details?.status, details?.count, details?.rows])
  t.same(counts.sort(), [
    [200, 3, 9],
    [304, 2, 0],
  ])
})

t.test('streams that are reset before, during and after their answers harm no other stream', async (t) => {
  const { app, ask, open, request } = await start(t)
  const page = '/v1/products?limit=300'
  await twice(() => ask(page))
  const before = app.edgeAnswers
  const codes = [constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_NO_ERROR]
  for (const code of codes) {
    const session = await open({ initialWindowSize: 10 })
    // The request and its reset arrive together.
    for (let n = 0; n < 5; n += 1) request(session, page).close(code)
    const streams = Array.from({ length: 5 }, () => request(session, page))
    await Promise.all(streams.map((stream) => once(stream, 'response')))
    for (const stream of streams) stream.close(code)
    await Promise.all(streams.map((stream) => stream.closed || once(stream, 'close')))
    session.destroy()
  }
  const torn = await open({ initialWindowSize: 10 })
  const hanging = request(torn, page)
  await once(hanging, 'response')
  torn.destroy(undefined, constants.NGHTTP2_PROTOCOL_ERROR)
  t.match(await ask(page), { status: 200, isFast: true })
  t.ok(app.edgeAnswers - before >= 3 * 5 + 2)
})

t.test('a session that sends GOAWAY still gets its earlier requests answered', async (t) => {
  const { ask, open, request, read } = await start(t)
  await twice(() => ask(list))
  const session = await open()
  const streams = Array.from({ length: 20 }, () => request(session, list))
  const answers = streams.map(read)
  await Promise.all(streams.map((stream) => stream.pending && once(stream, 'ready')))
  // The first response shows that all requests were sent.
  await once(streams[0] as ClientHttp2Stream, 'response')
  session.close()
  t.same(
    (await Promise.all(answers)).map(({ status }) => status),
    answers.map(() => 200),
  )
})

t.test('many parallel streams are answered, each with a unique request id', async (t) => {
  const { app, ask, session, request, read } = await start(t)
  await twice(() => ask(list))
  const before = app.edgeAnswers
  const answers = await Promise.all(Array.from({ length: 120 }, () => read(request(session, list))))
  t.equal(app.edgeAnswers, before + 120)
  t.equal(new Set(answers.map(({ headers }) => headers['request-id'])).size, 120)
  t.equal(new Set(answers.map(({ body }) => body)).size, 1)
})

t.test('a client that does not read blocks no other client, and its answers use no memory', async (t) => {
  const { app, ask, open, request } = await start(t)
  const page = '/v1/products?limit=400'
  const { body } = await twice(() => ask(page))
  t.ok(body.length > 300_000)
  const session = await open({ initialWindowSize: 0 })
  const bytes = () => process.memoryUsage().arrayBuffers
  const answersBefore = app.edgeAnswers
  const bytesBefore = bytes()
  const streams = Array.from({ length: 20 }, () => request(session, page))
  await Promise.all(streams.map((stream) => once(stream, 'response')))
  t.equal(app.edgeAnswers, answersBefore + 20)
  t.ok(bytes() - bytesBefore < body.length * 3, `${bytes() - bytesBefore} bytes for 20 answers`)
  t.match(await ask(page), { status: 200, isFast: true, body }, 'others are answered')
  t.match(await ask(list), { status: 200 })
})
