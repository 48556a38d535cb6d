import { sql } from 'kysely'
import t from 'tap'
import { asCustomer, until } from '../../helper.ts'
import { app, clock, connect, database, newCustomer, run } from '../../stage.ts'
import type { Entry } from './entries.ts'
import { readAll, readPage } from './stage.ts'

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
  const { data, page } = await readPage(get, '/v1/products/p/history')
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
  const gone = await readPage(get, '/v1/products/p/history')
  t.same(brief(gone.data), ['delete: ', 'update: name one → two', 'create: '])
  t.match(gone.data[0]?.changes, { name: { from: 'two', to: null }, id: { from: 'p', to: null } })
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'three')`)
  await run(sql`update products set name = 'four' where customer_id = ${id}`)
  const again = ['update: name three → four', 'create: ', 'delete: ', 'update: name one → two', 'create: ']
  t.same(brief((await readPage(get, '/v1/products/p/history')).data), again)
  await run(sql`delete from products where customer_id = ${id}`)
  t.same(brief(await readAll(get, '/v1/products/p/history', 1)), ['delete: ', ...again])
  t.equal((await get('/v1/products/q/history')).statusCode, 404)
  t.equal((await get('/v1/products/%2F/history')).statusCode, 404)
})

t.test('sorts changes by the calendar by time', async (t) => {
  const { id, get, getOnDay } = await newCustomer()
  const day = (n: number) => sql`(now() at time zone 'UTC')::date + ${n}::integer`
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until)
    values (${id}, 'c', 'N', 'T', 'approved', ${day(2)}, ${day(100)})`)
  t.same(brief((await readPage(get, '/v1/certificates/c/history')).data), ['create: '])
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
  const [changed] = (await readPage(get, url)).data
  t.match(changed?.changes.validity, { from: 'not_yet_valid', to: 'expired' }, 'a write changes it, too')
  t.equal((await at(200)).length, 2, 'no changes of days after the update')
  await run(sql`delete from certificates where customer_id = ${id}`)
  t.equal((await at(300)).length, 3)
})

t.test('returns the history of all records', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name)
    select ${id}, 'p' || i, 'one' from generate_series(1, 5) i`)
  await run(sql`update products set name = 'two' where customer_id = ${id} and id < 'p4'`)
  await run(sql`delete from products where customer_id = ${id} and id < 'p3'`)
  await run(sql`insert into projects (customer_id, id, project_number, title) values (${id}, 'j', 'N', 'T')`)
  const all = (await readPage(get, '/v1/history?limit=500')).data
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
  t.equal((await readPage(get, '/v1/history?resource=projects')).data.length, 1)
  t.equal((await readPage(get, '/v1/history?resource=products,projects&since=today')).data.length, 11)
  t.equal((await readPage(get, `/v1/history?since=${all[1]?.at}`)).data.length, 3)
  t.equal((await readPage(get, '/v1/history?since=today%2B1d')).data.length, 0)
  for (const record of ['products/p1', 'products/p3', 'projects/j']) {
    const [resource, key] = record.split('/')
    const own = all.filter((entry) => entry.resource === resource && entry.id === key)
    t.same((await readPage(get, `/v1/${record}/history`)).data, own, record)
  }
})

t.test('changes at one instant keep their order, also in one transaction', async (t) => {
  const { id, get } = await newCustomer()
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'zero')`)
  const client = await connect()
  await client.query('begin')
  await client.query(`update products set name = 'one' where customer_id = '${id}'`)
  await client.query(`update products set name = 'two' where customer_id = '${id}'`)
  await client.query(`delete from products where customer_id = '${id}'`)
  await client.query(`insert into products (customer_id, id, name) values ('${id}', 'p', 'three')`)
  await client.query(`update products set name = 'four' where customer_id = '${id}'`)
  await client.query(`insert into projects (customer_id, id, project_number, title)
    select '${id}', 'j' || i, 'N', 'T' from generate_series(1, 3) i`)
  await client.query('commit')
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
  const all = await readAll(get, '/v1/history', 500)
  t.same(
    all.filter(({ resource }) => resource === 'products'),
    entries,
  )
  for (const limit of [1, 2, 7]) t.same(await readAll(get, '/v1/history', limit), all, `by ${limit}`)
})

