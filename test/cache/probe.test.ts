import { sql } from 'kysely'
import t from 'tap'
import { asCustomer, connectOwner, createTestApp, createTestDatabase, listenTestApp } from '../helper.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
const owner = connectOwner(database)
t.teardown(async () => {
  await app.close()
  await owner.destroy()
  await database.close()
})
const { get } = await asCustomer(database, app, 'acme')
await sql`insert into products (customer_id, id, name) values ('acme', 'p', 'name')`.execute(
  database.operator,
)
const rename = (name: string) =>
  sql`update products set name = ${name} where customer_id = 'acme' and id = 'p'`.execute(database.operator)

const serve = async () => {
  await get('/v1/products')
  const answer = await get('/v1/products', { 'cache-control': '' })
  t.equal(answer.headers['cache-status'], 'certdata; hit')
}

t.test('a cached answer that is as the database has it is the same', async (t) => {
  t.equal(await app.probeFreshness(), 'nothing', 'nothing was served yet')
  await serve()
  t.equal(await app.probeFreshness(), 'same')
  t.equal(await app.probeFreshness(), 'nothing', 'each is compared once')
})

t.test('a probe whose record changed is superseded, which is no failure', async (t) => {
  await serve()
  await rename('another')
  t.equal(await app.probeFreshness(), 'superseded')
})

t.test('a change that was not logged is found, and counted', async (t) => {
  await sql`alter table products disable trigger products_log_update`.execute(owner)
  await serve()
  await rename('unlogged')
  t.equal(await app.probeFreshness(), 'different')
  t.match(app.freshnessProbes, { same: 1, superseded: 1, different: 1, nothing: 2 })
  await sql`alter table products enable always trigger products_log_update`.execute(owner)
})

t.test('if the edge answers everything, one request per interval is still compared', async (t) => {
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
  t.ok(app.edgeAnswers > 1, `${app.edgeAnswers} went the fast way`)
  for (let n = 0; n < 3; n++) {
    t.equal(await app.probeFreshness(), 'same')
    const before = app.edgeAnswers
    for (let asked = 0; asked < 5; asked++) t.equal(await ask(), 'certdata; hit')
    t.equal(app.edgeAnswers - before, 4, 'all but one')
  }
})
