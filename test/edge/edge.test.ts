import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createKnownTargets, type KnownTarget, knownTargetBytes } from '../../app/edge/cached-responses.ts'
import { createIdentify, type EdgeConnection } from '../../app/edge/connection.ts'
import { isNotModified } from '../../app/http/fields.ts'
import type { Principal } from '../../app/identity/principal.ts'
import {
  addCustomer,
  createTestDatabase,
  listenTestApp,
  logIn,
  type TestAppOptions,
  until,
} from '../helper.ts'
import { lasting, leaseMs, ofTheMoment, twice } from './compare.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

type Reply = { status: number; headers: IncomingHttpHeaders; body: string }
type Headers = Record<string, string | string[]>
type Ask = (path: string, headers?: Headers, method?: string) => Promise<Reply>

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
t.teardown(() => agent.destroy())

const askAt =
  (origin: string, token: string): Ask =>
  async (path, headers = {}, method = 'GET') => {
    const { hostname: host, port } = new URL(origin)
    const all = { authorization: `Bearer ${token}`, ...headers }
    const sent = request({ host, port, path, method, headers: all, agent }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const body = (await buffer(answer)).toString('latin1')
    return { status: answer.statusCode ?? 0, headers: answer.headers, body }
  }

let customers = 0

const start = async (t: Test, options: TestAppOptions = {}) => {
  const { app, origin } = await listenTestApp(database, { leaseMs, ...options })
  t.teardown(() => app.close())
  const customerId = `edge-${++customers}`
  const apiKey = await addCustomer(database, customerId)
  await sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    select ${customerId}, 'c-' || n, 'N ' || n, repeat('ü', 40), 'approved', ${day(0)}::date + n
    from generate_series(0, 29) n`.execute(database.operator)
  const { token } = await logIn(app, apiKey)
  return { app, origin, customerId, token, ask: askAt(origin, token) }
}

const watch = async (app: FastifyInstance, ask: () => Promise<Reply>) => {
  const before = app.edgeAnswers
  const answer = await ask()
  return { ...answer, isFast: app.edgeAnswers > before }
}

const paths = [
  '/v1/certificates',
  '/v1/certificates?limit=5',
  '/v1/certificates?limit=5&include=product&expiring=true',
  '/certificates?limit=5&sort=-number',
  '/webapi/v1/api.php/certificates/c-1',
  '/v1/certificates/c-2?fields=number',
  '/v1/certificates?format=json',
  '/v1/countries?limit=2',
]
/** The edge leaves requests with this field to the router, whose answer it does not change. */
const byRouter = { pragma: 'none' }
t.test('the edge and the router return the same answer, field by field', async (t) => {
  const { app, ask } = await start(t)
  for (const path of paths) {
    const etag = String((await twice(() => ask(path))).headers.etag)
    const variants: Headers[] = [
      {},
      { accept: 'application/json', 'accept-encoding': 'gzip' },
      { accept: '*/*', 'accept-encoding': 'br;q=1.0, gzip;q=0.5' },
      { accept: 'text/html, application/*;q=0.1', 'accept-encoding': 'identity' },
      { 'if-none-match': etag },
      { 'if-none-match': `"other", ${etag}`, 'accept-encoding': 'zstd' },
      { 'if-none-match': '"other"', 'cache-control': 'max-age=1' },
      {
        'x-anything': 'else',
        'user-agent': 'x',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    ]
    for (const headers of variants) {
      await ask(path, headers)
      const fast = await watch(app, () => ask(path, headers))
      const routed = await watch(app, () => ask(path, { ...headers, ...byRouter }))
      t.equal(fast.isFast, true, `${path} ${JSON.stringify(headers)} by the edge`)
      t.equal(routed.isFast, false)
      t.same(lasting(fast), lasting(routed))
      for (const name of ofTheMoment) t.ok(fast.headers[name], name)
      t.not(fast.headers['request-id'], routed.headers['request-id'])
    }
  }
})

t.test('the edge matches a tag to which a proxy added its coding', async (t) => {
  const { app, ask } = await start(t)
  const path = '/v1/certificates?limit=5'
  const etag = String((await twice(() => ask(path))).headers.etag)
  const withSuffix = (suffix: string) => ({ 'if-none-match': `${etag.slice(0, -1)}${suffix}"` })
  const plain = await twice(() => ask(path, withSuffix('')))
  t.equal(plain.status, 304)
  for (const suffix of ['-gzip', ';gzip', '--gzip', '-br', ';br', '-zstd']) {
    for (const coding of ['identity', 'gzip']) {
      const headers = { ...withSuffix(suffix), 'accept-encoding': coding }
      const fast = await watch(app, () => ask(path, headers))
      t.equal(fast.isFast, true, suffix)
      t.same(lasting(fast), lasting(plain), 'with the headers and the tag of any other 304')
      t.same(lasting(await ask(path, { ...headers, ...byRouter })), lasting(plain))
    }
  }
  const other = await watch(app, () => ask(path, withSuffix('-x')))
  t.match(other, { status: 200, isFast: true })
})

