import { sql } from 'kysely'
import t from 'tap'
import { asCustomer, createTestApp, createTestDatabase } from '../helper.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
t.teardown(async () => {
  await app.close()
  await database.close()
})

t.test('cursors belong to their customer, their record and their filters', async (t) => {
  const { get } = await asCustomer(database, app, 'acme')
  const other = await asCustomer(database, app, 'bolt')
  for (const customer of ['acme', 'bolt']) {
    await sql`insert into products (customer_id, id, name) values (${customer}, 'p', ${customer}), (${customer}, 'q', 'N')`.execute(
      database.operator,
    )
    await sql`update products set model = 'M' where customer_id = ${customer}`.execute(database.operator)
  }
  await sql`delete from products where customer_id = 'bolt' and id = 'q'`.execute(database.operator)
  await sql`insert into products (customer_id, id, name) values ('bolt', 'gone', 'N')`.execute(
    database.operator,
  )
  await sql`delete from products where customer_id = 'bolt' and id = 'gone'`.execute(database.operator)
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

t.test('values that mean nothing are refused by name', async (t) => {
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

t.test('the scope is judged before the rest of the query', async (t) => {
  const { get } = await asCustomer(database, app, 'narrow', { scopes: ['products:read', 'changes:read'] })
  const readCode = async (url: string) => (await get(url)).json().code
  for (const query of ['limit=0', 'nothing=1', 'format=csv', 'resource=products'])
    t.equal(await readCode(`/v1/history?resource=products,lab&${query}`), 'insufficient_scope', query)
  for (const query of ['limit=0', 'nothing=1', 'wait=99', 'after=nothing'])
    t.equal(await readCode(`/v1/changes?resources=products,lab&${query}`), 'insufficient_scope', query)
  t.equal(await readCode('/v1/history?resource=products,nothing'), 'invalid_query')
})

t.test('every fault is named, and the corrected address keeps a valid cursor', async (t) => {
  const { get } = await asCustomer(database, app, 'typos')
  await sql`insert into products (customer_id, id, name) values ('typos', 'p', 'N')`.execute(
    database.operator,
  )
  await sql`update products set model = 'M' where customer_id = 'typos'`.execute(database.operator)
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
