import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, operatorRole, readerRole } from '../../app/db/connect.ts'
import { migrate } from '../../app/db/migrate.ts'
import { ensureSigningKeys } from '../../app/identity/key-rotation.ts'
import { startPostgres } from '../../checks/freshness/postgres.ts'
import { generatePythonResources, generatePythonTypes } from '../../clients/python/generate.ts'
import { generateTypes } from '../../clients/typescript/generate.ts'
import {
  type Change,
  type ChangeStore,
  createClient,
  ProblemError,
  type RetryOptions,
} from '../../clients/typescript/src/index.ts'
import { createTokenSource } from '../../clients/typescript/src/token.ts'
import { pretendRestore } from '../features/feed/follower.ts'
import {
  addCustomer,
  closeAfter,
  createTestDatabase,
  createTestExports,
  listenTestApp,
  secretKey,
  type TestClock,
  type TestDatabase,
  until,
} from '../helper.ts'

const root = join(import.meta.dirname, '../..')
const database = await createTestDatabase()
const { operator } = database
const clock: TestClock = { offsetMs: 0 }
const { app, origin } = await listenTestApp(database, { clock })
closeAfter(t, app, database)

type Sent = { path: string; method: string; status: number | undefined; headers: Headers }

/** Returns a `fetch` that records its requests. */
const recording = () => {
  const sent: Sent[] = []
  const recorded: typeof fetch = async (input, init) => {
    const url = new URL(String(input))
    const entry: Sent = {
      path: url.pathname + url.search,
      method: init?.method ?? 'GET',
      status: undefined,
      headers: new Headers(init?.headers),
    }
    sent.push(entry)
    const answer = await fetch(input, init)
    entry.status = answer.status
    return answer
  }
  const logins = () => sent.filter(({ path }) => path === '/v1/auth/login').length
  return { sent, fetch: recorded, logins }
}

const quick = { firstDelayMs: 20 }
let customers = 0
/** Creates a customer with products, and a client. */
const newClient = async (products = 0, at = { database, origin }, retry: Partial<RetryOptions> = quick) => {
  const id = `client-${++customers}`
  const apiKey = await addCustomer(at.database, id)
  await addProducts(id, products, at.database)
  const record = recording()
  const client = createClient({ url: at.origin, apiKey, retry, fetch: record.fetch })
  return { id, apiKey, client, ...record }
}

const addProducts = (customer: string, count: number, at: TestDatabase = database) =>
  sql`insert into products (customer_id, id, name)
    select ${customer}, 'p' || i, 'Product ' || lpad(i::text, 6, '0') from generate_series(1, ${count}) i`.execute(
    at.operator,
  )

/** Returns the problem that rejects a promise. */
const refusal = async (promise: Promise<unknown>): Promise<ProblemError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProblemError)) throw new Error(`no problem: ${error}`)
  return error
}