t.test('a coding after a tag that ends with a hyphen is recognized', async (t) => {
  t.equal(isNotModified('W/"ab--gzip"', 'W/"ab-"'), true)
  t.equal(isNotModified('"ab---br", "x"', 'W/"ab-"'), true)
  t.equal(isNotModified('W/"ab-x-gzip"', 'W/"ab-"'), false)
})

t.test('no customer gets answers of another', async (t) => {
  const { app, origin, ask } = await start(t)
  const { token } = await logIn(app, await addCustomer(database, 'edge-other'))
  await twice(() => ask('/v1/certificates'))
  t.match(await watch(app, () => ask('/v1/certificates')), { isFast: true, status: 200 })
  const other = await watch(app, () => askAt(origin, token)('/v1/certificates'))
  t.equal(other.isFast, false)
  t.same(JSON.parse(other.body).data, [])
})

/** Records the keys of all authentications from now on, `undefined` for a refusal. */
const recordAuthentications = (app: FastifyInstance): (string | undefined)[] => {
  const keys: (string | undefined)[] = []
  const { authenticate } = app
  app.authenticate = (request) => {
    const place = keys.push(undefined) - 1
    const principal = authenticate(request)
    if (!(principal instanceof Promise)) keys[place] = principal.customerId
    return principal
  }
  return keys
}

t.test('a request that the router answers is authenticated once', async (t) => {
  const { app, customerId, ask } = await start(t)
  await ask('/v1/certificates?limit=1')
  const authentications = recordAuthentications(app)
  for (const path of ['/v1/certificates?limit=2', '/v1/me', '/v1/certificates/c-9', '/v1/nothing']) {
    t.match(await watch(app, () => ask(path)), { isFast: false })
    t.same(authentications.splice(0), [customerId], path)
  }
  t.match(await ask('/v1/certificates?limit=2', {}, 'HEAD'), { status: 200 })
  t.same(authentications.splice(0), [customerId], 'HEAD, which is not for the edge')
})

t.test('a refused token counts as one failure', async (t) => {
  const { app, origin } = await start(t)
  const delayed: string[] = []
  const { failures } = app.limiters
  const { delayToken } = failures
  Object.assign(failures, {
    delayToken: (address: string) => {
      delayed.push(address)
      return delayToken(address)
    },
  })
  for (const token of ['wrong', 'eyJhbGciOiJFZERTQSJ9.e30.x']) {
    t.match(await askAt(origin, token)('/v1/products'), { status: 401 })
    t.equal(delayed.splice(0).length, 1)
  }
})