t.test('a transaction that began earlier and writes later is ordered by its write', async (t) => {
  const { id, get } = await newCustomer()
  await run(
    sql`insert into products (customer_id, id, name) values (${id}, 'p', 'zero'), (${id}, 'q', 'zero')`,
  )
  const [early, late] = [await connect(), await connect()]
  await early.query('begin')
  await early.query(`update products set name = 'early' where customer_id = '${id}' and id = 'q'`)
  await late.query(`update products set name = 'late' where customer_id = '${id}' and id = 'p'`)
  // Does not wait: the later transaction has committed.
  await early.query(`update products set name = 'early' where customer_id = '${id}' and id = 'p'`)
  t.same(
    brief((await readPage(get, '/v1/products/q/history')).data),
    ['create: '],
    'nothing is reported before its commit',
  )
  await early.query('commit')
  const { data } = await readPage(get, '/v1/products/p/history')
  t.same(brief(data), ['update: name late → early', 'update: name zero → late', 'create: '])
  t.equal(data[0]?.at, data[1]?.at, 'never earlier than the change before it')
  t.same(brief(await readAll(get, '/v1/products/p/history', 1)), brief(data))
})

t.test('a cursor keeps its position while its record is updated, deleted and recreated', async (t) => {
  const { id, get } = await newCustomer()
  const set = (name: string) => run(sql`update products set name = ${name} where customer_id = ${id}`)
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'v0')`)
  for (const n of [1, 2, 3, 4, 5, 6]) await set(`v${n}`)
  const url = '/v1/products/p/history'
  const all = await readPage(get, url)
  const writes = [
    () => set('late'),
    () => run(sql`update products set model = 'M', brand = 'B' where customer_id = ${id}`),
    () => run(sql`delete from products where customer_id = ${id}`),
    () => run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'again')`),
    () => set('and again'),
  ]
  const told = [...(await readPage(get, `${url}?limit=1`)).data]
  for (let cursor = (await readPage(get, `${url}?limit=1`)).page.next_cursor; cursor !== null; ) {
    await writes.shift()?.()
    const { data, page } = await readPage(get, `${url}?limit=1&cursor=${cursor}`)
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

t.test('the history of all records contains only those of the scopes', async (t) => {
  const id = 'scoped'
  const { get } = await asCustomer(database, app, id, { scopes: ['products:read'] })
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p', 'one')`)
  await run(sql`insert into projects (customer_id, id, project_number, title) values (${id}, 'j', 'N', 'T')`)
  t.same(
    (await readPage(get, '/v1/history')).data.map((entry) => entry.resource),
    ['products'],
  )
  t.equal((await get('/v1/history?resource=projects')).json().code, 'insufficient_scope')
  t.equal((await get('/v1/projects/j/history')).json().code, 'insufficient_scope')
})

t.test('cursors belong to their customer, their record and their filters', async (t) => {
  const { get } = await asCustomer(database, app, 'acme')
  const other = await asCustomer(database, app, 'bolt')
  for (const customer of ['acme', 'bolt']) {
    await run(
      sql`insert into products (customer_id, id, name) values (${customer}, 'p', ${customer}), (${customer}, 'q', 'N')`,
    )
    await run(sql`update products set model = 'M' where customer_id = ${customer}`)
  }
  await run(sql`delete from products where customer_id = 'bolt' and id = 'q'`)
  await run(sql`insert into products (customer_id, id, name) values ('bolt', 'gone', 'N')`)
  await run(sql`delete from products where customer_id = 'bolt' and id = 'gone'`)
  const readCursor = async (url: string) => (await get(url)).json().page.next_cursor
  const list = await readCursor('/v1/history?limit=1')
  const record = await readCursor('/v1/products/p/history?limit=1')
  const changed = `${list.slice(0, -8)}${list.at(-8) === 'A' ? 'B' : 'A'}${list.slice(-7)}`
  const refusals = [
    `/v1/products/q/history?cursor=${record}`,
    `/v1/products/p/history?cursor=${list}`,
    `/v1/history?cursor=${record}`,
    `/v1/history?resource=products&cursor=${list}`,
    `/v1/history?since=today&cursor=${list}`,
    `/v1/history?cursor=${changed}`,
    '/v1/history?cursor=',
  ]
  for (const url of refusals) t.equal((await get(url)).statusCode, 400, url)
  t.equal((await other.get(`/v1/history?cursor=${list}`)).json().code, 'invalid_cursor')
  t.equal((await get('/v1/products/gone/history')).statusCode, 404)
  t.equal((await get('/v1/products/gone?as_of=today')).json().code, 'not_found')
  t.notOk((await get('/v1/history')).body.includes('bolt'))
})

t.test('refuses invalid values and names their parameters', async (t) => {
  const { get } = await asCustomer(database, app, 'cool')
  for (const since of ['', 'yesterday', '2026-02-30', '2026-01-01T25:00:00Z', 'today%2B', '0', '%00'])
    t.match(
      (await get(`/v1/history?since=${since}`)).json(),
      { code: 'invalid_query', errors: [{ parameter: 'since' }] },
      since,
    )
  for (const day of ['', '2026-02-30', 'today-999999d', '2026-01-01T00:00:00Z', '%00'])
    t.equal((await get(`/v1/products/p?as_of=${day}`)).json().code, 'invalid_query', day)
  for (const query of ['limit=0', 'limit=501', 'limit=1&limit=2', 'sort=at', 'resource=nothing'])
    t.equal((await get(`/v1/history?${query}`)).statusCode, 400, query)
  t.equal((await get('/v1/history?format=csv')).statusCode, 406)
  t.equal((await get('/v1/history', { accept: 'text/csv' })).statusCode, 406)
  t.equal((await get('/v1/history?since=9999-12-31')).json().data.length, 0)
  const whole = await get('/v1/history')
  t.match(whole.headers['server-timing'], /^total;dur=/)
  t.equal((await get('/v1/history', { 'if-none-match': whole.headers.etag as string })).statusCode, 304)
})

t.test('checks the scope before the rest of the query', async (t) => {
  const { get } = await asCustomer(database, app, 'narrow', { scopes: ['products:read', 'changes:read'] })
  const readCode = async (url: string) => (await get(url)).json().code
  for (const query of ['limit=0', 'nothing=1', 'format=csv', 'resource=products'])
    t.equal(await readCode(`/v1/history?resource=products,lab&${query}`), 'insufficient_scope', query)
  for (const query of ['limit=0', 'nothing=1', 'wait=99', 'after=nothing'])
    t.equal(await readCode(`/v1/changes?resources=products,lab&${query}`), 'insufficient_scope', query)
  t.equal(await readCode('/v1/history?resource=products,nothing'), 'invalid_query')
  const { code, try: suggestion } = (await get('/v1/history?resource=project')).json()
  t.same([code, suggestion], ['invalid_query', undefined], 'suggests no query that its scope refuses')
})

t.test('every fault is named, and the corrected address keeps a valid cursor', async (t) => {
  const { get } = await asCustomer(database, app, 'typos')
  await run(sql`insert into products (customer_id, id, name) values ('typos', 'p', 'N')`)
  await run(sql`update products set model = 'M' where customer_id = 'typos'`)
  for (const path of ['/v1/products/p/history?', '/v1/history?resource=products&']) {
    const { next_cursor: cursor } = (await get(`${path}limit=1`)).json().page
    const { try: corrected } = (await get(`${path}limt=1&cursor=${cursor}`)).json()
    t.equal(corrected, `http://api.test${path}limit=1&cursor=${cursor}`)
    t.equal((await get(corrected.slice('http://api.test'.length))).json().data[0].op, 'create')
  }
  const { next_cursor: other } = (await get('/v1/history?limit=1')).json().page
  t.notOk('try' in (await get(`/v1/products/p/history?limt=1&cursor=${other}`)).json(), 'of another list')
  const { errors } = (
    await get('/v1/certificates/c?as_of=today%2B1d&on=today&include=product&feilds=number')
  ).json()
  t.same(
    errors.map(({ parameter }: { parameter: string }) => parameter),
    ['feilds', 'as_of', 'on', 'include'],
  )
})