const listen = async (t: Test, answer: (answer: ServerResponse, request: IncomingMessage) => void) => {
  const server = createServer((request, response) => answer(response, request)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('the committed types match the document', async (t) => {
  const document = (await app.inject('/openapi.json')).json()
  const committed = (name: string) => readFileSync(join(root, 'clients', name), 'utf8')
  t.ok(committed('typescript/src/types.ts') === generateTypes(document), 'else: npm run client:types')
  const python = committed('python/src/certdata_client/types.py')
  t.ok(python === generatePythonTypes(document), 'else: npm run client:types')
  const resources = committed('python/src/certdata_client/resources.py')
  t.ok(resources === generatePythonResources(document), 'else: npm run client:types')
})

t.test('the collection requests only documented operations', async (t) => {
  const { paths } = (await app.inject('/openapi.json')).json()
  const files = globSync('clients/bruno/**/*.bru', { cwd: root })
  const asked = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return [...text.matchAll(/^(get|post) \{\n {2}url: \{\{url\}\}([^?\n]+)/gm)].map(([, method, path]) => ({
      method,
      path,
    }))
  })
  t.ok(asked.length >= 15)
  const isDescribed = (path: string, method: string) =>
    Object.keys(paths).some((template) => {
      const pattern = template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')
      return new RegExp(`^${pattern}$`).test(path) && paths[template][method]
    })
  t.same(
    asked.filter(({ method, path }) => !isDescribed(path as string, method as string)),
    [],
  )
})

t.test('parallel requests share one login, also if the key is refused, without a retry', async (t) => {
  const { client, logins } = await newClient(3)
  const pages = await Promise.all(Array.from({ length: 20 }, () => client.list('products', { limit: 2 })))
  t.ok(pages.every(({ data }) => data.length === 2))
  t.equal(logins(), 1)
  const record = recording()
  const wrong = createClient({ url: origin, apiKey: 'cda_live_no', retry: quick, fetch: record.fetch })
  const errors = await Promise.all([refusal(wrong.list('products')), refusal(wrong.me())])
  t.same(new Set(errors.map(({ code, status }) => `${status} ${code}`)), new Set(['401 invalid_api_key']))
  t.equal(record.sent.length, 1)
})

t.test('a key is sent without the whitespace around it', async (t) => {
  const { apiKey } = await newClient()
  const bodies: unknown[] = []
  const recorded: typeof fetch = (input, init) => {
    if (init?.method === 'POST') bodies.push(init.body)
    return fetch(input, init)
  }
  await createClient({ url: origin, apiKey: ` ${apiKey}\n`, fetch: recorded }).me()
  t.same(bodies, [JSON.stringify({ api_key: apiKey })])
})

t.test('a token is renewed by one login before its end, without delays', async (t) => {
  const logins: ((ok: boolean) => void)[] = []
  let now = 0
  const source = createTokenSource(
    () =>
      new Promise((resolve, reject) => {
        logins.push((ok) => {
          if (ok) resolve({ value: `token ${logins.length}`, expiresAtMs: now + 3_600_000 })
          else reject(new Error('refused'))
        })
      }),
    () => now,
  )
  const first = [source.get(), source.get()]
  t.equal(logins.length, 1)
  logins[0]?.(true)
  t.same(await Promise.all(first), ['token 1', 'token 1'])
  now = 3_539_999
  t.equal(await source.get(), 'token 1')
  t.equal(logins.length, 1, 'not before the last minute')
  now = 3_540_000
  t.same(
    await Promise.all([source.get(), source.get()]),
    ['token 1', 'token 1'],
    'the old token until it expires',
  )
  t.equal(logins.length, 2)
  logins[1]?.(false)
  await until(
    'the failed login is forgotten',
    async () => (await source.get()) === 'token 1' && logins.length === 3,
  )
  logins[2]?.(true)
  await until('the next token is there', async () => (await source.get()) === 'token 3')
  now += 3_600_000
  const late = source.get()
  t.equal(logins.length, 4, 'an expired token is not used')
  logins[3]?.(true)
  t.equal(await late, 'token 4')
})

t.test('a walk continues with a new token if its token expires or is revoked', async (t) => {
  const { client, logins, apiKey, sent } = await newClient(7)
  t.teardown(() => {
    clock.offsetMs = 0
  })
  const names: string[] = []
  for await (const { name } of client.all('products', { limit: 2, fields: ['name'] })) {
    names.push(name)
    if (names.length === 3) clock.offsetMs = 7_200_000
    if (names.length === 5) {
      const token = sent.at(-1)?.headers.get('authorization')?.slice('Bearer '.length) as string
      const authorization = `Basic ${btoa(`${apiKey.split('_')[2]}:${apiKey}`)}`
      const body = new URLSearchParams({ token })
      t.equal(
        (await fetch(`${origin}/v1/oauth/revoke`, { method: 'POST', headers: { authorization }, body }))
          .status,
        200,
      )
      await until('the revocation counts', async () => {
        const answer = await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
        return answer.status === 401
      })
    }
  }
  t.same(
    names,
    [1, 2, 3, 4, 5, 6, 7].map((i) => `Product 00000${i}`),
  )
  t.equal(logins(), 3, 'at first, after the end, after the revocation')
  t.equal(sent.filter(({ status }) => status === 401).length, 2)
})

t.test('reads every page once, requests pages only when needed, and selects fields', async (t) => {
  const { client, sent } = await newClient(11)
  const ids = new Set<string>()
  for await (const record of client.all('products', { limit: 4, 'name[prefix]': 'Product' }))
    ids.add(record.id)
  t.equal(ids.size, 11)
  const pages = sent.filter(({ path }) => path.startsWith('/v1/products')).length
  t.equal(pages, 3)
  for await (const _ of client.all('products', { limit: 4, sort: '-name' })) break
  t.equal(sent.filter(({ path }) => path.startsWith('/v1/products')).length, pages + 1)
  const { data } = await client.list('products', { limit: 1, fields: ['name', 'brand'] })
  t.same(Object.keys(data[0] ?? {}).sort(), ['brand', 'id', 'name'])
  // @ts-expect-error: the types do not have a field that was not requested
  t.equal(data[0]?.model, undefined)
  const few = await client.list('products', { limit: 1, fields: 'model,tags' })
  // @ts-expect-error: nor in a list that is written out
  t.equal(few.data[0]?.name, undefined)
  t.same(few.data[0]?.tags, [])
})

t.test('a record renamed between two pages is neither missed nor seen twice', async (t) => {
  const rename = (customer: string, id: string, name: string) =>
    sql`update products set name = ${name} where customer_id = ${customer} and id = ${id}`.execute(
      database.operator,
    )
  const walk = async (query: { sort?: string }) => {
    const { id: customer, client } = await newClient(5)
    const seen: string[] = []
    for await (const { id } of client.all('products', { ...query, limit: 2 })) {
      seen.push(id)
      if (seen.length > 2) continue
      // From the first page to the end, and from the last one to the front.
      if (seen.length === 1) await rename(customer, 'p1', 'Z')
      else await rename(customer, 'p5', 'A')
    }
    return seen
  }
  t.same(await walk({}), ['p1', 'p2', 'p3', 'p4', 'p5'])
  t.same(await walk({ sort: 'name' }), ['p1', 'p2', 'p3', 'p4', 'p1'], 'as the caller asked')
})

t.test('a 304 returns the cached answer, and a changed answer replaces it', async (t) => {
  const { id, client } = await newClient(1)
  const first = await client.request<{ data: { name: string } }>('/v1/products/p1')
  first.body.data.name = 'spoilt by the caller'
  const again = await client.request<{ data: { name: string } }>('/v1/products/p1')
  t.same([first.notModified, again.notModified, again.body.data.name], [false, true, 'Product 000001'])
  await sql`update products set name = 'Other' where customer_id = ${id}`.execute(operator)
  t.equal((await client.get('products', 'p1', {}, { fresh: true })).data.name, 'Other')
  const without = createClient({ url: origin, apiKey: await addCustomer(database, id), cache: false })
  await without.get('products', 'p1')
  t.equal((await without.request('/v1/products/p1')).notModified, false)
})

t.test('only a fresh request sends no-cache', async (t) => {
  const seen: (string | undefined)[][] = []
  const url = await listen(t, (answer, { headers }) => {
    seen.push([headers['if-none-match'], headers['cache-control']])
    answer.writeHead(200, { etag: '"a"', 'content-type': 'application/json' }).end('{}')
  })
  const client = createClient({ url, token: 'x' })
  await client.request('/v1/me')
  await client.request('/v1/me')
  await client.request('/v1/me', {}, { fresh: true })
  t.same(seen, [
    [undefined, 'max-age=1'],
    ['"a"', 'max-age=1'],
    ['"a"', 'no-cache'],
  ])
})

t.test('requests over a quota succeed after Retry-After', async (t) => {
  const windows: TestClock = { offsetMs: 0, isStopped: true }
  const limited = await listenTestApp(database, { env: { LIMIT_PREMIUM_BURST: '5' }, clock: windows })
  t.teardown(() => limited.app.close())
  const { client, sent } = await newClient(1, { database, origin: limited.origin })
  let served = 0
  const asked = Array.from({ length: 12 }, () => client.list('products').then(() => (served += 1)))
  const refused = () => sent.filter(({ status }) => status === 429).length
  await until('all were answered once', () => served + refused() >= 12)
  t.ok(refused() >= 7, `${refused()} refusals`)
  let known = 0
  await until('all are served', () => {
    // Each time requests were refused, the next window starts.
    if (refused() > known) windows.offsetMs += 2_000
    known = refused()
    return served === 12
  })
  await Promise.all(asked)
  const impatient = createClient({
    url: limited.origin,
    apiKey: await addCustomer(database, 'impatient'),
    retry: { retries: 0 },
  })
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => impatient.list('products')))
  const reasons = outcomes.flatMap((each) =>
    each.status === 'rejected' ? [each.reason as ProblemError] : [],
  )
  t.ok(reasons.length > 0 && reasons.every(({ code }) => code === 'quota_exceeded'))
  t.same(reasons[0]?.problem['violated-policies'], ['burst'])
  t.ok((reasons[0]?.retryAfterMs ?? 0) >= 1000)
})

