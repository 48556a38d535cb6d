import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { revokeApiKey } from '../../app/identity/api-key-store.ts'
import { type ChangesPage, type ClientOptions, createClient } from '../../clients/typescript/src/index.ts'
import { createDoor } from '../door.ts'
import { pretendRestore } from '../features/feed/follower.ts'
import { addCustomer, createTestApp, createTestDatabase, listenTestApp, until } from '../helper.ts'
import { createStandingClock } from '../standing-clock.ts'

const database = await createTestDatabase()
const { operator } = database
const { app, origin } = await listenTestApp(database)
t.teardown(async () => {
  const closing = app.close()
  app.server.closeAllConnections()
  await closing
  await database.close()
})

const quick = { firstDelayMs: 20 }
let customers = 0
/** Creates a customer, and a client whose connections `door` can cut. */
const newClient = async (t: Test, options: Partial<ClientOptions> = {}, at = origin) => {
  const id = `streamer-${++customers}`
  const apiKey = await addCustomer(database, id)
  const door = await createDoor(() => connect(Number(new URL(at).port), 'localhost'))
  t.teardown(door.close)
  const logins: string[] = []
  const counted: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/v1/auth/login')) logins.push(String(input))
    return fetch(input, init)
  }
  const url = `http://127.0.0.1:${door.port}`
  const client = createClient({ url, apiKey, retry: quick, fetch: counted, ...options })
  return { id, apiKey, door, client, logins }
}
type Client = Awaited<ReturnType<typeof newClient>>['client']

const addProduct = (customer: string, id: string) =>
  sql`insert into products (customer_id, id, name) values (${customer}, ${id}, ${id})`.execute(operator)

const listIds = (pages: readonly ChangesPage[]) => pages.flatMap(({ data }) => data.map(({ id }) => id))

const startReading = (t: Test, client: Client, query: Parameters<Client['streamChanges']>[0] = {}) => {
  const pages: ChangesPage[] = []
  const stopping = new AbortController()
  const ended = (async () => {
    for await (const page of client.streamChanges(query, { signal: stopping.signal })) pages.push(page)
  })().catch((error: unknown) => error)
  t.teardown(() => stopping.abort())
  return { pages, ended, stop: (reason?: unknown) => stopping.abort(reason) }
}

const readCode = async (ended: Promise<unknown>) => ((await ended) as { code?: string }).code

t.test('a stream has the same pages as the feed, with the same query', async (t) => {
  const { id, client } = await newClient(t)
  const { value: start } = await client.changes({ resources: ['products'] }).next()
  const after = start?.page.next_token as string
  for (const each of ['p1', 'p2', 'p3']) await addProduct(id, each)
  await client.get('products', 'p3', {}, { fresh: true })
  const paged: ChangesPage[] = []
  for await (const page of client.changes({ after, limit: 2 })) paged.push(page)
  const { pages } = startReading(t, client, { after, limit: 2 })
  await until('all are there', () => listIds(pages).length === 3)
  t.same(
    pages.map(({ data }) => data),
    paged.map(({ data }) => data),
  )
  const filtered = startReading(t, client, { resources: ['products'], fields: ['name'], brand: 'Acme' })
  await until('it began', () => filtered.pages.length === 1)
  await sql`insert into products (customer_id, id, name, brand) values (${id}, 'p4', 'Four', 'Acme')`.execute(
    operator,
  )
  await until('the change', () => filtered.pages.length === 2)
  t.match(filtered.pages[1]?.data, [{ id: 'p4', data: { id: 'p4', name: 'Four' } }])
  t.same(Object.keys(filtered.pages[1]?.data[0]?.data ?? {}), ['id', 'name'])
})

t.test('each change arrives once and in order, even if the connection is cut', async (t) => {
  const { id, client, door } = await newClient(t)
  const { pages } = startReading(t, client, { resources: ['products'] })
  await until('it began', () => pages.length === 1)
  const ids = Array.from({ length: 12 }, (_, n) => `p${n + 10}`)
  for (const [n, each] of ids.entries()) {
    // Cuts the connection before a change, right after it, never, and for a while.
    if (n % 4 === 0) door.cut()
    if (n % 4 === 3) door.sever()
    await addProduct(id, each)
    if (n % 4 === 1) door.cut()
    if (n % 4 === 3) await door.mend()
    if (n % 4 === 2) await until('it has arrived', () => listIds(pages).includes(each))
  }
  await until('all are there', () => listIds(pages).length >= ids.length)
  t.same(listIds(pages), ids)
})

