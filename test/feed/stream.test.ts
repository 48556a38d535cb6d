import { once } from 'node:events'
import { request } from 'node:http'
import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { addCustomer, createTestDatabase, listenTestApp, logIn, until } from '../helper.ts'

/** The whole state as a stream: one snapshot, and no partial response looks complete. */

/** 16 MB, more than the buffers of the sockets. */
const records = 8000

const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
const client = new pg.Client({ connectionString: database.url })
await client.connect()
t.teardown(async () => {
  await client.end()
  await app.close()
  await database.close()
})
const { token } = await logIn(app, await addCustomer(database, 'acme'))
await sql`insert into products (customer_id, id, name, brand)
  select 'acme', 'p' || i, 'Product ' || i, repeat('x', 2000) from generate_series(1, ${records}) i`.execute(
  database.operator,
)
const ask = async () => {
  const sent = request(`${origin}/v1/changes?after=snapshot`, {
    headers: { authorization: `Bearer ${token}` },
  }).end()
  const [response] = await once(sent, 'response')
  sent.on('error', () => {})
  return { sent, response }
}
const backends = async () =>
  (
    await client.query(`select pid from pg_stat_activity where datname = current_database()
      and pid <> pg_backend_pid() and application_name = 'test exports' and state <> 'idle'`)
  ).rows.map(({ pid }) => pid as number)

t.test('the token is sent first, in a header, and the state is one snapshot', async (t) => {
  const { response } = await ask()
  t.ok(response.headers['sync-token'])
  let lines = 0
  let isChanged = false
  for await (const chunk of response.setEncoding('utf8')) {
    if (!isChanged) await client.query(`delete from products where id > 'p5'`)
    isChanged = true
    lines += chunk.split('\n').length - 1
  }
  t.equal(lines, records)
  const after = response.headers['sync-token']
  const follow = await app.inject({
    url: `/v1/changes?after=${after}&limit=500`,
    headers: { authorization: `Bearer ${token}` },
  })
  t.equal(follow.json().data[0].op, 'delete', 'what came meanwhile comes after the token')
  await sql`insert into products (customer_id, id, name, brand)
    select 'acme', 'q' || i, 'Product ' || i, repeat('x', 2000) from generate_series(1, ${records}) i`.execute(
    database.operator,
  )
})

t.test('a client that disconnects frees query and connection immediately', async (t) => {
  const { sent, response } = await ask()
  await once(response, 'readable')
  t.equal((await backends()).length, 1)
  sent.destroy()
  await until('the connection is free', async () => (await backends()).length === 0)
})

t.test('a failure mid-way cuts the connection', async (t) => {
  // More often than the pool has connections.
  for (let i = 0; i < 6; i++) {
    const { response } = await ask()
    response.on('error', () => {})
    await once(response, 'readable')
    for (const pid of await backends()) await client.query('select pg_terminate_backend($1)', [pid])
    await t.rejects(response.toArray(), { message: 'aborted' })
  }
  const again = await ask()
  t.equal(again.response.statusCode, 200, 'and the next one is served')
  again.sent.destroy()
})

t.test('at most two per customer at the same time', async (t) => {
  await until('the last one is over', async () => (await backends()).length === 0)
  const two = [await ask(), await ask()]
  const third = await ask()
  t.equal(third.response.statusCode, 429)
  for (const { sent } of two) sent.destroy()
  await until('they are over', async () => {
    const { sent, response } = await ask()
    sent.destroy()
    return response.statusCode === 200
  })
})