t.test('an abort ends a wait, a login and a long poll, but no other request', async (t) => {
  const { client, logins, sent } = await newClient(5)
  const reason = new Error('enough')
  const early = new AbortController()
  const [aborted, other] = [client.list('products', {}, { signal: early.signal }), client.list('products')]
  early.abort(reason)
  await t.rejects(aborted, reason)
  t.equal((await other).data.length, 5, 'the shared login continues')
  t.equal(logins(), 1)

  const refusing = await listen(t, (answer) => answer.writeHead(503, { 'retry-after': '30' }).end())
  const silent = await listen(t, () => {})
  const timeout = { name: 'TimeoutError' }
  const waiting = createClient({ url: refusing, token: 'x' })
  await t.rejects(waiting.me({ signal: AbortSignal.timeout(50) }), timeout, 'in a wait')
  const loggingIn = createClient({ url: silent, apiKey: 'x' })
  await t.rejects(loggingIn.me({ signal: AbortSignal.timeout(50) }), timeout, 'in a login')

  const held = new AbortController()
  const following = client.follow(createStore(), { signal: held.signal })
  const ended = t.rejects(following, reason)
  const poll = () => sent.find(({ path }) => path.includes('wait=25'))
  await until('a poll waits', () => poll() !== undefined)
  held.abort(reason)
  await ended
  t.equal(poll()?.status, undefined, 'the poll had no answer')
})

