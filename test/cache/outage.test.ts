import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import { createDatabaseDoor } from '../door.ts'
import {
  addCustomer,
  asCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  logIn,
  until,
} from '../helper.ts'
import { holdPolls } from './hold-polls.ts'

const database = await createTestDatabase()
const line = await createDatabaseDoor(database.url)
const ignore = () => {}
const reader = createDb(
  createPool(line.url, { role: readerRole, max: 4, applicationName: 'outage', onError: ignore }),
)
/** A minute before midnight. */
const clock = { offsetMs: Date.parse(`${new Date().toISOString().slice(0, 10)}T23:59:00Z`) - Date.now() }
/** As in production. */
const pollMs = 400
const app = await createTestApp({ ...database, url: line.url, reader }, { clock, pollMs })
closeAfter(t, app, reader, line, database)

await sql`insert into customers (customer_id, name, plan) values ('acme', 'Acme', 'premium')`.execute(
  database.operator,
)
await sql`insert into products (customer_id, id, name) values ('acme', 'p1', 'before')`.execute(
  database.operator,
)
const { token } = await asCustomer(database, app, 'acme')
const ask = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { authorization: `Bearer ${token}`, ...headers } })
const status = async (url: string) => String((await ask(url)).headers['cache-status'])

t.test('while the database is unreachable, cached answers continue with a stale label', async (t) => {
  const before = await ask('/v1/products')
  t.equal(before.statusCode, 200)
  await ask('/v1/certificates')
  t.equal((await ask('/v1/products/none')).statusCode, 404)
  // After this poll, no answer is newer than the last poll, so none has to wait for one.
  await ask('/v1/products', { 'cache-control': 'no-cache' })
  line.sever()
  await until('answers say that they are stale', async () =>
    /db-unreachable/.test(await status('/v1/products')),
  )
  const stale = await ask('/v1/products')
  t.same([stale.statusCode, stale.body, stale.headers.etag], [200, before.body, before.headers.etag])
  t.match(stale.headers['cache-status'], /^certdata; hit; ttl=-\d+; detail=db-unreachable$/)
  t.ok(String(stale.headers['data-as-of']) < new Date().toISOString())
  const unchanged = await ask('/v1/products', { 'if-none-match': String(before.headers.etag) })
  t.match([unchanged.statusCode, unchanged.headers['cache-status']], [304, /db-unreachable/])
})

t.test(
  'answers that depend on possible changes have the label: missing records, rights, /v1/me',
  async (t) => {
    for (const [url, code] of [
      ['/v1/products/none', 404],
      ['/v1/me', 200],
      ['/v1/products?include=x', 400],
    ] as const) {
      const answer = await ask(url)
      t.same(
        [answer.statusCode, /db-unreachable/.test(String(answer.headers['cache-status']))],
        [code, true],
        url,
      )
    }
  },
)

t.test('503 instead of stale: an unread page, no-cache, another day', async (t) => {
  for (const answer of [
    await ask('/v1/lab'),
    await ask('/v1/products', { 'cache-control': 'no-cache' }),
    await ask('/v1/products', { pragma: 'no-cache' }),
  ]) {
    t.same([answer.statusCode, answer.json().code, answer.headers['retry-after']], [503, 'unavailable', '1'])
  }
  t.match(await status('/v1/certificates'), /db-unreachable/)
  clock.offsetMs += 120_000
  t.equal((await ask('/v1/certificates')).statusCode, 503, 'valid today is not valid tomorrow')
  t.equal((await ask('/v1/products')).statusCode, 200, 'where the day does not matter it goes on')
  clock.offsetMs -= 120_000
})

/** Creates an app whose polls fail after `fail()`. The database responds to everything else until `line` is cut. */
const openWithoutPolls = async (t: Test) => {
  const fence = await holdPolls(database.url)
  const own = await createDatabaseDoor(database.url)
  const db = createDb(
    createPool(own.url, { role: readerRole, max: 4, applicationName: 'outage', onError: ignore }),
  )
  const served = await createTestApp({ ...database, reader: db }, { polls: fence })
  t.teardown(async () => {
    await served.close()
    await db.destroy()
    await own.close()
  })
  const apiKey = await addCustomer(database, 'acme')
  const { get } = await logIn(served, apiKey)
  const fail = async () => {
    await fence.hold()
    fence.fail()
    fence.endLease()
    await until('the polls fail', () => fence.freshness.isAway())
  }
  const read = (url: string) => get(url, { 'cache-control': '' })
  return { get, read, fail, line: own, keyId: apiKey.split('_')[2] as string }
}