t.test('requests of a connection are authenticated each by its own token', async (t) => {
  const { app, origin, customerId, token } = await start(t)
  const other = await logIn(app, await addCustomer(database, `${customerId}-other`))
  const { hostname, port } = new URL(origin)
  // The edge does not wait until the facts about a key are loaded.
  for (const each of [token, other.token]) await askAt(origin, each)('/v1/me')
  const socket = connect(Number(port), hostname)
  const get = (fields: string) => `GET /v1/me HTTP/1.1\r\nHost: here\r\n${fields}\r\n`
  const authorize = (bearer: string) => `Authorization: Bearer ${bearer}\r\n`
  const forged = 'principal: x\r\nx-principal: {"customerId":"demo"}\r\nstream: x\r\n'
  socket.write(
    get(authorize(token)) +
      get(forged) +
      get(authorize('wrong')) +
      get(authorize(other.token)) +
      get(authorize(token) + authorize(other.token)) +
      get(`Connection: close\r\n${authorize(token)}`),
  )
  const answers = (await buffer(socket)).toString('latin1').split('HTTP/1.1 ').slice(1)
  t.same(
    answers.map((answer) => [answer.slice(0, 3), /"customer":"([^"]*)/.exec(answer)?.[1]]),
    [
      ['200', customerId],
      ['401', undefined],
      ['401', undefined],
      ['200', `${customerId}-other`],
      ['400', undefined],
      ['200', customerId],
    ],
  )
})

t.test('the edge refuses a key whose scopes, plan or validity are no longer sufficient', async (t) => {
  const { app, origin, customerId, ask } = await start(t)
  const path = '/v1/certificates?limit=4'
  await twice(() => ask(path))
  t.equal((await watch(app, () => ask(path))).isFast, true)

  /** With another key of the customer, whose token the edge has accepted before. */
  const askWith = async (scopes: string[], known: string) => {
    const { token: other } = await logIn(app, await addCustomer(database, customerId, { scopes }))
    const asked = askAt(origin, other)
    await twice(() => asked(known))
    t.equal((await watch(app, () => asked(known))).isFast, true)
    return asked
  }
  const narrow = await askWith(['products:read'], '/v1/products')
  t.match(await watch(app, () => narrow(path)), { isFast: false, status: 403 })
  const partly = await askWith(['certificates:read'], path)
  const including = '/v1/certificates?include=product'
  await twice(() => ask(including))
  t.equal((await watch(app, () => ask(including))).isFast, true)
  t.match(await watch(app, () => partly(including)), { isFast: false, status: 403 })

  const set = (changes: { plan?: 'basic' | 'premium'; suspended_at?: string | null }) =>
    database.operator.updateTable('customers').set(changes).where('customer_id', '=', customerId).execute()
  for (const [change, back] of [
    [{ plan: 'basic' }, { plan: 'premium' }],
    [{ suspended_at: new Date().toISOString() }, { suspended_at: null }],
  ] as const) {
    await set(change)
    await until('refused', async () => (await ask(path)).status === 403)
    t.match(await watch(app, () => ask(path)), { isFast: false, status: 403 }, 'and stays so')
    await set(back)
    await until('let in again', async () => (await ask(path)).status === 200)
  }
  await database.operator
    .updateTable('api_keys')
    .set({ revoked_at: new Date().toISOString() })
    .where('customer_id', '=', customerId)
    .execute()
  await until('the key is revoked', async () => (await ask(path)).status === 401)
  t.match(await watch(app, () => ask(path)), { isFast: false, status: 401 })
})

t.test('the edge serves a changed record', async (t) => {
  const { app, customerId, ask } = await start(t)
  const path = '/v1/certificates/c-3'
  await twice(() => ask(path))
  t.equal((await watch(app, () => ask(path))).isFast, true)
  await sql`update certificates set title = 'changed' where customer_id = ${customerId} and id = 'c-3'`.execute(
    database.operator,
  )
  await until(
    'the new title is served',
    async () => JSON.parse((await ask(path)).body).data.title === 'changed',
  )
  await until('by the edge, too', async () => (await watch(app, () => ask(path))).isFast)
  t.equal(JSON.parse((await ask(path)).body).data.title, 'changed')
})