type Copy = {
  token: string | undefined
  records: Map<string, { id: string }>
  replaced: number
  applied: number
}

/** A copy in memory that changes atomically, as in a database. */
const createStore = (): Copy & ChangeStore => {
  const copy: Copy = { token: undefined, records: new Map(), replaced: 0, applied: 0 }
  return Object.assign(copy, {
    loadToken: async () => copy.token,
    async replaceAll(state: AsyncIterable<Change>, token: string) {
      const records: Copy['records'] = new Map()
      for await (const { resource, id, data } of state)
        records.set(`${resource}/${id}`, data as { id: string })
      Object.assign(copy, { records, token, replaced: copy.replaced + 1 })
    },
    async apply(changes: readonly Change[], token: string) {
      for (const { op, resource, id, data } of changes) {
        if (op === 'delete') copy.records.delete(`${resource}/${id}`)
        else copy.records.set(`${resource}/${id}`, data)
      }
      Object.assign(copy, { token, applied: copy.applied + changes.length })
    },
  })
}

const readProducts = async (client: ReturnType<typeof createClient>) => {
  const records = new Map<string, { id: string }>()
  for await (const each of client.all('products', { limit: 500 }, { fresh: true }))
    records.set(`products/${each.id}`, each)
  return records
}

const startFollowing = (t: Test, client: ReturnType<typeof createClient>, restarts: string[] = []) => {
  const stopping = new AbortController()
  const store = createStore()
  const following = client.follow(store, {
    resources: ['products'],
    waitSeconds: 5,
    limit: 50,
    signal: stopping.signal,
    onRestart: ({ code }) => restarts.push(code),
  })
  following.catch(() => {})
  t.teardown(() => stopping.abort())
  return { store, following }
}

t.test('a follower has the rows of a full read after upserts and deletions', async (t) => {
  const { id, client } = await newClient(120)
  const { store } = startFollowing(t, client)
  await until('the state is there', () => store.replaced === 1)
  t.same(store.records, await readProducts(client))
  await sql`update products set brand = 'new' where customer_id = ${id} and id like 'p1%'`.execute(operator)
  await sql`delete from products where customer_id = ${id} and id like 'p2%'`.execute(operator)
  await until('the changes are there', async () => store.records.size === 109 && store.applied >= 43)
  t.same(store.records, await readProducts(client))
  t.equal(store.replaced, 1)
})

