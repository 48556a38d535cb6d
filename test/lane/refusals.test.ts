import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import t, { type Test } from 'tap'
import { listEntries } from '../../app/audit/list.ts'
import { createRoutes } from '../../app/lane/routes.ts'
import { addCustomer, createTestDatabase, listenTestApp, logIn, until } from '../helper.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
t.teardown(() => agent.destroy())

type Reply = { status: number; headers: IncomingHttpHeaders; body: string }
type Headers = Record<string, string>

const metricsToken = 'who-measures-has-this'
let customers = 0

/** A service whose customer has used its quota up, and what has been told to the watchers of answers. */
const start = async (t: Test, minute = 3) => {
  const env = {
    LIMIT_PREMIUM_BURST: '1000',
    LIMIT_PREMIUM_MINUTE: String(minute),
    METRICS_TOKEN: metricsToken,
  }
  const clock = { offsetMs: 0, isStopped: true }
  const { app, origin } = await listenTestApp(database, { env, clock })
  t.teardown(() => app.close())
  const customerId = `refused-${++customers}`
  const { token } = await logIn(app, await addCustomer(database, customerId))
  /** Whether the router saw the request: the lane's answers come without it. */
  const ask = (path: string, headers: Headers = {}, method = 'GET') =>
    new Promise<Reply>((resolve, reject) => {
      const { hostname: host, port } = new URL(origin)
      const sent = request({ host, port, path, method, headers, agent }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('end', () => {
          const body = Buffer.concat(chunks).toString()
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body })
        })
      })
      sent.on('error', reject)
      sent.end()
    })
  const bearer = { authorization: `Bearer ${token}` }
  const askAs = (path: string, headers: Headers = {}, method?: string) =>
    ask(path, { ...bearer, ...headers }, method)
  const useUp = async () => {
    for (let count = 0; count < minute; count += 1) await askAs('/v1/me')
  }
  return { app, origin, customerId, ask, askAs, useUp }
}

/** Has a meaning that the lane leaves to the router, and changes nothing. */
const byRouter = { pragma: 'none' }
const ofTheMoment = ['request-id', 'date']
const lasting = ({ status, headers, body }: Reply) => {
  const kept = Object.entries(headers).filter(([name]) => !ofTheMoment.includes(name))
  const { request_id, ...problem } = JSON.parse(body)
  return { status, problem, headers: Object.fromEntries(kept.sort()) }
}

t.test('who is over a quota is told so without the router, in the same words', async (t) => {
  const { app, customerId, askAs, useUp } = await start(t)
  await useUp()
  const routed = await askAs('/v1/certificates', byRouter)
  t.equal(routed.status, 429)
  // Once plainly by the router, whose words are repeated.
  await askAs('/v1/certificates')
  for (const path of [
    '/v1/certificates',
    '/v1/certificates?nonsense=1',
    '/products/p-1?fields=name',
    '/webapi/v1/api.php/countries',
    '/v1/custom/dashboard-overview',
    '/v1/me',
  ]) {
    for (const headers of [{}, { accept: 'image/png' }, { 'cache-control': 'no-cache' }] as Headers[]) {
      const before = app.fastRefusals
      const fast = await askAs(path, headers)
      t.equal(app.fastRefusals, before + 1, path)
      t.same(lasting(fast), lasting(routed))
      const { request_id } = JSON.parse(fast.body)
      t.match(request_id, /^[\da-f-]{36}$/)
      t.equal(fast.headers['request-id'], request_id)
      t.not(request_id, JSON.parse(routed.body).request_id)
    }
  }
  await app.audit.flush()
  const entries = await listEntries(database.operator, { customer: customerId, limit: 50 })
  const details = entries.map((entry) => entry.details as { status: number; count: number } | null)
  const count = details.reduce((sum, each) => sum + (each?.status === 429 ? each.count : 0), 0)
  t.equal(count, 20, 'each is in the audit trail')
  const { body } = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } })
  t.match(body, 'certdata_limits_refused_total{policy="minute"} 20')
  t.match(body, 'certdata_problems_total{code="quota_exceeded"} 20')
  t.match(body, 'certdata_http_requests_total{route="/me",plan="premium",status="429"} 3')
})

