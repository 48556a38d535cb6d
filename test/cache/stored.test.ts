import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { SharedCache } from '../../app/cache/redis.ts'
import { asCustomer, createTestApp, createTestDatabase, type TestAppOptions } from '../helper.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

const long = 'x'.repeat(1_000)
/** A page of ten has about 12 kB, and one of a hundred is larger than an eighth of the memory below. */
const seed = () =>
  sql`insert into products (customer_id, id, name)
  select 'acme', 'p' || n, ${long} || n from generate_series(1, 100) n on conflict do nothing`.execute(
    database.operator,
  )
const cacheBytes = 400_000

/** Returns a function that returns the `Cache-Status` of a query. */
const open = async (t: Test, options: TestAppOptions = {}) => {
  const app = await createTestApp(database, { env: { CACHE_BYTES: String(cacheBytes) }, ...options })
  t.teardown(() => app.close())
  const { get } = await asCustomer(database, app, 'acme')
  await seed()
  return async (query: string, cacheControl = ''): Promise<unknown> => {
    const answer = await get(`/v1/products?${query}`, { 'cache-control': cacheControl })
    t.equal(answer.statusCode, 200)
    return answer.headers['cache-status']
  }
}

/** A Redis that does not respond. */
const absent: SharedCache = {
  get: async () => undefined,
  set: () => {},
  close: async () => {},
}

t.test('Cache-Status has stored for stored answers, and the next request is a hit', async (t) => {
  const status = await open(t)
  t.equal(await status('limit=10'), 'certdata; fwd=uri-miss; stored')
  t.equal(await status('limit=10'), 'certdata; hit')
  t.equal(await status('limit=11', 'no-cache'), 'certdata; fwd=request; stored')
  t.equal(await status('limit=11'), 'certdata; hit')
})

t.test('Cache-Status does not say stored of an answer that is too large to be kept', async (t) => {
  const status = await open(t)
  for (let n = 0; n < 2; n++) t.equal(await status('limit=100'), 'certdata; fwd=uri-miss')
  t.equal(await status('limit=100', 'no-cache'), 'certdata; fwd=request')
})

t.test('an answer that an unreachable Redis cannot store has no stored', async (t) => {
  const status = await open(t, { shared: absent })
  t.equal(await status('limit=10'), 'certdata; fwd=uri-miss; stored', 'in memory')
  t.equal(await status('limit=100'), 'certdata; fwd=uri-miss', 'nowhere')
})

t.test('an answer that was only sent to Redis has no stored, because it is not confirmed', async (t) => {
  let sent = 0
  const set = () => {
    sent += 1
  }
  const status = await open(t, { shared: { ...absent, set } })
  t.equal(await status('limit=100'), 'certdata; fwd=uri-miss')
  t.equal(sent, 1)
})