t.test('while only the polls fail, answers are read from the database without a label', async (t) => {
  const { get, read, fail } = await openWithoutPolls(t)
  await read('/v1/products')
  t.equal((await read('/v1/products')).headers['cache-status'], 'certdata; hit')
  await fail()
  await sql`update products set name = 'meanwhile' where id = 'p1'`.execute(database.operator)
  const cached = await read('/v1/products')
  t.equal(cached.json().data[0].name, 'meanwhile', 'though memory has another')
  t.equal(cached.headers['cache-status'], 'certdata; fwd=uri-miss; stored')
  t.equal((await get('/v1/products')).headers['cache-status'], 'certdata; fwd=request; stored', 'no-cache')
  t.equal((await read('/v1/me')).headers['cache-status'], undefined)
})

t.test('while only the polls fail, a revoked key is refused', async (t) => {
  const { read, fail, keyId } = await openWithoutPolls(t)
  t.equal((await read('/v1/products')).statusCode, 200)
  await fail()
  await sql`update api_keys set revoked_at = now() where key_id = ${keyId}`.execute(database.operator)
  t.equal((await read('/v1/products')).statusCode, 401)
})

t.test('while the polls fail, answers have a label as soon as reads fail too', async (t) => {
  const { read, fail, line: own } = await openWithoutPolls(t)
  await read('/v1/products')
  await fail()
  t.notMatch((await read('/v1/products')).headers['cache-status'], /db-unreachable/)
  own.sever()
  const answer = await read('/v1/products')
  t.match(
    [answer.statusCode, answer.headers['cache-status']],
    [200, /^certdata; hit; ttl=-\d+; detail=db-unreachable$/],
  )
})

t.test('a record created while the polls fail is found', async (t) => {
  const { read, fail } = await openWithoutPolls(t)
  t.equal((await read('/v1/products/p2')).statusCode, 404)
  await fail()
  await sql`insert into products (customer_id, id, name) values ('acme', 'p2', 'new')`.execute(
    database.operator,
  )
  t.equal((await read('/v1/products/p2')).statusCode, 200)
})

t.test('when the database is back, changes show immediately, and no answer has a label', async (t) => {
  await sql`update products set name = 'after' where customer_id = 'acme'`.execute(database.operator)
  line.mend()
  await until('answers are fresh', async () => !/db-unreachable/.test(await status('/v1/products')))
  t.equal((await ask('/v1/products')).json().data[0].name, 'after')
  t.equal((await ask('/v1/lab')).statusCode, 200)
})

t.test('a hanging database does not block answers', async (t) => {
  line.hold()
  await until('it is noticed', async () => /db-unreachable/.test(await status('/v1/products')))
  const started = Date.now()
  const cold = await ask('/v1/lab?limit=7')
  t.same([cold.statusCode, cold.json().code], [503, 'unavailable'])
  t.ok(Date.now() - started < 10_000)
  line.release()
  await until('answers are fresh', async () => !/db-unreachable/.test(await status('/v1/products')))
})

t.test('while rights cannot be checked, exports return 503, never a stale answer', async (t) => {
  const { freshness, poller } = await holdPolls(database.url)
  const known = { isUnanswered: false }
  const blind = { ...freshness, isUnanswered: () => known.isUnanswered, staleSeconds: () => 7 }
  const served = await createTestApp(database, { polls: { poller, freshness: blind } })
  closeAfter(t, served)
  const { get } = await logIn(served, await addCustomer(database, 'live'))
  for (const path of ['/v1/products?format=csv', '/v1/products?format=ndjson']) {
    known.isUnanswered = false
    t.equal((await get(path)).statusCode, 200, path)
    known.isUnanswered = true
    const { statusCode, headers } = await get(path)
    t.same([statusCode, headers['retry-after']], [503, '1'], path)
  }
})
