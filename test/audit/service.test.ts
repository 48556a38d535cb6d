import { sql } from 'kysely'
import t from 'tap'
import { type AuditEntry, listEntries } from '../../app/audit/list.ts'
import { verifyAudit } from '../../app/audit/verify.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createApiKey, parseApiKey } from '../../app/identity/api-keys.ts'
import { importRecords } from '../../app/import/index.ts'
import {
  addCustomer,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  logIn,
  secretKey,
  until,
} from '../helper.ts'
import { createStandingClock } from '../standing-clock.ts'
import { revokeFunction } from './trail.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const { operator } = database
// Stopped, because counts would be split at the end of a minute and by the flush of every 5 s.
const clock = createStandingClock()
const env = { LIMIT_FAILED_LOGINS: '1000', METRICS_TOKEN: 'm'.repeat(32) }
const { app } = await listenTestApp(database, { clock, env })
t.teardown(() => app.close())

const products = Array.from({ length: 5 }, (_, index) =>
  JSON.stringify({ resource: 'products', customer: 'acme', id: `geheim-${index}`, name: `Geheim ${index}` }),
)
const importing = (lines: readonly string[], options = {}) =>
  importRecords(operator, ReadableStream.from([Buffer.from(lines.join('\n'))]), {
    isAudited: true,
    ...options,
  })
const newest = (limit: number) => listEntries(operator, { limit })
const isRead = ({ action }: AuditEntry) => action === 'reads'
const newestReads = async (limit: number) => (await newest(100)).filter(isRead).slice(0, limit)
const count = async () => (await newest(100_000)).length

await addCustomer(database, 'acme')
await importing(products)
const apiKey = await addCustomer(database, 'acme')
const keyId = parseApiKey(apiKey)?.keyId as string

const login = (payload: object, remoteAddress = '127.0.0.1') =>
  app.inject({ method: 'POST', url: '/v1/auth/login', payload, remoteAddress })

const revokeByOperator = (key: string) =>
  sql`update api_keys set revoked_at = now() where key_id = ${parseApiKey(key)?.keyId}`.execute(operator)

t.test('a login is written with the key, the customer, the request and the network', async (t) => {
  const answer = await login({ api_key: apiKey })
  t.match(await newest(1), [
    {
      actor: keyId,
      customer: 'acme',
      action: 'login',
      outcome: 'ok',
      client: '127.0.0.0/24',
      request_id: answer.headers['request-id'],
    },
  ])
})

t.test('a refused login is recorded with its reason, and the tried key is not the actor', async (t) => {
  const wrong = `${apiKey.slice(0, 26)}${createApiKey().apiKey.slice(26)}`
  await login({ api_key: wrong })
  const mistyped = await newest(1)
  t.match(mistyped, [{ actor: 'anonymous', action: 'login', outcome: 'refused' }])
  t.match(mistyped, [{ details: { reason: 'invalid_api_key' }, customer: null }], 'its checksum is wrong')

  const revoked = await addCustomer(database, 'acme')
  await revokeByOperator(revoked)
  t.equal((await login({ api_key: revoked })).statusCode, 401)
  t.match(await newest(1), [{ actor: 'anonymous', outcome: 'refused', customer: 'acme' }])

  const lapsed = await addCustomer(database, 'lapsed', { plan: 'basic' })
  t.equal((await login({ api_key: lapsed })).statusCode, 403)
  t.match(await newest(1), [{ customer: 'lapsed', details: { reason: 'plan_required' } }])
})

t.test('requests that are no login attempts make no entry', async (t) => {
  const before = await count()
  await login({ password: 'x' })
  t.equal(await count(), before)
})

t.test('a flood of refused logins is counted, not recorded one by one', async (t) => {
  const before = await count()
  clock.offsetMs += 120_000
  for (let i = 0; i < 620; i++) await login({ api_key: 'nonsense' }, `127.0.${i % 25}.1`)
  await app.audit.flush()
  const written = await newest((await count()) - before)
  const counted = written.filter(({ action }) => action === 'refusals')
  t.equal(written.length - counted.length, 100)
  // Several entries, if the service flushed during the flood.
  for (const each of counted) t.match(each, { details: { resource: 'login: invalid_api_key', status: 401 } })
  const refused = counted.map(({ details }) => (details as { count: number }).count)
  t.equal(
    refused.reduce((sum, each) => sum + each, 0),
    520,
  )
  t.ok(counted.length < 10)
})

t.test('a flood of refused logins leaves entries for failures from other networks', async (t) => {
  clock.offsetMs += 120_000
  const before = await count()
  for (let i = 0; i < 620; i++) await login({ api_key: 'nonsense' }, `127.1.1.${i % 250}`)
  t.equal((await count()) - before, 30)
  await login({ api_key: 'nonsense' }, '127.1.2.1')
  t.match(await newest(1), [{ outcome: 'refused', client: '127.1.2.0/24' }])
  await app.audit.flush()
})

