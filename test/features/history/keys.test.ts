import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { asCustomer, type Get } from '../../helper.ts'
import { app, connect, database, run } from '../../stage.ts'
import type { Entry } from './entries.ts'
import { readAll } from './stage.ts'

const told = (entries: readonly Entry[]) =>
  entries.map(({ op, changes: { name } }) => `${op} ${name?.from} ${name?.to}`)
/** The history of each record and the list agree, for every limit. */
const agrees = async (t: Test, get: Get, ids: readonly string[]) => {
  const all = await readAll(get, '/v1/history')
  for (let limit = 1; limit <= all.length; limit++)
    t.same(await readAll(get, '/v1/history', limit), all, `the list by ${limit}`)
  for (const id of ids) {
    const own = await readAll(get, `/v1/products/${id}/history`)
    t.same(
      all.filter((entry) => entry.id === id),
      own,
      `${id} in the list`,
    )
    t.same(await readAll(get, `/v1/products/${id}/history`, 1), own, `${id} one by one`)
  }
}

t.test('a changed key counts as a deletion and a creation', async (t) => {
  const { get } = await asCustomer(database, app, 'moved')
  await run(sql`insert into products (customer_id, id, name, tags) values ('moved', 'a', 'one', '{x}')`)
  const client = await connect()
  await client.query('begin')
  const { rows } = await client.query('select now()::text as now')
  await client.query(`update products set id = 'b', name = 'two' where customer_id = 'moved' and id = 'a'`)
  await client.query(`update products set name = 'three' where customer_id = 'moved'`)
  await client.query('commit')
  t.same(told(await readAll(get, '/v1/products/a/history')), ['delete one null', 'create null one'])
  t.same(told(await readAll(get, '/v1/products/b/history')), ['update two three', 'create null two'])
  const [record] = await run(sql`select created_at::text, updated_at::text from products`)
  t.same(record, { created_at: rows[0].now, updated_at: rows[0].now }, 'it begins with the move')
  await agrees(t, get, ['a', 'b'])
  await run(sql`insert into customers (customer_id, name) values ('other', 'Other')`)
  await run(sql`update products set customer_id = 'other' where customer_id = 'moved'`)
  t.same(told(await readAll(get, '/v1/products/b/history')).slice(0, 1), ['delete three null'])
})

t.test('handles keys that shift in one statement', async (t) => {
  const { get } = await asCustomer(database, app, 'shifted')
  // In this order the update never moves a record to a key in use.
  for (const id of ['pxx', 'px', 'p'])
    await run(
      sql`insert into products (customer_id, id, name, tags) values ('shifted', ${id}, ${id}, array[${id}, 'all'])`,
    )
  await run(sql`update products set id = id || 'x' where customer_id = 'shifted'`)
  t.same(told(await readAll(get, '/v1/products/p/history')), ['delete p null', 'create null p'])
  for (const [id, former] of [
    ['px', 'p'],
    ['pxx', 'px'],
  ])
    t.same(told(await readAll(get, `/v1/products/${id}/history`)), [
      `create null ${former}`,
      `delete ${id} null`,
      `create null ${id}`,
    ])
  t.same(told(await readAll(get, '/v1/products/pxxx/history')), ['create null pxx'])
  const elements = await run(sql<{ id: string; values: string[] }>`
    select id, array_agg(value order by value) as values from elements where customer_id = 'shifted' group by 1 order by 1`)
  t.same(
    elements.map(({ id, values }) => `${id}: ${values}`),
    ['px: all,p', 'pxx: all,px', 'pxxx: all,pxx'],
  )
  const { data } = (await get('/v1/products?q=pxx&fields=id')).json()
  t.same(data, [{ id: 'pxxx' }], 'words go along')
  await agrees(t, get, ['p', 'px', 'pxx', 'pxxx'])
})