t.test('computed fields change at midnight', async (t) => {
  const clock = { offsetMs: 0 }
  const { app, ask, origin, customerId } = await start(t, { clock })
  const path = '/v1/certificates/c-5?fields=days_remaining'
  const days = async () => JSON.parse((await ask(path)).body).data.days_remaining
  t.equal(await days(), 5)
  t.equal(await days(), 5)
  t.equal((await watch(app, () => ask(path))).isFast, true)
  // The token, which is valid for an hour, must not expire.
  const untilMidnightMs = 86_400_000 - (Date.now() % 86_400_000)
  clock.offsetMs = untilMidnightMs + 1_000
  const { token } = await logIn(app, await addCustomer(database, customerId))
  const askTomorrow = askAt(origin, token)
  await twice(() => askTomorrow('/v1/products'))
  const tomorrow = await askTomorrow(path)
  t.equal(JSON.parse(tomorrow.body).data.days_remaining, 4)
})

t.test('a service that drains, or has no poll yet, uses the router', async (t) => {
  let isDraining = false
  const { app, ask } = await start(t, { isDraining: () => isDraining })
  await twice(() => ask('/v1/products'))
  t.equal((await watch(app, () => ask('/v1/products'))).isFast, true)
  isDraining = true
  t.equal((await watch(app, () => ask('/v1/products'))).isFast, false)
})

t.test('the memory for known targets is bounded', (t) => {
  const targets = createKnownTargets(4 * (knownTargetBytes + 8))
  const target = {} as KnownTarget
  const later = {} as KnownTarget
  const known = (customer: string, ...paths: string[]) =>
    paths.map((path) => targets.find(customer, path) !== undefined)
  targets.add('a', '/1', target)
  for (const path of ['/1', '/2']) targets.add('b', path, target)
  t.equal(targets.find('a', '/1'), target, 'which makes it the newest')
  for (const path of ['/3', '/4', '/5']) targets.add('b', path, target)
  t.same(known('b', '/1', '/2', '/3'), [false, false, true])
  t.equal(targets.find('a', '/1'), target)
  targets.add('a', '/1', later)
  t.equal(targets.find('a', '/1'), later, 'the last one that was added')
  const paths = Array.from({ length: 10 }, (_, n) => `/${10 + n}`)
  for (const path of paths) targets.add('c', path, target)
  t.ok(known('c', ...paths).filter(Boolean).length <= 4)
  t.equal(targets.find('a', '/1'), undefined)
  targets.add('b', `/${'x'.repeat(1024)}`, target)
  t.equal(targets.find('b', `/${'x'.repeat(1024)}`), undefined)

  const many = createKnownTargets(100 * knownTargetBytes)
  const long = Array.from({ length: 100 }, (_, n) => `/${n}`.padEnd(1000, 'x'))
  for (const path of long) many.add('c', path, target)
  t.ok(long.filter((path) => many.find('c', path)).length < 50, 'fewer long targets have room')
  t.end()
})

t.test('only one of the many spellings of a token is remembered', (t) => {
  const requests: object[] = []
  const principal = { kind: 'demo', customerId: 'demo' } as Principal
  const identify = createIdentify((request) => {
    requests.push(request)
    return principal
  })
  const isRemembered = (authorization: string) => {
    for (let n = 0; n < 2; n += 1) t.equal(identify({} as EdgeConnection, authorization), principal)
    return requests.at(-1) === requests.at(-2)
  }
  t.equal(isRemembered('Bearer token'), true)
  for (const spelling of ['Bearer  token', `Bearer${' '.repeat(9_000)}token`, 'bearer   token'])
    t.equal(isRemembered(spelling), false, spelling.slice(0, 20))
  t.end()
})
