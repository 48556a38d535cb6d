import { sql } from 'kysely'
import t from 'tap'
import { holdPolls } from '../../cache/hold-polls.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase, until } from '../../helper.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

t.test('while only the polls fail, pages are read from the database without a label', async (t) => {
  const fence = await holdPolls(database.url)
  const app = await createTestApp(database, { polls: fence })
  closeAfter(t, app)
  const { get } = await asCustomer(database, app, 'acme')
  await sql`insert into products (customer_id, id, name) values ('acme', 'p', 'P')`.execute(database.operator)
  const { next_token: token } = (await get('/v1/changes')).json().page
  await fence.hold()
  fence.fail()
  fence.endLease()
  await until('the polls fail', () => fence.freshness.isAway())
  await sql`update products set name = 'meanwhile'`.execute(database.operator)
  const changes = await get(`/v1/changes?after=${token}`, { 'cache-control': '' })
  t.match([changes.statusCode, changes.headers['cache-status']], [200, undefined])
  t.equal(changes.json().data.length, 1)
})

t.test('while rights cannot be checked, the feed returns 503, never a stale answer', async (t) => {
  const { freshness, poller } = await holdPolls(database.url)
  const known = { isUnanswered: false }
  const blind = { ...freshness, isUnanswered: () => known.isUnanswered, staleSeconds: () => 7 }
  const app = await createTestApp(database, { polls: { poller, freshness: blind } })
  closeAfter(t, app)
  const { get } = await asCustomer(database, app, 'live')
  t.equal((await get('/v1/changes')).statusCode, 200)
  known.isUnanswered = true
  const { statusCode, headers } = await get('/v1/changes')
  t.same([statusCode, headers['retry-after']], [503, '1'])
})
