import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { problem } from '../../schemas/problem.ts'
import { addCustomer, createTestApp, createTestDatabase, logIn, until } from '../helper.ts'
import { listLimits } from './structured-fields.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
await database.operator
  .insertInto('customers')
  .values({ customer_id: 'demo', name: 'Demo', plan: 'premium' })
  .execute()

const published = {
  LIMIT_PREMIUM_BURST: '100',
  LIMIT_PREMIUM_MINUTE: '600',
  LIMIT_ENTERPRISE_BURST: '1000',
  LIMIT_ENTERPRISE_MINUTE: '6000',
  LIMIT_DEMO_BURST: '20',
  LIMIT_DEMO_MINUTE: '60',
}
const createApp = async (t: Test, env: Record<string, string> = {}) => {
  const clock = { offsetMs: 0, isStopped: true }
  const app = await createTestApp(database, { env: { ...published, ...env }, clock })
  t.teardown(() => app.close())
  return { app, clock }
}
let customers = 0
const newCustomer = async (app: Awaited<ReturnType<typeof createApp>>['app'], options = {}) =>
  logIn(app, await addCustomer(database, `customer-${++customers}`, options))

const remaining = (answer: LightMyRequestResponse) => {
  const { burst, minute } = listLimits(answer)
  return [burst?.r, minute?.r]
}

t.test('every answer after authentication has the quotas, as structured fields', async (t) => {
  const { app } = await createApp(t)
  const { get, token } = await newCustomer(app, { scopes: ['products:read'] })
  const first = await get('/v1/products')
  t.equal(first.headers['ratelimit-policy'], '"burst";q=100;w=1, "minute";q=600;w=60')
  const send = (options: InjectOptions) =>
    app.inject({ ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } })
  const answers: [number, LightMyRequestResponse][] = [
    [200, first],
    [200, await send({ method: 'HEAD', url: '/products' })],
    [304, await get('/v1/products', { 'if-none-match': String(first.headers.etag) })],
    [400, await get('/v1/products?nonsense=1')],
    [403, await get('/v1/projects')],
    [404, await get('/v1/products/nobody')],
    [404, await get('/v1/nothing')],
    [405, await send({ method: 'DELETE', url: '/v1/products' })],
    [406, await get('/v1/products', { accept: 'image/png' })],
    [412, await get('/v1/products', { 'if-match': '"x"' })],
    [200, await get('/openapi.json')],
  ]
  for (const [index, [status, answer]] of answers.entries()) {
    t.equal(answer.statusCode, status)
    const { burst, minute } = listLimits(answer)
    t.match(burst, { q: 100, w: 1, t: 1 }, `${status}`)
    t.match(minute, { q: 600, w: 60, t: 60 }, `${status}`)
    const unmodified = index >= 2 ? 1 : 0
    t.equal(minute?.r, 600 - index - 1 + unmodified, `${status}: all but the 304 cost one of minute`)
  }
})

t.test('a suspended customer gets the reason, is counted, and gets the quotas', async (t) => {
  const { app } = await createApp(t, { LIMIT_PREMIUM_BURST: '3' })
  const customer = `customer-${customers + 1}`
  const { get } = await newCustomer(app)
  await database.operator
    .updateTable('customers')
    .set({ suspended_at: new Date().toISOString() })
    .where('customer_id', '=', customer)
    .execute()
  await until('suspended', async () => (await get('/v1/me')).statusCode === 403)
  for (let i = 0; i < 4; i++) await get('/v1/me')
  const refused = await get('/v1/me')
  t.equal(refused.statusCode, 403, 'the plan is judged before the quota')
  t.match(refused.json(), { code: 'plan_required', detail: /suspended.*contact the certification house/ })
  t.equal(refused.json().title, 'The customer has no API access', 'true for a suspension, too')
  t.equal(listLimits(refused).burst?.r, 0)
  t.match(listLimits(refused).minute, { q: 600, w: 60 })
  t.equal((await get('/v1/nothing')).statusCode, 404)
})

t.test('requests without a token, and OPTIONS, show no quotas', async (t) => {
  const { app } = await createApp(t)
  const answers = [
    await app.inject('/v1/products'),
    await app.inject({ url: '/v1/products', headers: { authorization: 'Bearer x' } }),
    await app.inject({ method: 'OPTIONS', url: '/v1/products' }),
    await app.inject('/health/live'),
    await app.inject('/openapi.json'),
  ]
  for (const { headers } of answers) t.notOk(headers.ratelimit ?? headers['ratelimit-policy'])
})

t.test('a request over a quota gets 429 with its name and the time to retry', async (t) => {
  const { app, clock } = await createApp(t, { LIMIT_PREMIUM_BURST: '3', LIMIT_PREMIUM_MINUTE: '5' })
  const { get } = await newCustomer(app)
  for (let i = 0; i < 3; i++) t.equal((await get('/v1/me')).statusCode, 200)
  const refused = await get('/v1/me')
  t.equal(refused.statusCode, 429)
  t.match(refused.headers, {
    'content-type': 'application/problem+json',
    'retry-after': '1',
    'cache-control': 'no-store',
  })
  const body = problem.parse(refused.json())
  t.match(body, { code: 'quota_exceeded', status: 429, 'violated-policies': ['burst'] })
  t.same(listLimits(refused).burst, { q: 3, w: 1, r: 0, t: 1 })
  t.same(listLimits(refused).minute?.r, 2, 'what is refused is not counted')
  t.equal((await get('/openapi.json')).statusCode, 429)

  clock.offsetMs += 1_000
  t.same(remaining(await get('/v1/me')), [2, 1])
  clock.offsetMs += 1_000
  t.same(remaining(await get('/v1/me')), [2, 0])
  const exhausted = await get('/v1/me')
  t.same(exhausted.json()['violated-policies'], ['minute'])
  const waitSeconds = Number(exhausted.headers['retry-after'])
  t.ok(waitSeconds > 50 && waitSeconds <= 60, `${waitSeconds}`)
  t.ok(waitSeconds >= (listLimits(exhausted).minute?.t ?? 99))
  clock.offsetMs += waitSeconds * 1000
  t.equal((await get('/v1/me')).statusCode, 200)
})

