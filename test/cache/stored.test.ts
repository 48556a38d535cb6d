import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { SharedCache } from '../../app/cache/redis.ts'
import { asCustomer, createTestApp, createTestDatabase, type TestAppOptions } from '../helper.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

const long = 'x'.repeat(1_000)
/** So much that a page of ten is some 12 kB, and one of a hundred above an eighth of the memory below. */
const seed = () =>
  sql`insert into products (customer_id, id, name)
  select 'acme', 'p' || n, ${long} || n from generate_series(1, 100) n on conflict do nothing`.execute(
    database.operator,
  )
const cacheBytes = 400_000

/** Asks a service of its own; answers the `Cache-Status` of each. */
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

/** A Redis that is away. */
const absent: SharedCache = {
  get: async () => undefined,
  set: () => {},
  close: async () => {},
}

t.test(
  'Cache-Status says stored of what is kept, and the next one who asks gets it from there',
  async (t) => {
    const status = await open(t)
    t.equal(await status('limit=10'), 'certdata; fwd=uri-miss; stored')
    t.equal(await status('limit=10'), 'certdata; hit')
    t.equal(await status('limit=11', 'no-cache'), 'certdata; fwd=request; stored')
    t.equal(await status('limit=11'), 'certdata; hit')
  },
)

t.test('Cache-Status does not say stored of an answer that is too large to be kept', async (t) => {
  const status = await open(t)
  for (let n = 0; n < 2; n++) t.equal(await status('limit=100'), 'certdata; fwd=uri-miss')
  t.equal(await status('limit=100', 'no-cache'), 'certdata; fwd=request')
})

t.test('what a Redis that is away does not take is not said to be stored', async (t) => {
  const status = await open(t, { shared: absent })
  t.equal(await status('limit=10'), 'certdata; fwd=uri-miss; stored', 'in memory')
  t.equal(await status('limit=100'), 'certdata; fwd=uri-miss', 'nowhere')
})

t.test(
  'what is sent to Redis alone is not said to be stored: nobody knows yet that Redis keeps it',
  async (t) => {
    let sent = 0
    const set = () => {
      sent += 1
    }
    const status = await open(t, { shared: { ...absent, set } })
    t.equal(await status('limit=100'), 'certdata; fwd=uri-miss')
    t.equal(sent, 1)
  },
)
