import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import {
  addCustomer,
  createTestApp,
  createTestDatabase,
  type Get,
  logIn,
  type TestClock,
  until,
} from '../helper.ts'

const database = await createTestDatabase()
const { operator } = database
const clock: TestClock = { offsetMs: 0 }
const app = await createTestApp(database, { clock })
t.teardown(async () => {
  await app.close()
  await database.close()
})

const run = (statement: RawBuilder<unknown>) => statement.execute(operator)
let customers = 0
const newCustomer = async () => {
  const id = `customer-${++customers}`
  const apiKey = await addCustomer(database, id)
  const { get } = await logIn(app, apiKey)
  /** Logs in again, because the token has expired by then. */
  const getOnDay = async (days: number) => {
    clock.offsetMs = days * 86_400_000
    return (await logIn(app, apiKey)).get
  }
  return { id, get, getOnDay }
}

type Entry = {
  resource: string
  id: string
  at: string
  op: string
  cause?: string
  changes: Record<string, { from: unknown; to: unknown }>
}
type Page = { data: Entry[]; page: { has_more: boolean; next_cursor: string | null; history_from: string } }

const ask = async (get: Get, url: string): Promise<Page> => {
  const answer = await get(url, { 'cache-control': 'no-cache' })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json()
}
const readAll = async (get: Get, url: string, limit = 50): Promise<Entry[]> => {
  const entries: Entry[] = []
  const separator = url.includes('?') ? '&' : '?'
  for (let cursor: string | null = '', query = `${separator}limit=${limit}`; cursor !== null; ) {
    const { data, page } = await ask(get, `${url}${query}${cursor && `&cursor=${cursor}`}`)
    entries.push(...data)
    cursor = page.next_cursor
  }
  return entries
}
const brief = (entries: readonly Entry[]) =>
  entries.map(({ op, cause, changes }) => {
    const told = Object.entries(changes).map(([name, { from, to }]) => `${name} ${from} → ${to}`)
    return `${cause ?? op}: ${op === 'update' ? told.join(', ') : ''}`
  })

t.test('each change has its previous and its new values, the newest first', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name, tags) values (${id}, 'p', 'one', '{a,b}')`)
  await run(sql`update products set name = 'two', model = 'M "1"' where customer_id = ${id}`)
  await run(sql`update products set name = name where customer_id = ${id}`)
  await run(sql`update products set name = 'three', tags = '{}' where customer_id = ${id}`)
  await run(sql`update products set model = null where customer_id = ${id}`)
  const { data, page } = await ask(get, '/v1/products/p/history')
  t.match(page, { has_more: false, next_cursor: null, limit: 50 })
  t.match(page.history_from, /^\d{4}-.*Z$/)
  t.same(data.map(({ op, changes }) => [op, changes]).slice(0, 3), [
    ['update', { model: { from: 'M "1"', to: null } }],
    ['update', { name: { from: 'two', to: 'three' }, tags: { from: ['a', 'b'], to: [] } }],
    ['update', { name: { from: 'one', to: 'two' }, model: { from: null, to: 'M "1"' } }],
  ])
  const created = data[3] as Entry
  t.equal(data.length, 4, 'an update that changes nothing leaves nothing')
  t.equal(created.op, 'create')
  t.match(created.changes, { id: { from: null, to: 'p' }, name: { from: null, to: 'one' } })
  const record = (await get('/v1/products/p')).json().data
  t.equal(created.at, record.created_at)
  t.equal(data[0]?.at, record.updated_at)
  t.same(await readAll(get, '/v1/products/p/history', 1), data, 'page by page the same')
  t.same(await readAll(get, '/v1/products/p/history', 2), data)
})

t.test('a deleted record keeps its history, and a recreated one continues it', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'one')`)
  await run(sql`update products set name = 'two' where customer_id = ${id}`)
  await run(sql`delete from products where customer_id = ${id}`)
  t.equal((await get('/v1/products/p')).statusCode, 404)
  const gone = await ask(get, '/v1/products/p/history')
  t.same(brief(gone.data), ['delete: ', 'update: name one → two', 'create: '])
  t.match(gone.data[0]?.changes, { name: { from: 'two', to: null }, id: { from: 'p', to: null } })
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'three')`)
  await run(sql`update products set name = 'four' where customer_id = ${id}`)
  const again = ['update: name three → four', 'create: ', 'delete: ', 'update: name one → two', 'create: ']
  t.same(brief((await ask(get, '/v1/products/p/history')).data), again)
  await run(sql`delete from products where customer_id = ${id}`)
  t.same(brief(await readAll(get, '/v1/products/p/history', 1)), ['delete: ', ...again])
  t.equal((await get('/v1/products/q/history')).statusCode, 404)
  t.equal((await get('/v1/products/%2F/history')).statusCode, 404)
})

t.test('changes by the calendar are in order of time', async (t) => {
  const { id, get, getOnDay } = await newCustomer()
  t.teardown(() => {
    clock.offsetMs = 0
  })
  const day = (n: number) => sql`(now() at time zone 'UTC')::date + ${n}::integer`
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until)
    values (${id}, 'c', 'N', 'T', 'approved', ${day(2)}, ${day(100)})`)
  t.same(brief((await ask(get, '/v1/certificates/c/history')).data), ['create: '])
  const at = async (days: number) => {
    const entries = await readAll(await getOnDay(days), '/v1/certificates/c/history', 2)
    clock.offsetMs = 0
    return brief(entries)
  }
  t.same(await at(2), ['day: validity not_yet_valid → valid', 'create: '])
  t.same(await at(9), ['day: validity not_yet_valid → valid', 'create: '])
  t.same(await at(10), ['day: expiring false → true', 'day: validity not_yet_valid → valid', 'create: '])
  t.same((await at(101))[0], 'day: validity valid → expired, expiring true → false')
  const url = '/v1/certificates/c/history'
  await run(
    sql`update certificates set valid_until = ${day(-1)}, valid_from = null where customer_id = ${id}`,
  )
  const [changed] = (await ask(get, url)).data
  t.match(changed?.changes.validity, { from: 'not_yet_valid', to: 'expired' }, 'a write changes it, too')
  t.equal((await at(200)).length, 2, 'nothing that was undone before it came')
  await run(sql`delete from certificates where customer_id = ${id}`)
  t.equal((await at(300)).length, 3)
})

