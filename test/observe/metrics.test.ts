import { sql } from 'kysely'
import { AggregatorRegistry, Registry } from 'prom-client'
import t from 'tap'
import { features } from '../../app/features.ts'
import { createSlowFigure, registerFigures } from '../../app/observe/figures.ts'
import { startMetricsServer } from '../../app/observe/metrics-server.ts'
import { createProcessRegistry } from '../../app/observe/process-metrics.ts'
import { listAuditFigures } from '../../app/observe/service-metrics.ts'
import { listPages } from '../../app/site/options.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase, until } from '../helper.ts'

const token = 'who-measures-has-this'
const database = await createTestDatabase()
const logStream = { write: () => {}, lost: 0 }
const env = { METRICS_TOKEN: token, LIMIT_ENTERPRISE_BURST: '3' }
const app = await createTestApp(database, { env, logStream })
closeAfter(t, app, database)
const acme = await asCustomer(database, app, 'acme')
const bolt = await asCustomer(database, app, 'bolt', { plan: 'enterprise' })

const scrape = (authorization = `Bearer ${token}`) =>
  app.inject({ url: '/metrics', headers: { authorization } })
/** Returns values by name and labels, such as `certdata_database_away`. */
const read = async () => {
  const lines = (await scrape()).body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line): [string, number] => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

t.test('every series of traffic exists from the start', async (t) => {
  const fresh = await createTestApp(database, { env: { METRICS_TOKEN: token, LIMIT_PREMIUM_BURST: '1' } })
  t.teardown(() => fresh.close())
  const series = async () => {
    const { body } = await fresh.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } })
    return body
      .split('\n')
      .filter((line) => /^certdata_.+ \S+$/.test(line) && !line.startsWith('#'))
      .map((line) => line.slice(0, line.lastIndexOf(' ')))
  }
  await fresh.audit.seal(true)
  const before = await series()
  t.ok(before.includes('certdata_http_requests_total{route="/products",plan="premium",status="503"}'))
  t.ok(before.includes('certdata_problems_total{code="internal_error"}'))
  const get = (url: string, headers = {}) => fresh.inject({ url, headers })
  const paths = ['/v1/products', '/v1/products/x', '/v1/products?x=1', '/v1/me', '/openapi.json', '/nothing']
  const { token: basic } = await asCustomer(database, fresh, 'basic')
  await sql`update customers set plan = 'basic' where customer_id = 'basic'`.execute(database.operator)
  for (const authorization of [
    `Bearer ${acme.token}`,
    `Bearer ${bolt.token}`,
    `Bearer ${basic}`,
    'Bearer x',
    '',
  ]) {
    const headers = authorization ? { authorization } : {}
    for (const path of paths) {
      await get(path, headers)
      await get(path, { ...headers, accept: 'image/png' })
      await get(path, { ...headers, 'if-none-match': '*' })
      await get(path, { ...headers, 'if-match': '"other"' })
      for (const method of ['POST', 'OPTIONS'] as const) await fresh.inject({ method, url: path, headers })
    }
  }
  for (const path of [
    '/',
    '/docs',
    '/openapi.json',
    '/health/live',
    '/health/ready',
    ...listPages(features).map(({ path }) => path),
  ])
    for (const headers of [{}, { accept: 'image/png' }, { 'if-none-match': '*' }]) await get(path, headers)
  const posts = fresh.describedRoutes.filter(({ method }) => method === 'POST')
  t.ok(posts.length > 0)
  for (const { path: url } of posts) {
    await fresh.inject({ method: 'POST', url, payload: {} })
    await fresh.inject({ method: 'POST', url, payload: 'x', headers: { 'content-type': 'text/plain' } })
    await fresh.inject({ method: 'POST', url, payload: { api_key: 'x'.repeat(3_000_000) } })
    await get(url)
  }
  await fresh.inject({ url: '/v1/products', headers: { 'transfer-encoding': 'gzip, chunked' } })
  t.same(
    (await series()).filter((each) => !before.includes(each)),
    [],
  )
  const routes = fresh.describedRoutes.length
  t.ok(before.length < 130 * routes, `${before.length} series of ${routes} routes`)
})

t.test('garbage collection of every kind starts at 0', async (t) => {
  const text = await createProcessRegistry().metrics()
  for (const kind of ['major', 'minor', 'incremental', 'weakcb'])
    t.match(text, `nodejs_gc_duration_seconds_count{kind="${kind}"}`)
})