t.test('a stream continues after a restart of the service, with the changes in between', async (t) => {
  const first = await listenTestApp(database)
  const { id, client } = await newClient(t, {}, first.origin)
  const { pages } = startReading(t, client)
  await until('it began', () => pages.length === 1)
  const closing = first.app.close()
  await addProduct(id, 'p1')
  first.app.server.closeAllConnections()
  await closing
  await addProduct(id, 'p2')
  const second = await createTestApp(database, { origin: first.origin })
  t.teardown(() => {
    second.server.closeAllConnections()
    return second.close()
  })
  await second.listen({ host: 'localhost', port: Number(new URL(first.origin).port) })
  await until('both are there', () => listIds(pages).length === 2)
  t.same(listIds(pages), ['p1', 'p2'])
})

t.test('a stream logs in again when its token expires', async (t) => {
  const short = createStandingClock()
  const other = await listenTestApp(database, { env: { ACCESS_TOKEN_SECONDS: '60' }, clock: short })
  t.teardown(() => {
    other.app.server.closeAllConnections()
    return other.app.close()
  })
  const { id, client, logins } = await newClient(t, {}, other.origin)
  await client.me()
  // Only the service's clock moves, so that the client does not expect the end of its token.
  short.at += 58_500
  const { pages } = startReading(t, client)
  await until('it began', () => pages.length === 1)
  short.at += 2_000
  await until('it began again', () => pages.length === 2)
  t.equal(logins.length, 2)
  await addProduct(id, 'p1')
  await until('the change', () => listIds(pages).length === 1)
})

t.test('a permanent refusal ends a stream', async (t) => {
  const { client, apiKey } = await newClient(t)
  const { pages, ended } = startReading(t, client)
  await until('it began', () => pages.length === 1)
  await revokeApiKey(operator, apiKey.split('_')[2] as string)
  t.equal(await readCode(ended), 'invalid_api_key')
  const others = await newClient(t)
  t.equal(await readCode(startReading(t, others.client, { after: 'x' }).ended), 'invalid_sync_token')
  const waiting: Record<string, number> = { wait: 5 }
  t.equal(await readCode(startReading(t, others.client, waiting).ended), 'invalid_query')
  await t.rejects(others.client.streamChanges({ after: 'snapshot' }).next(), /use follow or catchUp/)
})

t.test('an expired sync token ends a stream, and catchUp begins again', async (t) => {
  const { id, client, door } = await newClient(t)
  const { pages, ended } = startReading(t, client, { resources: ['products'] })
  await until('it began', () => pages.length === 1)
  await pretendRestore(t, database.url)
  await addProduct(id, 'p1')
  door.cut()
  t.equal(await readCode(ended), 'sync_token_expired')
  let saved = pages[0]?.page.next_token
  const copy: string[] = []
  await client.catchUp(
    {
      loadToken: async () => saved,
      async replaceAll(state, token) {
        for await (const change of state) copy.push(change.id)
        saved = token
      },
      apply: async () => {},
    },
    { resources: ['products'] },
  )
  t.same(copy, ['p1'])
  const next = startReading(t, client, { after: saved as string })
  await addProduct(id, 'p2')
  await until('it continues', () => listIds(next.pages).includes('p2'))
})

t.test('the eleventh stream waits until another one ends', async (t) => {
  const { client } = await newClient(t)
  const readers = Array.from({ length: 11 }, () => startReading(t, client))
  const began = () => readers.filter(({ pages }) => pages.length > 0)
  await until('ten began', () => began().length === 10)
  began()[0]?.stop()
  await until('the last one began, too', () => began().length === 11)
  t.equal(readers.filter(({ pages }) => pages.length > 1).length, 0)
})

