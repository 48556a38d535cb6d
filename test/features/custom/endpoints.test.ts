import pg from 'pg'
import t from 'tap'
import { pruneChanges } from '../../../app/db/upkeep.ts'
import { readText } from '../../../app/features/custom/read.ts'
import { loadData } from '../../../app/features/custom/shipped.ts'
import { applyDocument } from '../../../app/features/custom/store.ts'
import { demoCustomerId } from '../../../app/identity/principal.ts'
import {
  addCustomer,
  asCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl,
  until,
  withoutTriggers,
} from '../../helper.ts'
import { askCached, createStage, day } from './stage.ts'

const database = await createTestDatabase()
const { operator } = database
const clock = { offsetMs: 0 }
await addCustomer(database, demoCustomerId)
await loadData(operator)
const app = await createTestApp(database, { clock })
const second = await createTestApp(database)
closeAfter(t, app, second, database)
const { apply, grant, give, run } = createStage(database)
const { get: acme, token } = await asCustomer(database, app, 'acme')
const { get: bolt, token: boltToken } = await asCustomer(database, app, 'bolt')
const dashboard = '/v1/custom/dashboard-overview'

const certificate = (customer: string, id: string, more: Record<string, string | null> = {}) => {
  const row = { number: id, title: id, approval_status: 'approved', ...more }
  const values = Object.values(row).map((value) => (value === null ? 'null' : `'${value}'`))
  return `insert into certificates (customer_id, id, ${Object.keys(row).join(', ')})
    values ('${customer}', '${id}', ${values.join(', ')})`
}

t.test('the dashboard returns exactly its documented answer', async (t) => {
  const empty = await acme(dashboard)
  t.equal(empty.statusCode, 200)
  t.equal(
    empty.body,
    `{"products":0,"certificates":{"valid":0,"expiring":0},"open_approvals":0,"last_updated":"${day(0)}"}`,
    'the day the customer was created at first',
  )
  await run(`insert into products (customer_id, id, name, product_status) values
    ('acme', 'p1', 'P1', 'active'), ('acme', 'p2', 'P2', 'draft'), ('acme', 'p3', 'P3', 'discontinued'),
    ('bolt', 'p1', 'Q', 'active')`)
  await run(certificate('acme', 'unlimited'))
  await run(certificate('acme', 'last-day', { valid_until: day(0) }))
  await run(certificate('acme', 'last-day-too', { valid_until: day(0) }))
  await run(certificate('acme', 'over', { valid_until: day(-1) }))
  await run(certificate('acme', 'window', { valid_until: day(90) }))
  await run(certificate('acme', 'beyond', { valid_until: day(91) }))
  await run(certificate('acme', 'early', { valid_from: day(1) }))
  await run(certificate('acme', 'revoked', { approval_status: 'revoked' }))
  await run(`insert into approvals (customer_id, id, product_id, country_code, scheme, status) values
    ('acme', 'a1', 'p1', 'JP', 'MIC', 'in_review'), ('acme', 'a2', 'p1', 'KR', 'KC', 'granted'),
    ('acme', 'a3', 'p1', 'US', 'FCC ID', 'on_hold')`)
  const answer = await acme(dashboard)
  const expected = {
    products: 2,
    certificates: { valid: 5, expiring: 3 },
    open_approvals: 2,
    last_updated: day(0),
  }
  t.strictSame(answer.json(), expected)
  t.strictSame((await bolt(dashboard)).json().products, 1)
  await run(`update customers set expiring_within = 91 where customer_id = 'acme'`)
  t.equal((await acme(dashboard)).json().certificates.expiring, 4, "the customer's window counts")
  await run(`update customers set expiring_within = 90 where customer_id = 'acme'`)
  const list = await acme('/v1/certificates?validity=valid&count=exact&limit=1')
  t.equal(list.json().page.total, expected.certificates.valid, 'as the standard list counts')
})