t.test('the history of all records', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name)
    select ${id}, 'p' || i, 'one' from generate_series(1, 5) i`)
  await run(sql`update products set name = 'two' where customer_id = ${id} and id < 'p4'`)
  await run(sql`delete from products where customer_id = ${id} and id < 'p3'`)
  await run(sql`insert into projects (customer_id, id, project_number, title) values (${id}, 'j', 'N', 'T')`)
  const all = (await ask(get, '/v1/history?limit=500')).data
  t.equal(all.length, 11)
  t.same(
    all.map(({ resource, op }) => `${op} ${resource}`),
    [
      'create projects',
      'delete products',
      'delete products',
      ...Array(3).fill('update products'),
      ...Array(5).fill('create products'),
    ],
  )
  t.same(brief(all.slice(3, 6)), Array(3).fill('update: name one → two'))
  for (const limit of [1, 2, 3, 4]) t.same(await readAll(get, '/v1/history', limit), all, `by ${limit}`)
  t.equal((await ask(get, '/v1/history?resource=projects')).data.length, 1)
  t.equal((await ask(get, '/v1/history?resource=products,projects&since=today')).data.length, 11)
  t.equal((await ask(get, `/v1/history?since=${all[1]?.at}`)).data.length, 3)
  t.equal((await ask(get, '/v1/history?since=today%2B1d')).data.length, 0)
  for (const record of ['products/p1', 'products/p3', 'projects/j']) {
    const [resource, key] = record.split('/')
    const own = all.filter((entry) => entry.resource === resource && entry.id === key)
    t.same((await ask(get, `/v1/${record}/history`)).data, own, record)
  }
})

t.test('all at one instant keep their order, in one transaction too', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'zero')`)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('begin')
  await client.query(`update products set name = 'one' where customer_id = '${id}'`)
  await client.query(`update products set name = 'two' where customer_id = '${id}'`)
  await client.query(`delete from products where customer_id = '${id}'`)
  await client.query(`insert into products (customer_id, id, name) values ('${id}', 'p', 'three')`)
  await client.query(`update products set name = 'four' where customer_id = '${id}'`)
  await client.query('commit')
  await client.end()
  const order = [
    'update: name three → four',
    'create: ',
    'delete: ',
    'update: name one → two',
    'update: name zero → one',
    'create: ',
  ]
  const entries = await readAll(get, '/v1/products/p/history', 1)
  t.same(brief(entries), order)
  t.equal(new Set(entries.slice(0, 5).map(({ at }) => at)).size, 1, 'one transaction has one instant')
  t.same(await readAll(get, '/v1/history', 1), entries)
  t.same(await readAll(get, '/v1/history', 4), entries)
})

t.test('a transaction that began earlier and writes later is ordered by its write', async (t) => {
  const { id, get } = await newCustomer()
  await run(
    sql`insert into products (customer_id, id, name) values (${id}, 'p', 'zero'), (${id}, 'q', 'zero')`,
  )
  const [early, late] = await Promise.all(
    [1, 2].map(async () => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      t.teardown(() => client.end())
      return client
    }),
  )
  await early?.query('begin')
  await early?.query(`update products set name = 'early' where customer_id = '${id}' and id = 'q'`)
  await late?.query(`update products set name = 'late' where customer_id = '${id}' and id = 'p'`)
  // Does not wait: the later transaction has committed.
  await early?.query(`update products set name = 'early' where customer_id = '${id}' and id = 'p'`)
  t.same(
    brief((await ask(get, '/v1/products/q/history')).data),
    ['create: '],
    'nothing is told before its commit',
  )
  await early?.query('commit')
  const { data } = await ask(get, '/v1/products/p/history')
  t.same(brief(data), ['update: name late → early', 'update: name zero → late', 'create: '])
  t.equal(data[0]?.at, data[1]?.at, 'never earlier than the change before it')
  t.same(brief(await readAll(get, '/v1/products/p/history', 1)), brief(data))
})