t.test('a follower begins again after 410, and removes records deleted in between', async (t) => {
  const { id, client } = await newClient(4)
  const restarts: string[] = []
  const { store } = startFollowing(t, client, restarts)
  await until('the state is there', () => store.replaced === 1)
  await pretendRestore(t, database.url)
  await sql`delete from products where customer_id = ${id} and id = 'p2'`.execute(operator)
  await until('it began again', () => store.replaced === 2)
  t.same(restarts, ['sync_token_expired'])
  t.same([...store.records.keys()].sort(), ['products/p1', 'products/p3', 'products/p4'])
})

t.test('a partial state is read again, and an error of the store ends the client', async (t) => {
  const { client } = await newClient(4_000)
  const store = createStore()
  let cuts = 0
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const careful: ChangeStore = {
    ...store,
    async replaceAll(state, token) {
      async function* watched() {
        for await (const change of state) {
          if (cuts++ === 0) app.server.closeAllConnections()
          yield change
        }
      }
      await store.replaceAll(watched(), token)
    },
    apply: async () => {
      throw new TypeError('the disk is full')
    },
  }
  const following = client.follow(careful, { resources: ['products'], signal: stopping.signal })
  await until('the state is there', () => store.replaced === 1)
  t.equal(store.records.size, 4_000)
  t.ok(cuts > 4_000 && cuts < 8_000, 'a part, then the whole')
  const ended = t.rejects(following, { message: 'the disk is full' })
  await sql`update products set brand = 'x' where id = 'p1' and customer_id = ${`client-${customers}`}`.execute(
    operator,
  )
  await ended
})

/** Starts a service on a separate PostgreSQL server, which the test restarts. */
const createRestartable = async (t: Test) => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = server.url('postgres')
  const open = (role: string | undefined) =>
    createDb(
      createPool(url, { ...(role ? { role } : {}), max: 4, applicationName: 'test', onError: () => {} }),
    )
  const owner = open(undefined)
  await migrate(owner)
  await ensureSigningKeys(owner, createSecrets([secretKey]))
  await owner.destroy()
  const [operator, reader] = [open(operatorRole), open(readerRole)]
  const exports = createTestExports(url)
  const pools = { operator, reader, reserved: reader }
  const own: TestDatabase = { url, ...pools, exportSource: exports.source, close: exports.close }
  const { app, origin } = await listenTestApp(own)
  closeAfter(t, app, own, operator, reader)
  return { server, database: own, origin }
}

t.test('readers and followers survive a restart of the database', async (t) => {
  const { server, ...at } = await createRestartable(t)
  // A busy machine may take a minute to start PostgreSQL.
  const { id, client, sent } = await newClient(30, at, { ...quick, retries: 60 })
  const { store } = startFollowing(t, client)
  await until('the state is there', () => store.replaced === 1)
  const failures: unknown[] = []
  let reads = 0
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      // A new query each time, so that no answer is cached.
      await client.list('products', { 'name[ne]': `x${reads++}` }).catch((error) => failures.push(error))
    }
  })()
  await until('it reads', () => reads > 5)
  const saysUnavailable = () => sent.some(({ status }) => status === 503)
  await server.crash()
  await until('the service says that it is unavailable', saysUnavailable)
  await server.launch()
  const before = reads
  await until('it reads again', () => reads > before + 5)
  isOver = true
  await reading
  t.same(failures, [])
  await sql`update products set brand = 'after' where customer_id = ${id}`.execute(at.database.operator)
  await until('the follower continues', () => store.applied >= 30)
  t.same(store.records, await readProducts(client))
  t.equal(store.replaced, 1)
})