t.test('the dashboard is cached and never older than the last commit', async (t) => {
  const tag = (await askCached(app, token, dashboard)).headers.etag
  const again = await askCached(app, token, dashboard)
  t.match(again.headers, { 'cache-status': 'certdata; hit', etag: tag, 'definition-revision': '1' })
  const same = await app.inject({
    url: dashboard,
    headers: { authorization: `Bearer ${token}`, 'if-none-match': String(tag) },
  })
  t.match(same, { statusCode: 304, body: '' })
  t.equal(same.headers['definition-revision'], '1')
  await run(`insert into products (customer_id, id, name) values ('acme', 'p4', 'P4')`)
  await until(
    'the change is seen',
    async () => (await askCached(app, token, dashboard)).json().products === 3,
  )
  await until('also elsewhere', async () => (await askCached(second, token, dashboard)).json().products === 3)
  const boltTag = (await askCached(app, boltToken, dashboard)).headers.etag
  await run(`update products set name = 'other' where customer_id = 'acme' and id = 'p4'`)
  t.equal((await askCached(app, boltToken, dashboard)).headers.etag, boltTag, 'others keep theirs')
  t.equal((await askCached(app, boltToken, dashboard)).headers['cache-status'], 'certdata; hit')
})

t.test('the dashboard changes at midnight without a write', async (t) => {
  t.equal((await askCached(app, token, dashboard)).json().certificates.valid, 5)
  clock.offsetMs = 86_400_000
  const { token: tomorrow } = await logIn(app, await addCustomer(database, 'acme'))
  const answer = (await askCached(app, tomorrow, dashboard)).json()
  clock.offsetMs = 0
  t.same(
    answer.certificates,
    { valid: 4, expiring: 2 },
    'two have ended, one has begun, one has come near its end',
  )
})

const withOwner = async (statements: string[]) => {
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  for (const statement of statements) await owner.query(statement)
  await owner.end()
}

/** Moves the customer's records `days` into the past. Triggers would set the current time. */
const backdate = (customer: string, days: number) => {
  const earlier = (table: string, column: string) =>
    `update ${table} set ${column} = ${column} - interval '${days} days' where customer_id = '${customer}'`
  return withOwner([
    withoutTriggers('customers', earlier('customers', 'created_at')),
    withoutTriggers('products', earlier('products', 'updated_at')),
    earlier('removals', 'changed_at'),
    // The writes above left no row in the log, so cached answers would remain.
    `insert into change_log (customer_id, resource, record_id) values ('${customer}', '*', '*')`,
  ])
}

const newest = (name: string) => `
name: ${name}
revision: 1
object:
  at: { newest: [products], as: instant }
`

t.test('last_updated counts deletions, survives pruning, and begins with the customer', async (t) => {
  const { get } = await asCustomer(database, app, 'timely')
  const updated = async () => (await get(dashboard)).json().last_updated
  await backdate('timely', 10)
  t.equal(await updated(), day(-10), 'the day it was created')
  await run(`insert into products (customer_id, id, name) values ('timely', 'p', 'P'), ('timely', 'q', 'Q')`)
  t.equal(await updated(), day(0))
  await backdate('timely', 5)
  t.equal(await updated(), day(-5))
  await run(`delete from products where customer_id = 'timely' and id = 'p'`)
  t.equal(await updated(), day(0), 'a deletion')
  await backdate('timely', 3)
  await withOwner([
    `delete from change_log where customer_id = 'timely'`,
    `insert into change_log (customer_id, resource, record_id) values ('timely', '*', '*')`,
  ])
  await run(`insert into removals (customer_id, resource, changed_at) values
    ('timely', 'products', now() - interval '40 days'), ('timely', 'lab', now())`)
  await pruneChanges(operator, 90)
  t.same(
    await run(
      `select resource, changed_at::date - current_date as days from removals where customer_id = 'timely' order by 1`,
    ),
    [
      { resource: 'lab', days: 0 },
      { resource: 'products', days: -3 },
    ],
    'pruning leaves the newest of each',
  )
  t.equal(await updated(), day(-3), 'of another resource is not of these')
  await run(`update products set id = 'r' where customer_id = 'timely' and id = 'q'`)
  t.equal(await updated(), day(0), 'another id')
  await backdate('timely', 2)
  await run(`delete from products where customer_id = 'timely' and id = 'nobody'`)
  t.equal(await updated(), day(-2), 'a statement that deletes nothing')
  await run(
    `insert into lab (customer_id, id, report_number, title, status) values ('timely', 'l', 'L', 'L', 'draft')`,
  )
  t.equal(await updated(), day(-2), 'reports are not counted')
  await run(`delete from products where customer_id = 'timely'`)
  t.equal(await updated(), day(0), 'the last one')
})