t.test('a valid key without a plan does not use up the budget of other logins', async (t) => {
  const lapsed = await addCustomer(database, 'lapsed', { plan: 'basic' })
  clock.offsetMs += 120_000
  const written = async () => (await listEntries(operator, { customer: 'lapsed', limit: 1_000 })).length
  const before = await written()
  for (let i = 0; i < 620; i++) await login({ api_key: lapsed })
  t.equal((await written()) - before, 10)
  const { headers } = await login({ api_key: 'nonsense' })
  const others = (await newest(3)).filter(({ request_id }) => request_id === headers['request-id'])
  t.match(others, [{ outcome: 'refused', details: { reason: 'invalid_api_key' } }])
  await app.audit.flush()
})

t.test('requests refused by a limit are counted', async (t) => {
  const limited = await createTestApp(database, { clock, env: { LIMIT_FAILED_LOGINS: '1' } })
  t.teardown(() => limited.close())
  const before = await count()
  const attempt = () =>
    limited.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: 'nonsense' } })
  for (const status of [401, 429, 429]) t.equal((await attempt()).statusCode, status)
  await limited.audit.flush()
  t.equal(await count(), before + 2)
  const [counted] = (await newest(2)).filter(({ action }) => action === 'refusals')
  t.match(counted, { details: { resource: 'login: quota_exceeded', status: 429, count: 2 } })
})

t.test('a login that cannot be recorded gets no token', async (t) => {
  const restore = await revokeFunction(database, t, 'append_audit')
  const answer = await login({ api_key: apiKey })
  const refused = await login({ api_key: 'nonsense' })
  await restore()
  t.equal(answer.statusCode, 500)
  t.notMatch(answer.body, /access_token/)
  t.equal(refused.statusCode, 401, 'a refusal stays one')
})

t.test('reads are recorded after a minute, with actor, resource and count, without values', async (t) => {
  const { get } = await logIn(app, apiKey)
  await app.audit.flush()
  const before = await count()
  for (const url of ['/v1/products?limit=3&sort=name', '/products?limit=3&sort=name']) await get(url)
  await get('/v1/products?sort=name&limit=3')
  await get('/v1/products/geheim-1')
  await get('/v1/products/geheim-9')
  await get('/v1/products?name=Geheim%202&nonsense=geheim')
  t.equal(await count(), before, 'not on the way of the request')
  await app.audit.flush()
  const reads = (await newest(100)).slice(0, (await count()) - before).reverse()
  const seen = reads.map(({ outcome, details }) => [
    outcome,
    details?.resource,
    details?.status,
    details?.count,
    details?.rows,
  ])
  const expected = [
    ['ok', 'products', 200, 3, 9],
    ['ok', 'products/:id', 200, 1, 1],
    ['refused', 'products/:id', 404, 1, 0],
    ['refused', 'products', 400, 1, 0],
  ]
  t.same(seen.map(String).sort(), expected.map(String).sort())
  for (const read of reads) t.match(read, { actor: keyId, customer: 'acme', action: 'reads', client: null })
  const { rows } = await sql<{
    text: string
  }>`select row_to_json(p)::text as text from audit_persons p`.execute(operator)
  t.notMatch(JSON.stringify(rows.map(({ text }) => text)), /geheim|Geheim/)
})

t.test('rows are counted for answers of every store, and no rows for a 304', async (t) => {
  const { token } = await logIn(app, apiKey)
  await app.audit.flush()
  const ask = (headers = {}) =>
    app.inject({ url: '/v1/products?limit=2', headers: { authorization: `Bearer ${token}`, ...headers } })
  const first = await ask()
  const second = await ask()
  t.equal(second.headers['cache-status'], 'certdata; hit')
  t.equal((await ask({ 'if-none-match': first.headers.etag })).statusCode, 304)
  await app.audit.flush()
  const reads = (await newestReads(2)).map(({ details }) => [details?.status, details?.count, details?.rows])
  t.same(reads.sort(), [
    [200, 2, 4],
    [304, 1, 0],
  ])
})

t.test('reading the description with a token counts as a read of its customer', async (t) => {
  const { get } = await logIn(app, apiKey)
  await app.audit.flush()
  t.equal((await get('/openapi.json')).statusCode, 200)
  await app.audit.flush()
  t.match(await newest(1), [
    {
      actor: keyId,
      action: 'reads',
      outcome: 'ok',
      details: { resource: 'openapi.json', status: 200, rows: 0 },
    },
  ])
})

t.test('refusals without a known reader are counted by route; public pages are not', async (t) => {
  await app.audit.flush()
  const before = await count()
  await app.inject({ url: '/v1/certificates/geheim', headers: { authorization: 'Bearer nonsense' } })
  await app.inject({ url: '/v1/certificates/geheim' })
  await app.inject('/health/live')
  await app.inject('/openapi.json')
  await app.inject('/nowhere')
  await app.audit.flush()
  t.equal(await count(), before + 1)
  t.match(await newest(1), [
    {
      actor: 'anonymous',
      action: 'refusals',
      outcome: 'refused',
      details: { resource: 'certificates/:id', status: 401, count: 2 },
    },
  ])
})