t.test('a key that ends within 14 days is reported once, by default on the console', async (t) => {
  const dayMs = 86_400_000
  let logins = 0
  /** Each login is the last with its token, and the key has one day less. */
  const expire: typeof fetch = async (input) => {
    if (!String(input).endsWith('/v1/auth/login')) return Response.json({ data: {} })
    const expires_at = new Date(Date.now() + (16.5 - ++logins) * dayMs).toISOString()
    const key = { id: 'k1', name: 'ERP', expires_at }
    return Response.json({ access_token: `t${logins}`, token_type: 'Bearer', expires_in: 0, scope: '', key })
  }
  const read = async (options: object) => {
    const client = createClient({ url: 'http://localhost', apiKey: 'x', fetch: expire, ...options })
    logins = 0
    for (let n = 0; n < 5; n++) await client.request('/v1/me')
  }
  const seen: object[] = []
  const { warn, error } = console
  t.teardown(() => Object.assign(console, { warn, error }))
  const lines: string[] = []
  Object.assign(console, {
    warn: (line: string) => lines.push(line),
    error: (line: string) => lines.push(line),
  })
  const onKeyExpiring = (key: object) => {
    seen.push({ key, logins })
    throw new Error('of the caller')
  }
  await read({ onKeyExpiring })
  t.match(seen, [{ key: { id: 'k1', name: 'ERP' }, logins: 3 }])
  t.strictSame(lines.splice(0), ['certdata-client: onKeyExpiring failed:'], 'it fails no request')
  await read({})
  t.equal(lines.length, 1)
  t.match(lines[0], /^certdata-client: the API key k1 \(ERP\) ends at 20/)
})

t.test('a warning may rotate the key, and fails no request if it cannot', async (t) => {
  const dayMs = 86_400_000
  const { error } = console
  const { now: realNow } = Date
  let offsetMs = 0
  t.teardown(() => {
    console.error = error
    Date.now = realNow
  })
  Date.now = () => realNow() + offsetMs
  /** Each key lives 8 days. Each read logs in again. */
  let keys = 0
  const ends: string[] = []
  let refusesRotation = false
  const rotating: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    const makeKey = () => {
      ends.push(new Date(Date.now() + 8 * dayMs).toISOString())
      return `key${++keys}`
    }
    if (pathname === '/v1/me/keys/rotate') {
      if (refusesRotation) return Response.json({}, { status: 400 })
      const api_key = makeKey()
      return Response.json({ api_key, key: { id: api_key, name: null, expires_at: ends.at(-1) } })
    }
    if (pathname !== '/v1/auth/login') return Response.json({ data: {} })
    const { api_key: id } = JSON.parse(String(init?.body)) as { api_key: string }
    const key = { id, name: null, expires_at: ends[Number(id.slice(3))] }
    return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 0, scope: '', key })
  }
  const lines: unknown[][] = []
  console.error = (...line: unknown[]) => lines.push(line)

  ends.push(new Date(Date.now() + 8 * dayMs).toISOString())
  const warned: string[] = []
  const stored: string[] = []
  const client = createClient({
    url: 'http://localhost',
    apiKey: 'key0',
    fetch: rotating,
    onKeyExpiring: async ({ id }) => {
      warned.push(id)
      await client.rotateKey((apiKey) => stored.push(apiKey))
    },
  })
  const read = async () => {
    for (let n = 0; n < 3; n++) await client.request('/v1/me')
  }
  await read()
  await until('the key is rotated', () => stored.length > 0)
  await read()
  t.strictSame(
    [warned, stored],
    [['key0'], ['key1']],
    'the new key does not warn, although it ends in 8 days',
  )
  offsetMs = 5 * dayMs
  refusesRotation = true
  await read()
  await until('the refusal is reported', () => lines.length > 0)
  t.strictSame(warned, ['key0', 'key1'], 'it warns in the second half of its life')
  t.match(lines, [['certdata-client: onKeyExpiring failed:', { name: 'ProblemError', status: 400 }]])
})