t.test('a transaction that began earlier and commits later does not move last_updated back', async (t) => {
  await give('slow', newest('newest-slow')).catch(() => {})
  const { get } = await asCustomer(database, app, 'slow')
  await give('slow', newest('newest-slow'))
  const at = async (): Promise<string> => (await get('/v1/custom/newest-slow')).json().at
  for (const statement of [
    `update products set name = 'early' where customer_id = 'slow'`,
    `update products set id = id || 'x' where customer_id = 'slow'`,
    `delete from products where customer_id = 'slow'`,
  ]) {
    await run(`insert into products (customer_id, id, name) values ('slow', 'p', 'P') on conflict do nothing`)
    const early = new pg.Client({ connectionString: database.url })
    await early.connect()
    await early.query('begin')
    await early.query('select now()')
    await run(`update products set name = name || '!' where customer_id = 'slow'`)
    const before = await at()
    await early.query(statement)
    await early.query('commit')
    await early.end()
    t.ok((await at()) >= before, statement)
  }
})

t.test('writers that delete records of the same customer do not wait for each other', async (t) => {
  await asCustomer(database, app, 'busy')
  await run(
    `insert into products (customer_id, id, name) select 'busy', 'p' || n, 'P' from generate_series(1, 4) n`,
  )
  await run(`insert into lab (customer_id, id, report_number, title, status)
    select 'busy', 'l' || n, 'L', 'L', 'draft' from generate_series(1, 4) n`)
  const [one, two] = [1, 2].map(
    () => new pg.Client({ connectionString: database.url, statement_timeout: 20_000 }),
  )
  const writers = [one as pg.Client, two as pg.Client]
  for (const writer of writers) {
    await writer.connect()
    await writer.query('begin')
  }
  const take = (writer: number, table: string, id: string) =>
    writers[writer]?.query(`delete from ${table} where customer_id = 'busy' and id = '${id}'`)
  await take(0, 'products', 'p1')
  await take(1, 'lab', 'l1')
  await take(0, 'lab', 'l2')
  await take(1, 'products', 'p2')
  for (const writer of writers) {
    await writer.query('commit')
    await writer.end()
  }
  t.same(
    await run(
      `select resource, count(*)::int as n from removals where customer_id = 'busy' group by 1 order by 1`,
    ),
    [
      { resource: 'lab', n: 2 },
      { resource: 'products', n: 2 },
    ],
  )
})

const counts = (name: string, revision = 1) => `
name: ${name}
revision: ${revision}
object:
  products: { count: { from: products } }
  revision: { const: ${revision} }
`

const isUnknown = (body: string) =>
  body.replace(/"request_id":"[^"]*"/, '').replaceAll('secret-one', 'nothing')

t.test('an endpoint without a grant looks like a missing one', async (t) => {
  await give('acme', counts('secret-one'))
  t.equal((await acme('/v1/custom/secret-one')).statusCode, 200)
  const [hidden, none] = [await bolt('/v1/custom/secret-one'), await bolt('/v1/custom/nothing')]
  t.match(hidden.json(), { status: 404, code: 'not_found' })
  t.equal(isUnknown(hidden.body), isUnknown(none.body))
  t.equal(
    (await bolt('/v1/custom/secret-one?what=1&revision=7')).statusCode,
    404,
    'before the query is judged',
  )
  const odd = await app.inject({
    url: '/v1/custom/secret-one',
    headers: { authorization: `Bearer ${boltToken}`, accept: 'image/png' },
  })
  t.equal(odd.statusCode, 404, 'and before what is acceptable')
  for (const name of ['', '__proto__', '%00', 'constructor', 'a/b', '%F0%28']) {
    t.notOk([200, 500].includes((await acme(`/v1/custom/${name}`)).statusCode), name)
  }
})