t.test('a refused token that is revoked, suspended or without a plan is written under its key', async (t) => {
  await app.audit.flush()
  const readWritten = async (apiKey: string, end: () => Promise<unknown>, status: number) => {
    const { get } = await logIn(app, apiKey)
    await end()
    // Facts about keys are at most 500 ms old.
    clock.offsetMs += 1_000
    t.equal((await get('/v1/products?name=Geheim')).statusCode, status)
    await app.audit.flush()
    const [entry] = await newest(1)
    const keyId = parseApiKey(apiKey)?.keyId
    t.match(entry, { actor: keyId, action: 'reads', outcome: 'refused', details: { status, rows: 0 } })
    t.notMatch(JSON.stringify(entry), /Geheim/)
    return entry?.customer
  }
  const getKey = (customer: string) => addCustomer(database, customer)
  const change = (customer: string, to: object) => () =>
    operator.updateTable('customers').set(to).where('customer_id', '=', customer).execute()
  t.equal(
    await readWritten(await getKey('downgraded'), change('downgraded', { plan: 'basic' }), 403),
    'downgraded',
  )
  const suspended = { suspended_at: new Date().toISOString() }
  t.equal(await readWritten(await getKey('suspended'), change('suspended', suspended), 403), 'suspended')
  const revoked = await getKey('acme')
  t.equal(await readWritten(revoked, () => revokeByOperator(revoked), 401), 'acme')

  const { token, get } = await logIn(app, apiKey)
  await app.principals.revokeToken({ ...app.verifyToken(token), customerId: 'acme' }, { keyId })
  clock.offsetMs += 1_000
  t.equal((await get('/v1/lab')).json().code, 'token_revoked')
  await app.audit.flush()
  t.match(await newest(1), [{ actor: keyId, customer: 'acme', outcome: 'refused', details: { status: 401 } }])
})

t.test('reads of an erased customer belong to no customer, not even one with the same name', async (t) => {
  await app.audit.flush()
  const { get } = await logIn(app, await addCustomer(database, 'passing'))
  t.equal((await get('/v1/products')).statusCode, 200)
  await operator.deleteFrom('customers').where('customer_id', '=', 'passing').execute()
  await addCustomer(database, 'passing')
  await app.audit.flush()
  const nameless = { actor: 'key', customer: null, action: 'reads' }
  t.match(await newest(1), [{ ...nameless, details: { status: 200 } }])
  await until('refused', async () => (await get('/v1/products')).statusCode === 401)
  await app.audit.flush()
  await get('/v1/lab')
  await app.audit.flush()
  t.match(await newest(1), [{ ...nameless, outcome: 'refused', details: { resource: 'lab', status: 401 } }])
})

t.test('a metric exposes the head that is in the log', async (t) => {
  await login({ api_key: apiKey })
  await app.audit.seal(true)
  const { head } = await verifyAudit(operator, createSecrets([secretKey]))
  t.same(app.audit.head(), head)
})

t.test('counted reads are kept while the database cannot take them', async (t) => {
  const { get } = await logIn(app, apiKey)
  await app.audit.flush()
  const before = await count()
  // Before the read, because the service also flushes every 5 s.
  const restore = await revokeFunction(database, t, 'add_audit_reads')
  await get('/v1/products')
  await t.rejects(app.audit.flush())
  await restore()
  await app.audit.flush()
  t.equal(await count(), before + 1)
})

t.test('a closing service writes its counts and seals them', async (t) => {
  const own = await createTestApp(database)
  const { get } = await logIn(own, apiKey)
  await get('/v1/lab')
  await own.close()
  const [last] = await newest(1)
  t.match(last, { action: 'reads', customer: 'acme', details: { resource: 'lab' } })
  t.type(last?.seal, 'number')
  const secrets = createSecrets([secretKey])
  t.match(await verifyAudit(operator, secrets), { fault: null, unsealed: 0 })
})

t.test('an import records which customers it changed, with the number of records', async (t) => {
  const readImports = async (customer: string) =>
    (await listEntries(operator, { customer, limit: 1_000 }))
      .filter(({ action }) => action === 'import')
      .map(({ details }) => details)
  t.same(await readImports('acme'), [{ created: 5 }])
  const line = (customer: string, name: string) =>
    JSON.stringify({ resource: 'products', customer, id: 'geheim-1', name })
  await importing([line('acme', 'Other'), line('initech', 'New')])
  t.same(await readImports('acme'), [{ updated: 1 }, { created: 5 }])
  t.same(await readImports('initech'), [{ created: 1 }], 'a customer that the import itself made')
  await importing([line('acme', 'Other')])
  t.equal((await readImports('acme')).length, 2, 'nothing changed, nothing written')
  await importing([line('acme', 'Third')], { dryRun: true })
  t.equal((await readImports('acme')).length, 2, 'a dry run changes nothing')
  await importing([line('acme', 'Other')], { replace: true, force: true })
  t.same((await readImports('acme'))[0], { deleted: 4 })
})