t.test('entries are the same for every limit', async (t) => {
  const { id, get } = await newCustomer()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.teardown(() => client.end())
  const fields = ['name', 'model', 'brand', 'category']
  for (let round = 0; round < 6; round++) {
    await client.query('begin')
    for (const key of ['p', 'q', 'r']) {
      await client.query(`insert into products (customer_id, id, name) values ('${id}', '${key}', 'v${round}')
        on conflict (customer_id, id) do nothing`)
      const field = fields[(round + key.charCodeAt(0)) % 4]
      for (const value of ['a', 'b'])
        await client.query(
          `update products set ${field} = '${value}${round}' where customer_id = '${id}' and id = '${key}'`,
        )
      await client.query(`insert into projects (customer_id, id, project_number, title)
        values ('${id}', '${key}${round}', 'N', 'T')`)
    }
    if (round % 3 === 1) {
      await client.query(`delete from products where customer_id = '${id}' and id <> 'q'`)
      await client.query(`insert into products (customer_id, id, name) values ('${id}', 'r', 'again')`)
    }
    await client.query('commit')
  }
  for (const url of [
    '/v1/history',
    '/v1/history?resource=products',
    '/v1/products/q/history',
    '/v1/products/r/history',
  ]) {
    const all = await readAll(get, url, 500)
    t.ok(all.length > 12, url)
    for (const limit of [1, 2, 7, 100]) t.same(await readAll(get, url, limit), all, `${url} by ${limit}`)
  }
})

t.test('a cursor keeps its position while its record is updated, deleted and recreated', async (t) => {
  const { id, get } = await newCustomer()
  const set = (name: string) => run(sql`update products set name = ${name} where customer_id = ${id}`)
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'v0')`)
  for (const n of [1, 2, 3, 4, 5, 6]) await set(`v${n}`)
  const url = '/v1/products/p/history'
  const all = await ask(get, url)
  const writes = [
    () => set('late'),
    () => run(sql`update products set model = 'M', brand = 'B' where customer_id = ${id}`),
    () => run(sql`delete from products where customer_id = ${id}`),
    () => run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'again')`),
    () => set('and again'),
  ]
  const told = [...(await ask(get, `${url}?limit=1`)).data]
  for (let cursor = (await ask(get, `${url}?limit=1`)).page.next_cursor; cursor !== null; ) {
    await writes.shift()?.()
    const { data, page } = await ask(get, `${url}?limit=1&cursor=${cursor}`)
    told.push(...data)
    cursor = page.next_cursor
  }
  t.same(told, all.data)
  t.equal(writes.length, 0)
})

t.test('a cached page is answered again until the record changes', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'one')`)
  const cached = { 'cache-control': '' }
  for (const url of ['/v1/products/p/history', '/v1/history', '/v1/products/p?as_of=today']) {
    const first = await get(url)
    const again = await get(url, cached)
    t.equal(again.headers['cache-status'], 'certdata; hit', url)
    t.equal(again.body, first.body)
    t.match(again.headers['data-as-of'], /Z$/)
    const matching = await get(url, { ...cached, 'if-none-match': first.headers.etag as string })
    t.equal(matching.statusCode, 304)
    await run(sql`update products set name = ${url} where customer_id = ${id}`)
    await until('the change is seen', async () => (await get(url, cached)).body !== first.body)
    t.ok((await get(url, cached)).body.includes(url))
  }
})

t.test('scopes decide which records are in the history of all', async (t) => {
  const id = `customer-${++customers}`
  const { get } = await logIn(app, await addCustomer(database, id, { scopes: ['products:read'] }))
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'one')`)
  await run(sql`insert into projects (customer_id, id, project_number, title) values (${id}, 'j', 'N', 'T')`)
  t.same(
    (await ask(get, '/v1/history')).data.map((entry) => entry.resource),
    ['products'],
  )
  t.equal((await get('/v1/history?resource=projects')).json().code, 'insufficient_scope')
  t.equal((await get('/v1/projects/j/history')).json().code, 'insufficient_scope')
  const refused = (await get('/v1/history?resorce=products&limit=0')).json()
  t.same(
    refused.errors.map(({ parameter }: { parameter: string }) => parameter),
    ['resorce', 'limit'],
  )
  const { page } = await ask(get, '/v1/history?resource=products&limit=1')
  t.equal(page.next_cursor, null)
  t.equal((await get('/v1/history?cursor=nonsense')).json().code, 'invalid_cursor')
})
