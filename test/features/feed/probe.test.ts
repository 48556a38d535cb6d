import { sql } from 'kysely'
import t from 'tap'
import { createDb, createPool, readerRole } from '../../../app/db/connect.ts'
import { readChanges } from '../../../app/features/feed/read.ts'
import type { SyncToken } from '../../../app/features/feed/token.ts'
import type { ResourceName } from '../../../app/records/resources/define.ts'
import { closeAfter, createTestDatabase } from '../../helper.ts'
import { addProduct } from './stage.ts'

/** How many statements a poll costs, and which of them are prepared. */
const database = await createTestDatabase()
const statements: string[] = []
const reader = createDb(
  createPool(database.url, { role: readerRole, max: 1, applicationName: 'test', onError: () => {} }),
  { prepares: true, onStatement: ({ sql: text }) => statements.push(text) },
)
closeAfter(t, reader, database)

let day = '2026-11-28'
const poll = async (token: SyncToken | undefined, names: readonly ResourceName[] = ['products']) => {
  statements.length = 0
  const page = await readChanges(reader, { customerId: 'a', token, resources: names, day, limit: 50 })
  return { ...page, cost: statements.length }
}
const add = (id: string) => addProduct(database, 'a', id)
const begin = async (names?: readonly ResourceName[]) => (await poll(undefined, names)).token

await sql`insert into customers (customer_id, name) values ('a', 'A'), ('b', 'B')`.execute(database.operator)

t.test('an empty poll is one statement, also after changes of other resources and customers', async (t) => {
  const token = await begin(['certificates'])
  await add('other')
  await addProduct(database, 'b', 'p')
  const page = await poll(token)
  t.match(page, { changes: [], hasMore: false, cost: 1 })
  t.not(page.token.base.text, token.base.text, 'the token continues at the newer snapshot')
})

t.test('a poll with a change is two statements, and the change is not lost', async (t) => {
  const token = await begin()
  t.match(await poll(token), { changes: [], cost: 1 })
  await add('found')
  const page = await poll(token)
  t.match(
    page.changes.map((text) => JSON.parse(text).id),
    ['found'],
  )
  t.equal(page.cost, 2)
  t.match(await poll(page.token), { changes: [], cost: 1 })
})

t.test('the probe leaves a long log of other resources to the statement for a page', async (t) => {
  const token = await begin(['certificates'])
  await sql`insert into products (customer_id, id, name) select 'a', 'many' || i, 'P'
    from generate_series(1, 1001) i`.execute(database.operator)
  t.match(await poll(token), { changes: [], hasMore: false, cost: 2 })
})

t.test('a statement for a page scans 1,000 log rows and four for each record of a full page', async (t) => {
  const token = await begin(['certificates'])
  const change = (count: number) =>
    sql`update products set name = name || '.' where customer_id = 'a' and id in
      (select id from products where customer_id = 'a' and id like 'many%' limit ${count})`.execute(
      database.operator,
    )
  await change(1000)
  await change(200)
  t.match(await poll(token), { changes: [], hasMore: false, cost: 2 })
  await change(1)
  // The last statement reads the changes since the first.
  t.match(await poll(token), { changes: [], hasMore: false, cost: 4 })
})

t.test('a page ends after twenty statements, although the log continues', async (t) => {
  const token = await begin(['certificates'])
  await sql`insert into change_log (customer_id, resource, record_id)
    select 'a', 'products', 'p' || i from generate_series(1, 20 * 1200 + 1) i`.execute(database.operator)
  const page = await poll(token)
  t.match(page, { changes: [], hasMore: true, cost: 1 + 20 })
  t.match(await poll(page.token), { changes: [], hasMore: false })
})

t.test('a new day and a new window are walked, although the log has no change', async (t) => {
  const token = await begin(['certificates'])
  day = '2026-11-29'
  const next = await poll(token)
  t.ok(next.cost > 1)
  t.equal(next.token.moment.day, day)
  await sql`update customers set expiring_within = 45 where customer_id = 'a'`.execute(database.operator)
  t.equal((await poll(next.token)).token.moment.window, 45)
})

t.test('an empty poll refuses a view that this release does not accept', async (t) => {
  const token = { ...(await begin()), view: 'no_such_field=1' }
  await t.rejects(poll(token), { code: 'sync_token_expired' })
})

t.test('an empty poll refuses a token of another history', async (t) => {
  const token = await begin()
  await t.rejects(poll({ ...token, mark: '00000000-0000-0000-0000-000000000000' }), {
    code: 'sync_token_expired',
  })
  await t.rejects(poll({ ...token, identity: 'another' }), { code: 'sync_token_expired' })
})

t.test('both statements are prepared, and PostgreSQL plans them without the values', async (t) => {
  const token = await begin()
  for (let i = 0; i < 12; i++) await add(`again${i}`).then(() => poll(token))
  const { rows } = await sql<{ name: string; is_generic: boolean }>`
    select name, generic_plans > 0 as is_generic from pg_prepared_statements`.execute(reader)
  for (const prefix of ['probe_', 'changes_']) {
    t.ok(
      rows.some(({ name, is_generic }) => name.startsWith(prefix) && is_generic),
      prefix,
    )
  }
})