t.test('leaving the loop or aborting closes the connection in every state', async (t) => {
  const { client, door } = await newClient(t)
  await client.me()
  t.equal(door.connections, 1, 'the connection of the login')
  for await (const { page } of client.streamChanges()) {
    t.type(page.next_token, 'string')
    break
  }
  await until('left', () => door.connections === 0)
  const reading = startReading(t, client)
  await until('it began', () => reading.pages.length === 1)
  reading.stop('enough')
  t.equal(await reading.ended, 'enough')
  await until('aborted', () => door.connections === 0)
  // Between two pages, while the caller is busy.
  const stopping = new AbortController()
  const stream = client.streamChanges({}, { signal: stopping.signal })
  await stream.next()
  stopping.abort('enough')
  await until('aborted between pages', () => door.connections === 0)
  t.equal(await stream.next().catch((reason) => reason), 'enough')
  // While the client waits to connect again.
  const patient = await newClient(t, { retry: { firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 } })
  const waiting = startReading(t, patient.client)
  await until('it began', () => waiting.pages.length === 1)
  patient.door.sever()
  await until('it is cut', () => patient.door.connections === 0)
  waiting.stop('enough')
  t.equal(await waiting.ended, 'enough')
})

/** Starts a server with scripted answers that records its requests. Further requests get 500. */
const listen = async (t: Test, answers: ((response: ServerResponse, request: IncomingMessage) => void)[]) => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const answer = answers[asked.length] ?? (() => response.writeHead(500).end())
    asked.push(request.url)
    answer(response, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
/** Records all waits below 10 s, also of `fetch` itself, and skips them. */
const skipWaits = (t: Test): number[] => {
  const waits: number[] = []
  const { setTimeout: set } = globalThis
  const skipping = (run: (...given: unknown[]) => void, ms: number, ...given: unknown[]) => {
    if (ms >= 10_000) return set(run, ms, ...given)
    waits.push(ms)
    return set(run, 0, ...given)
  }
  t.intercept(globalThis, 'setTimeout', { value: skipping })
  return waits
}
const events = (text: string, isLast = true) => {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(text)
    if (isLast) response.end()
  }
}
const pageEvent = (token: string) =>
  `id: ${token}\ndata: {"data":[],"page":{"has_more":false,"next_token":"${token}"}}\n\n`

t.test('a stream waits for retry-after, and longer after each further failure', async (t) => {
  const busy = (response: ServerResponse) => response.writeHead(503, { 'retry-after': '1' }).end()
  const failing = (response: ServerResponse) => response.writeHead(502).end()
  const { url } = await listen(t, [events(`retry: 300\n${pageEvent('t1')}`), busy, failing, failing, failing])
  t.intercept(Math, 'random', { value: () => 1 })
  const waits = skipWaits(t)
  const client = createClient({ url, token: 'x', retry: { firstDelayMs: 40 } })
  t.match(await startReading(t, client).ended, { status: 500 })
  const expected = [300 + 40, 300 + 1_000 + 40, 300 + 4 * 40, 300 + 8 * 40, 300 + 16 * 40]
  t.same(
    waits.filter((ms) => expected.includes(ms)),
    expected,
  )
})

t.test('maxDelayMs bounds the wait that a stream requests', async (t) => {
  const script = await listen(t, [events(`retry: 99999999999999\n${pageEvent('t1')}`)])
  const client = createClient({ url: script.url, token: 'x', retry: { firstDelayMs: 1, maxDelayMs: 50 } })
  t.match(await startReading(t, client).ended, { status: 500 })
  t.equal(script.asked.length, 2)
})

t.test('a silent connection is replaced by a new one', async (t) => {
  const script = await listen(t, [
    (response) => response.on('close', () => {}),
    events(pageEvent('t1'), false),
  ])
  const client = createClient({ url: script.url, token: 'x', retry: quick, timeoutMs: 1 })
  // The client accepts 15 s of silence in addition to `timeoutMs`. Shorten its timer.
  const { setTimeout: set } = globalThis
  const hurried = (run: () => void, ms: number) => set(run, ms > 10_000 ? 1_000 : ms)
  t.intercept(globalThis, 'setTimeout', { value: hurried })
  t.match(await startReading(t, client).ended, { status: 500 })
  t.same(script.asked, ['/v1/changes', '/v1/changes', '/v1/changes?after=t1'])
})

t.test('a wrong media type or a malformed event ends a stream', async (t) => {
  const json = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"page":{}}')
  }
  const script = await listen(t, [json, events('data: {"data"\n\n')])
  const client = createClient({ url: script.url, token: 'x', retry: quick })
  t.match(await startReading(t, client).ended, { message: /application\/json/ })
  t.match(await startReading(t, client).ended, { name: 'SyntaxError' })
  t.equal(script.asked.length, 2)
})