t.test('what comes before the quota in the order of judgement is the router’s to say', async (t) => {
  const { app, askAs, useUp } = await start(t)
  await useUp()
  t.equal((await askAs('/v1/certificates')).status, 429)
  const before = app.fastRefusals
  const cases: [number, string, Headers?, string?][] = [
    [404, '/v1/nothing'],
    [404, '/v1/certificates/a/b'],
    [400, '/v1/certificates/%zz'],
    [400, '/v1/certificates?token=x'],
    [414, `/v1/certificates?number=${'x'.repeat(8200)}`],
    [405, '/v1/certificates', {}, 'DELETE'],
    [429, '/v1/certificates', { origin: 'https://else.test' }],
  ]
  for (const [status, path, headers, method] of cases) {
    t.equal((await askAs(path, headers, method)).status, status, path.slice(0, 40))
  }
  t.equal(app.fastRefusals, before)
})

t.test('a right that is missing is missing, whatever is left of the quotas', async (t) => {
  const { app, customerId, ask, useUp, askAs } = await start(t)
  const narrow = await addCustomer(database, customerId, { scopes: ['products:read'] })
  const { token } = await logIn(app, narrow)
  await useUp()
  t.equal((await askAs('/v1/certificates')).status, 429)
  const bearer = { authorization: `Bearer ${token}` }
  t.equal((await ask('/v1/products', bearer)).status, 429)
  t.equal((await ask('/v1/certificates', bearer)).status, 403)
  t.equal((await ask('/v1/certificates?include=product', bearer)).status, 403)
  await database.operator
    .updateTable('customers')
    .set({ suspended_at: new Date().toISOString() })
    .where('customer_id', '=', customerId)
    .execute()
  await until('suspended', async () => (await askAs('/v1/products')).status === 403)
  t.equal((await askAs('/v1/certificates')).status, 403)
})

t.test('nobody is refused while there is room', async (t) => {
  const { app, askAs } = await start(t, 5)
  for (let count = 0; count < 5; count += 1)
    t.equal((await askAs(`/v1/products?limit=${count + 1}`)).status, 200)
  t.equal((await askAs('/v1/products')).status, 429)
  t.equal(app.fastRefusals, 0)
  t.equal((await askAs('/v1/products')).status, 429)
  t.equal(app.fastRefusals, 1)
})

t.test('a token that is none, or not good, is refused without the router, in the same words', async (t) => {
  const { app, ask, askAs } = await start(t, 100)
  const good = (await askAs('/v1/me')).status
  t.equal(good, 200)
  const [header = '', claims = ''] = String(
    (await logIn(app, await addCustomer(database, 'forger'))).token,
  ).split('.')
  for (const headers of [
    {},
    { authorization: 'Bearer nobody' },
    { authorization: 'Basic abc' },
    { authorization: `Bearer ${header}.${claims}.${'A'.repeat(86)}` },
  ] as Headers[]) {
    const routed = await ask('/v1/certificates', { ...headers, ...byRouter })
    t.equal(routed.status, 401)
    await ask('/v1/certificates', headers)
    const before = app.fastRefusals
    for (const path of ['/v1/certificates', '/products/p-1', '/v1/me?format=json']) {
      t.same(lasting(await ask(path, headers)), lasting(routed))
    }
    t.equal(app.fastRefusals, before + 3, JSON.stringify(headers).slice(0, 40))
    t.equal((await ask('/v1/nothing', headers)).status, 401)
    t.equal((await ask('/', { ...headers, accept: 'text/html' })).status, 200, 'a page needs none')
  }
})

t.test('only what plainly leads to a route is taken for it', async (t) => {
  const routes = createRoutes<number>()
  routes.add('/v1/products', 1)
  routes.add('/v1/products/:id', 2)
  routes.add('/v1/*', 3)
  t.match(routes.find('/v1/products'), { config: 1 })
  t.match(routes.find('/v1/products/a.B~1'), { config: 2 })
  for (const path of [
    '/v1/products/',
    '/v1/products/a/b',
    '/v1/products/a%20b',
    '/v1/Products',
    'v1/products',
  ]) {
    t.equal(routes.find(path), undefined, path)
  }
})