t.test('a grant, a revocation and a removal work everywhere', async (t) => {
  await apply(counts('given'))
  const status = async (at: typeof app) => (await askCached(at, boltToken, '/v1/custom/given')).statusCode
  const both = async (code: number) => (await status(app)) === code && (await status(second)) === code
  t.ok(await both(404))
  await grant('given', 'bolt')
  await until('granted', () => both(200))
  t.equal((await askCached(app, boltToken, '/v1/custom/given')).headers['cache-status'], 'certdata; hit')
  await grant('given', 'bolt', false)
  await until('revoked', () => both(404))
  await grant('given', 'bolt')
  await until('granted again', () => both(200))
  await run(`delete from custom_endpoints where name = 'given'`)
  await until('removed', () => both(404))
  await grant('dashboard-overview', 'bolt', false)
  const own = async (code: number) => (await bolt(dashboard)).statusCode === code
  await until('what everyone has is taken from one', () => own(404))
  t.equal((await acme(dashboard)).statusCode, 200)
  await grant('dashboard-overview', 'bolt')
  await until('and given back', () => own(200))
})

t.test('a custom endpoint requires its scope', async (t) => {
  const { get } = await asCustomer(database, app, 'acme', { scopes: ['products:read', 'custom:secret-one'] })
  t.equal((await get('/v1/custom/secret-one')).statusCode, 200)
  const refused = await get(dashboard)
  t.match(refused.json(), { status: 403, code: 'insufficient_scope' })
  t.match(refused.headers['www-authenticate'], /scope="custom:dashboard-overview"/)
  t.equal((await get('/v1/custom/given')).statusCode, 404, 'of what was not granted nothing is told')
  const { token: narrow } = await asCustomer(database, app, 'acme', { scopes: ['products:read'] })
  await askCached(app, token, dashboard)
  t.equal((await askCached(app, narrow, dashboard)).statusCode, 403, 'also when the answer is kept')
  t.equal((await app.inject({ url: dashboard })).statusCode, 401)
})

t.test('a new revision is served soon, and the previous one for 30 days', async (t) => {
  await give('acme', counts('changing'))
  t.same(await apply(counts('changing')), { outcome: 'unchanged' })
  t.match(await apply(counts('changing').replace('products }', 'lab }')), { outcome: 'conflict', current: 1 })
  await until(
    'the first',
    async () => (await askCached(app, token, '/v1/custom/changing')).json().revision === 1,
  )
  t.match(await apply(counts('changing', 2)), { outcome: 'applied', previous: 1 })
  await until(
    'the next',
    async () => (await askCached(app, token, '/v1/custom/changing')).json().revision === 2,
  )
  const ask = async (query: string) => {
    const answer = await acme(`/v1/custom/changing${query}`)
    return [answer.statusCode, answer.headers['definition-revision'], answer.json().revision]
  }
  t.same(await ask(''), [200, '2', 2])
  const { paths } = (await acme('/openapi.json')).json()
  const described = paths['/v1/custom/changing'].get.parameters.find(
    ({ name }: { name: string }) => name === 'revision',
  )
  t.match(described.schema, { minimum: 1, maximum: 2 }, 'no revision above the current one is offered')
  t.same(await ask('?revision=1'), [200, '1', 1])
  t.same(await ask('?revision=2'), [200, '2', 2])
  t.match((await acme('/v1/custom/changing?revision=3')).json(), {
    code: 'invalid_query',
    errors: [{ parameter: 'revision', code: 'invalid_value', detail: 'expected one of: 2, 1' }],
  })
  clock.offsetMs = 29 * 86_400_000
  const later = await logIn(app, await addCustomer(database, 'acme'))
  t.equal((await later.get('/v1/custom/changing?revision=1')).statusCode, 200)
  clock.offsetMs = 30 * 86_400_000
  const last = await logIn(app, await addCustomer(database, 'acme'))
  t.equal((await last.get('/v1/custom/changing?revision=1')).statusCode, 400)
  t.equal((await last.get('/v1/custom/changing')).statusCode, 200)
  clock.offsetMs = 0
})

