import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { SharedCache } from '../../app/cache/redis.ts'
import { regainTrust } from '../../app/db/trust.ts'
import {
  addCustomer,
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  type TestAppOptions,
  until,
} from '../helper.ts'
import { eraseCustomer, withoutPersonalData } from '../personal-data.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
const insert = (customer: string, id: string, name: string) =>
  sql`insert into products (customer_id, id, name) values (${customer}, ${id}, ${name})`.execute(
    database.operator,
  )

t.test('Cache-Status', async (t) => {
  /** A Redis that does not respond. */
  const absent: SharedCache = { get: async () => undefined, set: () => {}, close: async () => {} }
  // A page of ten has about 12 kB, and one of a hundred is larger than an eighth of the memory.
  const open = async (t: Test, options: TestAppOptions = {}) => {
    const app = await createTestApp(database, { env: { CACHE_BYTES: '400000' }, ...options })
    t.teardown(() => app.close())
    const { get } = await asCustomer(database, app, 'long')
    return async (query: string, cacheControl = ''): Promise<unknown> => {
      const answer = await get(`/v1/products?${query}`, { 'cache-control': cacheControl })
      t.equal(answer.statusCode, 200)
      return answer.headers['cache-status']
    }
  }
  await addCustomer(database, 'long')
  await sql`insert into products (customer_id, id, name)
    select 'long', 'p' || n, ${'x'.repeat(1_000)} || n from generate_series(1, 100) n`.execute(
    database.operator,
  )

  await t.test('is stored for stored answers, and the next request is a hit', async (t) => {
    const status = await open(t)
    t.equal(await status('limit=10'), 'certdata; fwd=uri-miss; stored')
    t.equal(await status('limit=10'), 'certdata; hit')
    t.equal(await status('limit=11', 'no-cache'), 'certdata; fwd=request; stored')
    t.equal(await status('limit=11'), 'certdata; hit')
  })

  await t.test('is not stored for an answer that is too large for memory', async (t) => {
    const status = await open(t)
    for (let n = 0; n < 2; n++) t.equal(await status('limit=100'), 'certdata; fwd=uri-miss')
    t.equal(await status('limit=100', 'no-cache'), 'certdata; fwd=request')
  })

  await t.test('is not stored if only an unreachable Redis could store the answer', async (t) => {
    const status = await open(t, { shared: absent })
    t.equal(await status('limit=10'), 'certdata; fwd=uri-miss; stored', 'in memory')
    t.equal(await status('limit=100'), 'certdata; fwd=uri-miss', 'nowhere')
  })

  await t.test('is not stored if Redis has not confirmed the answer', async (t) => {
    let sent = 0
    const set = () => {
      sent += 1
    }
    const status = await open(t, { shared: { ...absent, set } })
    t.equal(await status('limit=100'), 'certdata; fwd=uri-miss')
    t.equal(sent, 1)
  })
})

t.test('the freshness probe', async (t) => {
  const app = await createTestApp(database)
  t.teardown(() => app.close())
  const { get } = await asCustomer(database, app, 'acme')
  await insert('acme', 'p', 'name')
  const rename = (name: string) =>
    sql`update products set name = ${name} where customer_id = 'acme' and id = 'p'`.execute(database.operator)
  const serveFromMemory = async () => {
    await get('/v1/products')
    const answer = await get('/v1/products', { 'cache-control': '' })
    t.equal(answer.headers['cache-status'], 'certdata; hit')
  }

  await t.test('compares each cached answer once a round', async (t) => {
    t.equal(await app.probeFreshness(), 'nothing', 'nothing was stored yet')
    await serveFromMemory()
    for (let round = 0; round < 2; round++) {
      t.equal(await app.probeFreshness(), 'same')
      t.equal(await app.probeFreshness(), 'nothing')
    }
  })

  await t.test('finds and counts a change that was not logged', async (t) => {
    await sql`alter table products disable trigger products_log_update`.execute(owner)
    await serveFromMemory()
    await rename('unlogged')
    t.equal(await app.probeFreshness(), 'different')
    t.match(app.freshnessProbes, { same: 2, superseded: 0, different: 1, nothing: 3 })
    await regainTrust(owner)
  })

  await t.test('compares answers that the edge has sent', async (t) => {
    // The edge passes answers that wait for a poll to the router. On a machine that stalls, that would be any.
    const { app, origin } = await listenTestApp(database, { leaseMs: 60_000 })
    t.teardown(() => app.close())
    const { token } = await asCustomer(database, app, 'acme')
    const ask = async () => {
      const answer = await fetch(`${origin}/v1/products`, { headers: { authorization: `Bearer ${token}` } })
      await answer.arrayBuffer()
      return answer.headers.get('cache-status')
    }
    for (let n = 0; n < 5; n++) await ask()
    t.ok(app.edgeAnswers > 1, `the edge has sent ${app.edgeAnswers} answers`)
    t.equal(await app.probeFreshness(), 'same')
    const before = app.edgeAnswers
    for (let asked = 0; asked < 5; asked++) t.equal(await ask(), 'certdata; hit')
    t.equal(app.edgeAnswers - before, 5, 'a probe takes no request from the edge')
  })
})

const erases = { skip: withoutPersonalData }

t.test('no cached answer of an erased customer is served to a new one with its name', erases, async (t) => {
  const app = await createTestApp(database)
  t.teardown(() => app.close())
  const paths = ['/v1/products', '/v1/products/p', '/v1/countries?limit=1', '/v1/me']
  const erased = await asCustomer(database, app, 'gamma')
  await insert('gamma', 'p', 'a secret')
  for (const path of paths) t.equal((await erased.get(path)).statusCode, 200, path)
  await eraseCustomer(database, 'gamma')
  const next = await asCustomer(database, app, 'gamma')
  // Without no-cache, which would bypass the cache.
  const get = (path: string) => next.get(path, { 'cache-control': '' })
  await until('the erasure is known', async () => (await get('/v1/products')).json().data.length === 0)
  for (const path of paths) t.notMatch((await get(path)).body, 'a secret', path)
  t.equal((await get('/v1/products/p')).statusCode, 404)
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from change_log where customer_id = 'gamma' and record_id = 'p'`.execute(owner)
  t.equal(rows[0]?.n, 0, 'the log has forgotten its records')
})