t.test('only the operator reads metrics', async (t) => {
  const answer = await scrape()
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, { 'content-type': /^text\/plain; version=0\.0\.4/, 'cache-control': 'no-store' })
  const refusals: [string | undefined, string][] = [
    [undefined, 'credentials_required'],
    ['Bearer another', 'invalid_token'],
    [`Bearer ${token}x`, 'invalid_token'],
    [`Basic ${token}`, 'invalid_token'],
    [`Bearer ${acme.token}`, 'invalid_token'],
    ['Bearer cda_demo_public', 'invalid_token'],
  ]
  for (const [authorization, code] of refusals) {
    const refused = await app.inject({ url: '/metrics', headers: authorization ? { authorization } : {} })
    t.match(refused.json(), { status: 401, code })
    t.equal(refused.headers['www-authenticate'], 'Bearer realm="certdata metrics"')
  }
  t.equal((await acme.get('/v1/me')).statusCode, 200)
  const other = await app.inject({ url: '/v1/me', headers: { authorization: `Bearer ${token}` } })
  t.equal(other.statusCode, 401, 'the metrics token is not an access token')
  const posted = await app.inject({ method: 'POST', url: '/metrics' })
  t.match([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD, OPTIONS'])
})

t.test('a separate port needs no token and has no other routes', async (t) => {
  const at = { host: 'localhost', port: 0, log: app.log }
  const { port, close } = await startMetricsServer({ ...at, read: app.metrics.read })
  t.teardown(close)
  const origin = `http://127.0.0.1:${port}`
  const answer = await fetch(`${origin}/metrics`)
  t.match(answer.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  t.match(await answer.text(), /^certdata_build_info\{version="\d/m)
  t.equal((await fetch(`${origin}/metrics?x`)).status, 200, 'a query is ignored')
  for (const path of ['/', '/v1/me', '/metrics/..']) t.equal((await fetch(origin + path)).status, 404)
  t.equal((await fetch(`${origin}/metrics`, { method: 'POST' })).status, 404)
})

t.test('a failed scrape of the separate port is logged and answered with 500', async (t) => {
  const err = new Error('no figures')
  const logged: object[] = []
  const log = { warn: (details: object) => void logged.push(details) }
  const { port, close } = await startMetricsServer({
    host: 'localhost',
    port: 0,
    log,
    read: () => Promise.reject(err),
  })
  t.teardown(close)
  t.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 500)
  t.same(logged, [{ err }])
})

t.test('/metrics does not exist without METRICS_TOKEN', async (t) => {
  const without = await createTestApp(database)
  t.teardown(() => without.close())
  const { statusCode } = await without.inject({ url: '/metrics', headers: { authorization: 'Bearer ' } })
  t.equal(statusCode, 404)
})

t.test(
  'answers are counted by route pattern, plan and status, without regard to the form of the path',
  async (t) => {
    const before = await read()
    const added = async (sample: string) => ((await read()).get(sample) ?? 0) - (before.get(sample) ?? 0)
    for (const path of ['/v1/products', '/products', '/webapi/v1/api.php/products']) await acme.get(path)
    const first = await acme.get('/v1/products', { 'cache-control': '' })
    const again = { 'cache-control': '', 'if-none-match': String(first.headers.etag) }
    t.equal((await acme.get('/v1/products', again)).statusCode, 304)
    await acme.get('/v1/products/unknown-1')
    await acme.get('/v1/products/unknown-2')
    const premium = 'route="/products",plan="premium"'
    t.equal(await added(`certdata_http_requests_total{${premium},status="200"}`), 4)
    t.equal(await added(`certdata_http_requests_total{${premium},status="304"}`), 1)
    t.equal(await added('certdata_http_requests_total{route="/products/:id",plan="premium",status="404"}'), 2)
    t.equal(await added(`certdata_http_request_duration_seconds_count{route="/products"}`), 5)
    t.equal(await added(`certdata_http_request_duration_seconds_bucket{le="+Inf",route="/products"}`), 5)
    t.equal(await added('certdata_answers_total{source="database"}'), 1, 'absent records are no answers')
    t.equal(await added('certdata_answers_total{source="memory"}'), 4, '304 included')
    t.equal(await added('certdata_data_duration_seconds_count'), 5)
  },
)

t.test('the latency of the objective covers data, but no exports and errors', async (t) => {
  const count = async () => (await read()).get('certdata_data_duration_seconds_count')
  const before = await count()
  t.equal((await acme.get('/v1/products?format=csv')).statusCode, 200)
  t.equal((await acme.get('/v1/me')).statusCode, 200)
  t.equal((await acme.get('/v1/products/unknown-3')).statusCode, 404)
  t.equal((await acme.get('/v1/products?unknown=1')).statusCode, 400)
  t.equal(await count(), before)
})

t.test('refusals, logins and errors are counted by code', async (t) => {
  await until('refused', async () => (await bolt.get('/v1/countries')).statusCode === 429)
  await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: 'cda_live_wrong' } })
  const figures = await read()
  t.ok((figures.get('certdata_limits_refused_total{policy="burst"}') ?? 0) >= 1)
  t.equal(
    figures.get('certdata_problems_total{code="quota_exceeded"}'),
    figures.get('certdata_http_requests_total{route="/countries",plan="enterprise",status="429"}'),
  )
  t.equal(figures.get('certdata_logins_total{outcome="ok"}'), 2)
  t.equal(figures.get('certdata_logins_total{outcome="invalid_api_key"}'), 1)
})