t.test('a customer reads its keys, its usage and its webhooks', async (t) => {
  const scopes = ['products:read', 'account:read']
  const apiKey = await addCustomer(database, 'account', { scopes })
  const client = createClient({ url: origin, apiKey })
  await addCustomer(database, 'account')
  const keys = await client.listKeys()
  t.equal(keys.length, 2)
  t.match(
    keys.find(({ is_current }) => is_current),
    { id: apiKey.split('_')[2], state: 'active', expires_at: null, scopes: scopes.toSorted() },
  )
  await sql`insert into usage_days values ('account', current_date, '/v1/products', 5, 3, 1, 900)`.execute(
    operator,
  )
  const { data, counted } = await client.getUsage()
  t.match(data, [{ endpoint: '/v1/products', requests: 5, not_modified: 3, refused: 1, bytes: 900 }])
  t.match(counted, { until: data[0]?.day, write_seconds: 60 })
  const id = 'wh_aaaaaaaaaaaaaaaa'
  await sql`insert into webhooks (customer_id, webhook_id, url, resources, token, since, day, identity)
    values ('account', ${id}, 'https://account.example/hook', '{products}', 't', '3', current_date, 'i')`.execute(
    operator,
  )
  const delivery = JSON.stringify({ at: '2026-11-28T09:00:00Z', message_id: 'msg_1', result: '500' })
  await sql`select log_webhook_delivery('account', ${id}, ${delivery}::json)`.execute(operator)
  t.match(await client.listWebhooks(), [{ id, url: 'https://account.example/hook', state: 'active' }])
  t.match(await client.listWebhookDeliveries(id), [{ message_id: 'msg_1', result: '500' }])
  const other = createClient({ url: origin, apiKey: await addCustomer(database, 'account-2', { scopes }) })
  t.same(await other.listWebhooks(), [])
  t.equal((await refusal(other.listWebhookDeliveries(id))).code, 'not_found')
  t.equal((await refusal(other.listWebhookDeliveries('../keys'))).code, 'not_found', 'an id is one segment')
  const { client: without } = await newClient()
  for (const read of [without.listKeys, without.getUsage, without.listWebhooks])
    t.match(await refusal(read()), { code: 'insufficient_scope', status: 403 })
})

t.test('a rotation returns the new key with its full life, not the end of its wait', async (t) => {
  const apiKey = await addCustomer(database, 'lived', { scopes: ['keys:rotate'] })
  await sql`update api_keys set expires_at = now() + interval '90 days' where customer_id = 'lived'`.execute(
    operator,
  )
  const client = createClient({ url: origin, apiKey })
  const { id, expires_at: end } = await client.rotateKey(() => {})
  t.match((await client.me()).key, { id, expires_at: end })
  t.ok(Date.parse(String(end)) > Date.now() + 89 * 86_400_000)
})

t.test('a rotated key is stored before its first login, also if an answer was lost', async (t) => {
  const apiKey = await addCustomer(database, 'rotating', { scopes: ['products:read', 'keys:rotate'] })
  const sent: string[] = []
  let lost = 0
  const lossy: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    sent.push(pathname)
    const answer = await fetch(input, init)
    if (pathname === '/v1/me/keys/rotate' && ++lost === 1) throw new TypeError('the connection broke')
    return answer
  }
  const client = createClient({ url: origin, apiKey, retry: quick, fetch: lossy })
  const stored: string[] = []
  await t.rejects(
    client.rotateKey(() => {
      throw new Error('the disk is full')
    }),
    /the disk is full/,
  )
  t.strictSame(sent.splice(0), ['/v1/me/keys/rotate', '/v1/me/keys/rotate'], 'no login with this key')
  t.equal((await client.me()).key?.id, apiKey.split('_')[2], 'the previous key stays in use')
  sent.length = 0
  const [key, early] = await Promise.allSettled([
    client.rotateKey((fresh) => {
      sent.push('stored')
      stored.push(fresh)
    }),
    client.rotateKey((fresh) => stored.push(fresh)),
  ])
  t.strictSame(sent.slice(0, 4), ['/v1/me/keys/rotate', 'stored', '/v1/auth/login', '/v1/me/keys/rotate'])
  t.match(early, { status: 'rejected', reason: { code: 'quota_exceeded' } }, 'one after the other')
  t.equal(stored.length, 1)
  const [fresh = ''] = stored
  t.match(key, { status: 'fulfilled', value: { id: fresh.split('_')[2] } })
  t.equal((await client.me()).key?.id, fresh.split('_')[2])
  t.match(await client.me(), { scopes: ['keys:rotate', 'products:read'] })

  const demo = createClient({ url: origin, token: 'cda_demo_public' })
  const signer = createClient({ url: origin, clientId: 'x', privateKey: 'y' })
  for (const each of [demo, signer])
    await t.rejects(
      each.rotateKey(() => {}),
      /Only a client with an API key/,
    )
})