t.test(
  'of two documents with one revision that are applied at the same time, one is a conflict',
  async (t) => {
    await apply(counts('raced'))
    const applied = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const text = JSON.stringify(readText(counts('raced', 2)))
    const first = operator.transaction().execute(async (trx) => {
      const outcome = await applyDocument(trx, { name: 'raced', revision: 2, text })
      applied.resolve()
      await commit.promise
      return outcome
    })
    await applied.promise
    const second = apply(counts('raced', 2).replace('products }', 'lab }'))
    const waiting = `select from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`
    await until('the second waits', async () => (await run(waiting)).length > 0)
    commit.resolve()
    t.match(await first, { outcome: 'applied', previous: 1 })
    t.match(await second, { outcome: 'conflict', current: 2 })
  },
)

t.test('an unsupported document breaks only its own endpoint', async (t) => {
  await give('acme', counts('outgrown'))
  await until('granted', async () => (await acme('/v1/custom/outgrown')).statusCode === 200)
  await run(`update custom_documents set document = replace(document, '"from"', '"former"')
    where name = 'outgrown'`)
  await until('outgrown', async () => (await acme('/v1/custom/outgrown')).statusCode === 500)
  t.equal((await acme(dashboard)).statusCode, 200)
  const { paths } = (await acme('/openapi.json')).json()
  t.ok(paths[dashboard])
  t.notOk(paths['/v1/custom/outgrown'])
  await run(`delete from custom_endpoints where name = 'outgrown'`)
})

t.test('three forms of the path, and the methods', async (t) => {
  const canonical = await acme(`${dashboard}?format=json`)
  for (const prefix of ['', '/webapi/v1/api.php']) {
    const answer = await acme(`${prefix}/custom/dashboard-overview?format=json`)
    t.equal(answer.body, canonical.body)
    t.equal(answer.headers.link, `<${publicUrl}${dashboard}>; rel="canonical"`)
  }
  const headers = { authorization: `Bearer ${token}` }
  const head = await app.inject({ method: 'HEAD', url: dashboard, headers })
  t.match(head, { statusCode: 200, body: '' })
  t.equal(head.headers.etag, canonical.headers.etag)
  const options = await app.inject({ method: 'OPTIONS', url: '/v1/custom/nothing' })
  t.match(options, { statusCode: 204, headers: { allow: 'GET, HEAD, OPTIONS' } })
  t.equal((await app.inject({ method: 'POST', url: dashboard, headers })).statusCode, 405)
  const image = await app.inject({ url: dashboard, headers: { ...headers, accept: 'image/png' } })
  t.equal(image.statusCode, 406)
})

t.test('a customer sees the present documents of custom endpoints', async () => {
  const { get } = await asCustomer(database, app, 'greeted')
  const readWord = async () => {
    const { paths } = (await get('/openapi.json')).json()
    return paths['/v1/custom/greeting']?.get.responses[200].content['application/json'].example.word
  }
  for (const word of ['first', 'second']) {
    await give('greeted', `{ name: greeting, revision: 1, object: { word: { const: ${word} } } }`)
    await until(word, async () => (await readWord()) === word)
    await run("delete from custom_endpoints where name = 'greeting'")
  }
})

t.test('a parameter without an example has one in the OpenAPI document', async (t) => {
  const params = {
    integer: '{ type: integer }',
    least: '{ type: integer, min: 5 }',
    most: '{ type: integer, max: -3 }',
    text: '{ type: string, min: 3 }',
    day: '{ type: date }',
    flag: '{ type: boolean }',
    choice: '{ type: string, enum: [b, a] }',
  }
  const entries = Object.entries(params)
  const given = entries.map(([name, form]) => `${name}: ${form}`)
  const members = entries.map(([name]) => `${name}: { param: ${name} }`)
  const { get } = await asCustomer(database, app, 'described')
  await give('described', `{ name: forms, revision: 1, params: { ${given} }, object: { ${members} } }`)
  const read = async () => (await get('/openapi.json')).json().paths['/v1/custom/forms']?.get.parameters
  await until('described', async () => (await read()) !== undefined)
  const described: { name: string; example: unknown }[] = await read()
  const examples = described.filter(({ name }) => name in params).map(({ name, example }) => [name, example])
  t.strictSame(Object.fromEntries(examples), {
    integer: 1,
    least: 5,
    most: -3,
    text: 'xxx',
    day: 'today',
    flag: true,
    choice: 'b',
  })
})