t.test('handles records that swap keys', async (t) => {
  const { get } = await asCustomer(database, app, 'rotated')
  await run(
    sql`insert into products (customer_id, id, name) values ('rotated', 'a', 'A'), ('rotated', 'b', 'B')`,
  )
  const client = await connect()
  await client.query('begin')
  for (const [from, to] of [
    ['a', 'between'],
    ['b', 'a'],
    ['between', 'b'],
  ])
    await client.query(`update products set id = $2 where customer_id = 'rotated' and id = $1`, [from, to])
  await client.query('commit')
  t.same(told(await readAll(get, '/v1/products/a/history')), [
    'create null B',
    'delete A null',
    'create null A',
  ])
  t.same(told(await readAll(get, '/v1/products/between/history')), ['delete A null', 'create null A'])
  await agrees(t, get, ['a', 'b', 'between'])
})

/** A transaction that is older than the one that deletes the record. */
const overlapping = async (customer: string) => {
  const { get } = await asCustomer(database, app, customer)
  await run(sql`insert into products (customer_id, id, name) values (${customer}, 'p', 'one')`)
  const [early, late] = [await connect(), await connect()]
  await early.query('begin')
  await early.query(`insert into products (customer_id, id, name) values ($1, 'q', 'Q')`, [customer])
  await late.query('begin')
  const {
    rows: [{ now }],
  } = await late.query('select now()::text as now')
  await late.query(`update products set name = 'two' where customer_id = $1 and id = 'p'`, [customer])
  await late.query(`delete from products where customer_id = $1 and id = 'p'`, [customer])
  const stamps = () =>
    run(
      sql`select created_at::text, updated_at::text from products where customer_id = ${customer} and id = 'p'`,
    )
  return { get, early, late, now, stamps }
}
const lives = [
  'update three four',
  'create null three',
  'delete two null',
  'update one two',
  'create null one',
]

t.test('a record begins no earlier than the end of the previous one under its key', async (t) => {
  const { get, early, late, now, stamps } = await overlapping('again')
  await late.query('commit')
  await early.query(`insert into products (customer_id, id, name) values ('again', 'p', 'three')`)
  t.same(await stamps(), [], 'not committed yet')
  await early.query(`update products set name = 'four' where customer_id = 'again' and id = 'p'`)
  await early.query('commit')
  t.same(await stamps(), [{ created_at: now, updated_at: now }])
  t.same(told(await readAll(get, '/v1/products/p/history')), lives)
  await agrees(t, get, ['p', 'q'])
  await run(sql`delete from products where customer_id = 'again' and id = 'p'`)
  await agrees(t, get, ['p', 'q'])
})

t.test('an insert or a move that waits for that end begins no earlier', async (t) => {
  for (const write of [
    `insert into products (customer_id, id, name) values ($1, 'p', 'three')`,
    `insert into products (customer_id, id, name) values ($1, 'p', 'three') on conflict (customer_id, id) do update set name = 'three'`,
    `update products set id = 'p', name = 'three' where customer_id = $1 and id = 'q'`,
  ]) {
    const customer = `waiting-${write.length}`
    const { get, early, late, now, stamps } = await overlapping(customer)
    const written = early.query(write, [customer])
    await late.query('commit')
    await written
    await early.query(`update products set name = 'four' where customer_id = $1 and id = 'p'`, [customer])
    await early.query('commit')
    t.same(await stamps(), [{ created_at: now, updated_at: now }], write)
    t.same(told(await readAll(get, '/v1/products/p/history')), lives)
    await agrees(t, get, ['p', 'q'])
  }
})

t.test('no other role can set the start of a record', async (t) => {
  await asCustomer(database, app, 'stamped')
  await run(sql`insert into products (customer_id, id, name) values ('stamped', 'p', 'one')`)
  const read = () => run(sql`select * from products where customer_id = 'stamped'`)
  const before = await read()
  await run(
    sql`update products set created_at = 'infinity', updated_at = 'infinity' where customer_id = 'stamped'`,
  )
  await run(sql`update products set created_at = null, name = 'one' where customer_id = 'stamped'`)
  t.same(await read(), before, 'an update that only stamps is none')
  t.same(await run(sql`select from record_history where customer_id = 'stamped'`), [])
})