t.test('429 follows path, method and scope, and precedes all checks of the query', async (t) => {
  const { app } = await createApp(t, { LIMIT_PREMIUM_MINUTE: '1' })
  const { get, token } = await newCustomer(app, { scopes: ['products:read'] })
  await get('/v1/products')
  const statuses = [
    await get('/v1/nothing'),
    await app.inject({ method: 'PUT', url: '/v1/products', headers: { authorization: `Bearer ${token}` } }),
    await get('/v1/projects'),
    await get('/v1/products', { accept: 'image/png' }),
    await get('/v1/products?nonsense=1'),
    await get('/v1/products/nobody'),
  ].map(({ statusCode }) => statusCode)
  t.same(statuses, [404, 405, 403, 429, 429, 429])
})

t.test('a 304 costs one unit of burst and none of minute', async (t) => {
  const { app } = await createApp(t, { LIMIT_PREMIUM_MINUTE: '10' })
  const { get } = await newCustomer(app)
  const { etag } = (await get('/v1/products')).headers
  for (let i = 1; i <= 30; i++) {
    const answer = await get('/v1/products', { 'if-none-match': String(etag) })
    t.same([answer.statusCode, ...remaining(answer)], [304, 100 - 1 - i, 9])
  }
})

t.test('keys of one customer share a quota, customers do not', async (t) => {
  const { app } = await createApp(t)
  const [first, second] = [await addCustomer(database, 'shared'), await addCustomer(database, 'shared')]
  await (await logIn(app, first)).get('/v1/me')
  t.same(remaining(await (await logIn(app, second)).get('/v1/me')), [98, 598])
  t.same(remaining(await (await newCustomer(app)).get('/v1/me')), [99, 599])
  t.same(remaining(await (await newCustomer(app, { plan: 'enterprise' })).get('/v1/me')), [999, 5999])
})

t.test('the demo token is counted per client address', async (t) => {
  const { app } = await createApp(t, { TRUSTED_PROXIES: '10.0.0.0/8' })
  const ask = async (remoteAddress: string, forwarded?: string) =>
    app.inject({
      url: '/v1/products',
      remoteAddress,
      headers: {
        authorization: 'Bearer cda_demo_public',
        ...(forwarded ? { 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' } : {}),
      },
    })
  const first = await ask('127.0.0.1')
  t.equal(first.headers['ratelimit-policy'], '"burst";q=20;w=1, "minute";q=60;w=60')
  for (let i = 1; i < 20; i++) t.equal((await ask('127.0.0.1')).statusCode, 200)
  t.equal((await ask('127.0.0.1')).statusCode, 429)
  t.same(remaining(await ask('10.0.0.1', '192.0.2.1')), [19, 59], 'another client, behind the proxy')
  t.same(remaining(await ask('10.0.0.2', '192.0.2.1')), [18, 58], 'the same behind another proxy')
  t.same(remaining(await ask('10.0.0.1', '127.0.0.1, 192.0.2.2')), [19, 59], 'not what a client says it is')
  t.same(remaining(await ask('10.0.0.1', '2001:db8:1:2::1')), [19, 59])
  t.same(remaining(await ask('10.0.0.1', '2001:db8:1:2:3:4:5:6')), [18, 58], 'one network, one client')
  t.same(remaining(await ask('10.0.0.1', '2001:db8:1:3::1')), [19, 59])
})

t.test('/v1/me shows the quotas and how much of each is left', async (t) => {
  const { app } = await createApp(t)
  const { get } = await newCustomer(app)
  await get('/v1/products')
  const answer = await get('/v1/me')
  t.same(answer.json().data.limits, [
    { policy: 'burst', quota: 100, window_seconds: 1, remaining: 98, reset_seconds: 1 },
    { policy: 'minute', quota: 600, window_seconds: 60, remaining: 598, reset_seconds: 60 },
  ])
})

t.test('a refused export costs one unit of minute, and only charged units are refunded', async (t) => {
  const { app } = await createApp(t, { LIMIT_PREMIUM_MINUTE: '25' })
  const { get } = await newCustomer(app, { scopes: ['products:read'] })
  const ask = async (path: string) => {
    const answer = await get(path)
    return [answer.statusCode, listLimits(answer).minute?.r]
  }
  t.same(await ask('/v1/products?format=csv&nonsense=1'), [400, 24])
  t.same(await ask('/v1/projects?format=csv'), [403, 23])
  t.same(await ask('/v1/products?format=csv'), [200, 13])
  t.same(await ask('/v1/products?format=ndjson'), [200, 3])
  for (let i = 0; i < 3; i++) {
    t.same(await ask('/v1/products?format=csv&nonsense=1'), [429, 3], 'ten are needed before it is judged')
  }
  t.same(await ask('/v1/products'), [200, 2])
})