t.test('unknown paths, methods and parameters add no series', async (t) => {
  const odd = async (round: number) => {
    for (const prefix of ['', '/v1', '/webapi/v1/api.php', '/v1/products', '/.well-known']) {
      for (let count = 0; count < 40; count += 1) {
        await acme.get(`${prefix}/odd-${round}-${count}?x${count}=${count}`)
      }
    }
    for (const method of ['PROPFIND', 'PURGE', 'TRACE'] as const) {
      await app.inject({ method: method as 'GET', url: `/odd-${round}` })
    }
  }
  await odd(1)
  // Some series exist only after a first event. These events are done before the comparison.
  await app.audit.flush()
  await app.audit.seal(true)
  const before = await read()
  await odd(2)
  const after = await read()
  t.same([...after.keys()], [...before.keys()])
  t.notMatch([...after.keys()].join('\n'), /odd-/)
})

t.test("the audit chain's head and counts of probes are exported as numbers", async (t) => {
  await app.audit.flush()
  await app.audit.seal(true)
  let figures = await read()
  // The lag may be large until the next poll.
  await until('it is fresh', async () => {
    figures = await read()
    return (
      figures.get('certdata_database_away') === 0 && (figures.get('certdata_freshness_lag_seconds') ?? 9) < 5
    )
  })
  const head = app.audit.head()
  t.equal(figures.get('certdata_audit_head_seal'), head?.sealNo)
  t.ok((head?.sealNo ?? 0) > 0)
  t.equal(figures.get('certdata_audit_head_mac'), Number.parseInt(head?.mac.toString('hex', 0, 6) ?? '', 16))
  t.ok((figures.get('certdata_audit_sealed_timestamp_seconds') ?? 0) > Date.now() / 1000 - 60)
  const probes = async () =>
    [...(await read())].reduce(
      (sum, [name, value]) => sum + (/probes_total\{result=/.test(name) ? value : 0),
      0,
    )
  const before = await probes()
  await app.probeFreshness()
  t.ok((await probes()) > before)
})

t.test('number and MAC of the audit head are of the same worker', async (t) => {
  const workers = [
    { sealNo: 100, mac: Buffer.from('ffffffffffff', 'hex') },
    { sealNo: 101, mac: Buffer.from('000000000001', 'hex') },
  ].map((head) => {
    const registry = new Registry()
    const figures = listAuditFigures(() => ({ head }) as never)
    registerFigures(
      registry,
      figures.filter(({ name }) => name.startsWith('certdata_audit_head')),
    )
    return registry.getMetricsAsJSON()
  })
  const text = await AggregatorRegistry.aggregate(await Promise.all(workers)).metrics()
  t.match(text, /^certdata_audit_head_seal 100$/m)
  t.match(text, new RegExp(`^certdata_audit_head_mac ${0xffffffffffff}$`, 'm'))
})

t.test('reads a figure that needs a query at most once per interval', async (t) => {
  let now = 0
  let reads = 0
  let works = true
  const figure = createSlowFigure({
    read: async () => {
      if (!works) throw new Error('away')
      reads += 1
      return reads
    },
    now: () => now,
    keptMs: 1_000,
  })
  t.same(await Promise.all([figure(), figure(), figure()]), [1, 1, 1])
  now = 999
  t.equal(await figure(), 1)
  now = 1_000
  t.equal(await figure(), 2)
  works = false
  now = 2_000
  t.equal(await figure(), 2, 'after a failure, the last value')
})

t.test('a figure does not wait for a query without an answer', async (t) => {
  let now = 0
  let isHanging = true
  const read = () => (isHanging ? new Promise<number>(() => {}) : Promise.resolve(1))
  const figure = createSlowFigure({ read, now: () => now, keptMs: 1_000 })
  t.equal(await figure(), undefined, 'not even for the first value')
  isHanging = false
  now = 1_000
  await figure()
  t.equal(await figure(), 1)
  isHanging = true
  now = 2_000
  t.equal(await figure(), 1)
})

t.test('lost log lines are counted', async (t) => {
  logStream.lost = 7
  t.equal((await read()).get('certdata_log_lines_lost_total'), 7)
})
