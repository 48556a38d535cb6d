import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { createSecrets } from '../../../app/config/secrets.ts'
import { createTokenCodec, type SyncToken } from '../../../app/features/feed/token.ts'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { resourceNames } from '../../../app/records/resources/index.ts'
import {
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  type Get,
  secretKey,
  type TestClock,
  until,
} from '../../helper.ts'
import { testPostgres } from '../../servers.ts'
import { createSeverable } from '../../severable.ts'
import { type Change, changeIdentity } from './follower.ts'
import { createStage, notice } from './stage.ts'

/** The promises of the contract, section 6, for `GET /v1/changes`. */

const database = await createTestDatabase()
const { operator } = database
const clock: TestClock = { offsetMs: 0 }
let isDraining = false
const metricsToken = 'a-token-for-metrics'
const env = { METRICS_TOKEN: metricsToken }
const app = await createTestApp(database, { env, clock, isDraining: () => isDraining })
const owner = new pg.Client({ connectionString: database.url })
await owner.connect()
t.teardown(async () => {
  await app.close()
  await owner.end()
  await database.close()
})

const run = (statement: RawBuilder<unknown>) => statement.execute(operator)
const tokens = createTokenCodec(createSecrets([secretKey]))

const { newCustomer } = createStage(database, app)

type Page = { data: Change[]; page: { has_more: boolean; next_token: string } }

const ask = async (get: Get, query: string): Promise<Page> => {
  const answer = await get(`/v1/changes${query}`)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json()
}
const begin = async (get: Get, query = ''): Promise<string> => (await ask(get, query)).page.next_token

const follow = async (get: Get, after: string, query = '') => {
  const changes: Change[] = []
  let token = after
  let pages = 0
  for (let more = true; more; pages++) {
    const { data, page } = await ask(get, `?after=${token}${query}`)
    changes.push(...data)
    token = page.next_token
    more = page.has_more
  }
  return { changes, token, pages }
}
const named = (changes: readonly Change[]) =>
  changes.map(({ op, resource, id }) => `${op} ${resource}/${id}`).sort()

const addProducts = (customer: string, count: number, prefix = 'p') =>
  run(sql`insert into products (customer_id, id, name)
    select ${customer}, ${prefix} || i, 'Product ' || i from generate_series(1, ${count}) i`)

const connect = async (t: Test, url = database.url) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  return client
}

t.test('three forms of the path answer the same, HEAD without a body, OPTIONS without a token', async (t) => {
  const { id, get, token } = await newCustomer()
  const after = await begin(get)
  await addProducts(id, 1)
  for (const path of ['/v1/changes', '/changes', '/webapi/v1/api.php/changes']) {
    const answer = await get(`${path}?after=${after}`)
    t.equal(answer.statusCode, 200)
    t.same(named(answer.json().data), ['upsert products/p1'])
    t.equal(answer.headers['cache-control'], 'no-store')
    t.notOk(answer.headers.etag)
    t.match(answer.headers['data-as-of'], /^\d{4}-.*\.\d{6}Z$/)
    const canonical = `<http://api.test/v1/changes>; rel="canonical"`
    t.equal(answer.headers.link, path === '/v1/changes' ? undefined : canonical)
    const head = await app.inject({
      method: 'HEAD',
      url: `${path}?after=${after}`,
      headers: { authorization: `Bearer ${token}` },
    })
    t.same([head.statusCode, head.body, head.headers['content-type']], [200, '', 'application/json'])
    const options = await app.inject({ method: 'OPTIONS', url: path })
    t.same([options.statusCode, options.headers.allow], [204, 'GET, HEAD, OPTIONS'])
  }
})

t.test('refusals follow the documented order of checks', async (t) => {
  const { token } = await newCustomer()
  const narrow = await newCustomer({ scopes: ['products:read'] })
  const ask = async (
    headers: Record<string, string>,
    url = '/v1/changes?limt=5',
    method: 'GET' | 'POST' = 'GET',
  ) => {
    const answer = await app.inject({ method, url, headers })
    return [answer.statusCode, answer.json().code]
  }
  const bearer = { authorization: `Bearer ${token}` }
  t.same(await ask({ accept: 'text/html' }), [401, 'credentials_required'])
  t.same(await ask(bearer, '/v1/changes/x'), [404, 'not_found'])
  t.same(await ask(bearer, '/v1/changes', 'POST'), [405, 'method_not_allowed'])
  t.same(await ask({ authorization: `Bearer ${narrow.token}`, accept: 'text/html' }), [
    403,
    'insufficient_scope',
  ])
  t.same(await ask({ ...bearer, accept: 'text/html' }), [406, 'not_acceptable'])
  t.same(await ask(bearer), [400, 'invalid_query'])
  t.same(await ask(bearer, '/v1/changes?after=x'), [400, 'invalid_sync_token'])
})

t.test('every fault of a query is reported, with the nearest name and the corrected URL', async (t) => {
  const { get } = await newCustomer()
  const answer = await get('/v1/changes?resorces=prodcts&limt=5&wait=20')
  t.equal(answer.statusCode, 400)
  t.match(answer.json().errors, [
    { parameter: 'resorces', code: 'unknown_parameter', did_you_mean: 'resources' },
    { parameter: 'limt', code: 'unknown_parameter', did_you_mean: 'limit' },
  ])
  t.equal(answer.json().try, 'http://api.test/v1/changes?resources=products&limit=5&wait=20')
  const misspelt = await get('/v1/changes?validty[ne]=expired&feilds=title&resources=certificates&wiat=5')
  t.match(misspelt.json().errors, [
    { parameter: 'validty[ne]', code: 'unknown_parameter', did_you_mean: 'validity[ne]' },
    { parameter: 'feilds', code: 'unknown_parameter', did_you_mean: 'fields' },
    { parameter: 'wiat', code: 'unknown_parameter', did_you_mean: 'wait' },
  ])
  const value = await get('/v1/changes?resources=products&limt=5&product_status=activ&fields=nam')
  t.match(value.json().errors, [
    { parameter: 'limt', did_you_mean: 'limit' },
    { parameter: 'product_status', code: 'invalid_value', did_you_mean: 'active' },
    { parameter: 'fields', code: 'unknown_field', did_you_mean: 'name' },
  ])
  t.equal(
    value.json().try,
    'http://api.test/v1/changes?resources=products&limit=5&product_status=active&fields=name',
  )
  const suggested = new URL(misspelt.json().try)
  t.same(
    [...suggested.searchParams],
    [
      ['validity[ne]', 'expired'],
      ['fields', 'title'],
      ['resources', 'certificates'],
      ['wait', '5'],
    ],
  )
  t.equal((await get(`${suggested.pathname}${suggested.search.replace('wait=5', 'wait=0')}`)).statusCode, 200)
  const wrong: [string, string, string][] = [
    ['limit=0', 'limit', 'invalid_value'],
    ['limit=501', 'limit', 'invalid_value'],
    ['wait=26', 'wait', 'invalid_value'],
    ['wait=', 'wait', 'invalid_value'],
    ['resources=', 'resources', 'invalid_value'],
    ['resources=products,auth', 'resources', 'invalid_value'],
    ['limit=5&limit=6', 'limit', 'duplicate_parameter'],
    ['after=snapshot&limit=5', 'limit', 'invalid_value'],
    ['after=snapshot&wait=5', 'wait', 'invalid_value'],
    ['format=xml', 'format', 'invalid_value'],
    ['fields=id', 'fields', 'invalid_value'],
    ['after=x&limit=0', 'after', 'invalid_value'],
  ]
  for (const [query, parameter, code] of wrong) {
    const refused = await get(`/v1/changes?${query}`)
    t.equal(refused.json().code, 'invalid_query', query)
    t.ok(
      refused
        .json()
        .errors.some((each: Record<string, string>) => each.parameter === parameter && each.code === code),
      query,
    )
  }
})

t.test('after=snapshot streams the whole state as upserts and returns the next token', async (t) => {
  const { id, get } = await newCustomer()
  await addProducts(id, 450)
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    values (${id}, 'c1', 'N', 'T', 'approved', '2099-01-01')`)
  const state = await get('/v1/changes?after=snapshot', { accept: 'application/x-ndjson' })
  t.match(state.headers, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  t.notOk(state.headers.etag)
  const lines = state.body.split('\n')
  t.equal(lines.pop(), '', 'the last line ends too')
  const changes = lines.map((line) => JSON.parse(line) as Change)
  t.equal(changes.length, 451)
  t.same(new Set(changes.map(({ op }) => op)), new Set(['upsert']))
  for (const { resource, id: record, data } of [changes[0], changes[1], changes[450]] as Change[]) {
    t.same(data, (await get(`/v1/${resource}/${record}`)).json().data, 'a record as its own address shows it')
  }
  const token = state.headers['sync-token']
  t.same((await follow(get, String(token))).changes, [])
  await run(sql`delete from certificates where customer_id = ${id}`)
  t.same(named((await follow(get, String(token))).changes), ['delete certificates/c1'])
  const some = await get('/v1/changes?after=snapshot&resources=certificates')
  t.same([some.statusCode, some.body], [200, ''])
})

t.test('the whole state is available only as NDJSON, and a page only as JSON', async (t) => {
  const { get, token } = await newCustomer()
  const status = async (url: string, accept: string) => (await get(url, { accept })).statusCode
  t.equal(await status('/v1/changes?after=snapshot', 'application/json'), 406)
  t.match((await get('/v1/changes?after=snapshot', { accept: 'application/json' })).json().detail, /x-ndjson/)
  t.equal(await status('/v1/changes?after=snapshot', 'application/json, application/x-ndjson;q=0'), 406)
  t.equal(await status('/v1/changes?after=snapshot', '*/*'), 200)
  t.equal(await status('/v1/changes?after=snapshot&format=ndjson', 'application/json'), 200)
  t.equal(await status('/v1/changes?after=snapshot&format=json', '*/*'), 406)
  t.equal(await status('/v1/changes', 'application/x-ndjson'), 406)
  t.equal(await status('/v1/changes?format=json', 'application/x-ndjson'), 200)
  const head = await app.inject({
    method: 'HEAD',
    url: '/v1/changes?after=snapshot',
    headers: { authorization: `Bearer ${token}` },
  })
  t.same([head.statusCode, head.body, head.headers['content-type']], [200, '', 'application/x-ndjson'])
  t.same(await follow(get, String(head.headers['sync-token'])).then(({ changes }) => changes), [])
})

t.test('without after, the feed starts now and always returns next_token', async (t) => {
  const { id, get } = await newCustomer()
  await addProducts(id, 3)
  const { data, page } = await ask(get, '')
  t.same([data, page.has_more], [[], false])
  const again = await ask(get, `?after=${page.next_token}`)
  t.same([again.data, again.page.has_more], [[], false])
  await run(sql`update products set brand = 'B' where customer_id = ${id} and id = 'p2'`)
  t.same(named((await follow(get, again.page.next_token)).changes), ['upsert products/p2'])
})

t.test('delivers a late commit with an early timestamp without delaying other changes', async (t) => {
  const { id, get } = await newCustomer()
  const elsewhere = await testPostgres()
  t.teardown(() => elsewhere.stop())
  const other = await connect(t, elsewhere.url)
  await other.query('create table numbers (n integer)')
  await other.query('begin')
  await other.query('insert into numbers values (1)')
  const late = await connect(t)
  await late.query('begin')
  await late.query(`insert into products (customer_id, id, name) values ('${id}', 'late', 'L')`)
  const after = await begin(get)
  await addProducts(id, 2)
  const first = await follow(get, after)
  t.same(named(first.changes), ['upsert products/p1', 'upsert products/p2'])
  await run(sql`delete from products where customer_id = ${id} and id = 'p1'`)
  const second = await follow(get, first.token)
  t.same(named(second.changes), ['delete products/p1'])
  await late.query('commit')
  const third = await follow(get, second.token)
  t.same(named(third.changes), ['upsert products/late'])
  t.same((await follow(get, third.token)).changes, [], 'and it comes once')
  await other.query('commit')
})

t.test('delivers a prepared transaction when it commits, and never one that is rolled back', async (t) => {
  const { id, get } = await newCustomer()
  const client = await connect(t)
  const after = await begin(get)
  for (const how of ['commit', 'rollback']) {
    await client.query(`begin; insert into products (customer_id, id, name) values ('${id}', '${how}', 'P');
      prepare transaction '${id}-${how}'`)
  }
  const { changes, token } = await follow(get, after)
  t.same(changes, [])
  for (const how of ['commit', 'rollback']) await client.query(`${how} prepared '${id}-${how}'`)
  t.same(named((await follow(get, token)).changes), ['upsert products/commit'])
})

t.test('several changes are merged into one, with the current record', async (t) => {
  const { id, get } = await newCustomer()
  const after = await begin(get)
  await addProducts(id, 1)
  for (const brand of ['a', 'b', 'c']) {
    await run(sql`update products set brand = ${brand} where customer_id = ${id}`)
  }
  const { changes } = await follow(get, after)
  t.equal(changes.length, 1)
  t.match(changes[0], { op: 'upsert', resource: 'products', id: 'p1', data: { brand: 'c' } })
  t.same(changes[0]?.data, (await get('/v1/products/p1')).json().data)
  t.same(Object.keys(changes[0] ?? {}), ['op', 'resource', 'id', 'at', 'data'])
})

t.test('a deleted record is a delete, a changed id both, and a recreated record an upsert', async (t) => {
  const { id, get } = await newCustomer()
  await addProducts(id, 4)
  const after = await begin(get)
  await run(sql`update products set brand = 'B' where customer_id = ${id} and id in ('p1', 'p2')`)
  await run(sql`delete from products where customer_id = ${id} and id in ('p1', 'p3')`)
  await run(sql`update products set id = 'p5' where customer_id = ${id} and id = 'p4'`)
  await addProducts(id, 1, 'new')
  await run(sql`delete from products where customer_id = ${id} and id = 'new1'`)
  await run(sql`insert into products (customer_id, id, name) values (${id}, 'p3', 'again')`)
  const { changes } = await follow(get, after)
  t.same(named(changes), [
    'delete products/new1',
    'delete products/p1',
    'delete products/p4',
    'upsert products/p2',
    'upsert products/p3',
    'upsert products/p5',
  ])
  for (const { op, data } of changes) t.equal(data === null, op === 'delete')
})

t.test('does not report an update without a difference', async (t) => {
  const { id, get } = await newCustomer()
  await addProducts(id, 3)
  const after = await begin(get)
  await run(sql`update products set name = name where customer_id = ${id}`)
  t.same((await follow(get, after)).changes, [])
})

t.test('a page has at most limit changes, 50 by default, and pages lose none', async (t) => {
  const { id, get } = await newCustomer()
  const after = await begin(get)
  await addProducts(id, 130)
  t.equal((await ask(get, `?after=${after}`)).data.length, 50)
  for (const [limit, pages] of [
    [7, 19],
    [130, 1],
    [500, 1],
  ]) {
    const all = await follow(get, after, `&limit=${limit}`)
    t.equal(new Set(named(all.changes)).size, 130)
    t.equal(all.pages, pages)
  }
})

t.test('a page that ends a walk has more, because later changes follow it', async (t) => {
  const { id, get } = await newCustomer()
  const after = await begin(get)
  await addProducts(id, 2)
  const first = await ask(get, `?after=${after}&limit=1`)
  await run(sql`update products set brand = 'later' where customer_id = ${id} and id = 'p1'`)
  const second = await ask(get, `?after=${first.page.next_token}&limit=1`)
  t.same([first.page.has_more, second.page.has_more], [true, true])
  t.equal(named([...first.data, ...second.data]).length, 2)
  const third = await ask(get, `?after=${second.page.next_token}&limit=1`)
  t.match(third.data, [{ id: 'p1', data: { brand: 'later' } }])
})

t.test('changes of other resources do not use up a page', async (t) => {
  const { id, get } = await newCustomer()
  const after = await begin(get, '?resources=lab')
  for (let n = 0; n < 4; n++) await run(sql`update products set brand = ${n} where customer_id = ${id}`)
  await addProducts(id, 2500)
  await run(sql`update products set brand = 'B' where customer_id = ${id}`)
  await run(
    sql`insert into lab (customer_id, id, report_number, title, status) values (${id}, 'l1', 'R', 'T', 'draft')`,
  )
  const { data, page } = await ask(get, `?after=${after}&limit=1`)
  t.same(named(data), ['upsert lab/l1'])
  t.same((await follow(get, page.next_token)).changes, [])
})

t.test('facts of countries are delivered to all customers, records only to their customer', async (t) => {
  const [one, two] = [await newCustomer(), await newCustomer()]
  const starts = [await begin(one.get), await begin(two.get)] as const
  await addProducts(one.id, 2)
  await run(sql`insert into countries (id, code, alpha3, name, region, requirements)
    values ('XA', 'XA', 'XAA', 'Aland', 'europe', '(,,,,,)')`)
  t.same(named((await follow(one.get, starts[0])).changes), [
    'upsert countries/XA',
    'upsert products/p1',
    'upsert products/p2',
  ])
  const { changes } = await follow(two.get, starts[1])
  t.same(named(changes), ['upsert countries/XA'])
  t.same(changes[0]?.data, (await two.get('/v1/countries/XA')).json().data)
  t.same((await two.get('/v1/changes?after=snapshot&resources=products')).body, '')
})

t.test('a token is refused for another customer, and if one byte is changed', async (t) => {
  const [one, two] = [await newCustomer(), await newCustomer()]
  const token = await begin(one.get)
  const refused = await two.get(`/v1/changes?after=${token}`)
  t.same([refused.statusCode, refused.json().code], [400, 'invalid_sync_token'])
  const accepted: number[] = []
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
    if (tokens.decode(one.id, changed)) accepted.push(at)
  }
  t.same(accepted, [])
  for (const other of [
    `${token}A`,
    `${token}=`,
    token.slice(0, -4),
    'x',
    (await one.get('/v1/products')).headers.etag,
  ]) {
    const answer = await one.get(`/v1/changes?after=${encodeURIComponent(String(other))}`)
    t.equal(answer.json().code, 'invalid_sync_token')
  }
  const rotated = createTokenCodec(createSecrets(['another secret, as long as a secret must be', secretKey]))
  t.ok(rotated.decode(one.id, token), 'a former secret still checks')
})

t.test('a token is valid only for its resources', async (t) => {
  const { id, get } = await newCustomer()
  const after = await begin(get, '?resources=products,lab')
  await addProducts(id, 1)
  await run(sql`insert into projects (customer_id, id, project_number, title) values (${id}, 'j', 'P', 'T')`)
  for (const query of ['', '&resources=lab,products', '&resources=products,lab,lab']) {
    t.same(named((await follow(get, after, query)).changes), ['upsert products/p1'], query)
  }
  for (const query of ['&resources=products', '&resources=products,lab,projects']) {
    const answer = await get(`/v1/changes?after=${after}${query}`)
    t.same([answer.statusCode, answer.json().code], [400, 'invalid_sync_token'])
    t.match(answer.json().detail, /resources=products,lab/)
  }
})

t.test('a token whose view or resources this release rejects has expired', async (t) => {
  const { id, get } = await newCustomer()
  const token = tokens.decode(id, await begin(get, '?resources=products')) as SyncToken
  const changes: Partial<SyncToken>[] = [
    { view: 'colour=red' },
    { view: 'name=a&name=b' },
    { resources: ['colours' as 'products'] },
  ]
  for (const changed of changes) {
    const answer = await get(`/v1/changes?after=${tokens.encode(id, { ...token, ...changed })}`)
    t.same([answer.statusCode, answer.json().code], [410, 'sync_token_expired'])
    t.match(answer.json().detail, /start again with after=snapshot$/)
  }
})

t.test("the feed needs changes:read and each resource's scope", async (t) => {
  const all = resourceNames.join()
  const some = await newCustomer({ scopes: ['changes:read', 'products:read', 'lab:read'] })
  const after = await begin(some.get)
  t.same(tokens.decode(some.id, after)?.resources, ['products', 'lab'], 'absent: all that the key may read')
  t.equal((await some.get('/v1/changes?resources=products')).statusCode, 200)
  const refused = await some.get('/v1/changes?resources=products,certificates')
  t.same([refused.statusCode, refused.json().code], [403, 'insufficient_scope'])
  t.match(refused.headers['www-authenticate'], /scope="certificates:read"/)
  const none = await newCustomer({ scopes: ['changes:read'] })
  t.equal((await none.get('/v1/changes')).statusCode, 403)
  const full = await newCustomer()
  t.equal(tokens.decode(full.id, await begin(full.get))?.resources.join(), all)
  const wide = { ...(tokens.decode(some.id, after) as SyncToken), resources: resourceNames }
  t.equal((await some.get(`/v1/changes?after=${tokens.encode(some.id, wide)}`)).statusCode, 403)
})

t.test('410 for a token that is expired, from another history, from the future, or pruned', async (t) => {
  const { id, get } = await newCustomer()
  const token = tokens.decode(id, await begin(get)) as SyncToken
  const expired = async (changed: Partial<SyncToken>) => {
    const answer = await get(`/v1/changes?after=${tokens.encode(id, { ...token, ...changed })}`)
    return answer.statusCode === 200
      ? ''
      : `${answer.statusCode} ${answer.json().code} ${answer.json().detail}`
  }
  const daySeconds = 86_400
  const { base } = token
  t.equal(await expired({ issuedAt: token.issuedAt - 90 * daySeconds + 60 }), '')
  t.match(
    await expired({ issuedAt: token.issuedAt - 90 * daySeconds - 60 }),
    /410 sync_token_expired .*90 days/,
  )
  t.match(await expired({ identity: `${token.identity}x` }), /410 sync_token_expired .*restored/)
  t.match(await expired({ base: { ...base, xmax: base.xmax + 1000 } }), /410 sync_token_expired .*gone back/)
  t.match(
    await expired({
      diff: { target: { ...base, xmax: base.xmax + 1000 }, targetAt: '', xid: 0, position: 0 },
    }),
    /410 sync_token_expired .*gone back/,
  )
  // Otherwise the service answers from memory that nothing has changed, which does not need the log.
  await addProducts(id, 1)
  const { rows } = await owner.query('select pruned_below::text from change_state')
  await owner.query(`update change_state set pruned_below = '${base.xmin + 1}'`)
  t.match(await expired({}), /410 sync_token_expired .*no longer kept/)
  await owner.query(`update change_state set pruned_below = '${rows[0].pruned_below}'`)
  t.equal(await expired({}), '')
})

t.test('only followers of a truncated table get 410', async (t) => {
  const { id, get } = await newCustomer()
  await addProducts(id, 2)
  const [all, lab] = [await begin(get), await begin(get, '?resources=lab')]
  await owner.query('truncate products')
  const answer = await get(`/v1/changes?after=${all}`)
  t.same([answer.statusCode, answer.json().code], [410, 'sync_token_expired'])
  t.same((await follow(get, lab)).changes, [])
  const state = await get('/v1/changes?after=snapshot&resources=products')
  t.same((await follow(get, String(state.headers['sync-token']))).changes, [])
})

/** A customer with certificates at every edge of the day and of the window of 90 days. */
const withEdges = async () => {
  const customer = await newCustomer()
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until)
    select ${customer.id}, id, 'N', 'T', status, (now() at time zone 'UTC')::date + starts, (now() at time zone 'UTC')::date + ends
    from (values ('ends-today', 'approved', -10, 0), ('ends-tomorrow', 'approved', -10, 1),
      ('ended', 'approved', -10, -1), ('starts-tomorrow', 'approved', 1, 400), ('starts-later', 'approved', 2, 400),
      ('expires-soon', 'approved', -10, 91), ('expires-later', 'approved', -10, 92), ('void', 'revoked', -10, 0),
      ('pending', 'pending', 1, 91), ('unlimited', 'approved', null, null)) v (id, status, starts, ends)`)
  return customer
}
const dayMs = 86_400_000

t.test('the first read of a new day starts with certificates whose computed values changed', async (t) => {
  const { id, get: today } = await withEdges()
  // It passes two edges, and is reported once.
  await run(sql`insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until)
    select ${id}, 'starts-expiring', 'N', 'T', 'approved', day + 1, day + 91
    from (values ((now() at time zone 'UTC')::date)) v (day)`)
  const after = await begin(today)
  await addProducts(id, 1)
  clock.offsetMs = dayMs
  t.teardown(() => {
    clock.offsetMs = 0
  })
  const { get } = await asCustomer(database, app, id)
  const { changes, token } = await follow(get, after)
  t.same(
    changes.map(({ id: record, cause }) => `${record} ${cause}`),
    ['ends-today day', 'starts-expiring day', 'starts-tomorrow day', 'expires-soon day', 'p1 undefined'],
  )
  for (const { id: record, data, cause } of changes) {
    if (cause) t.same(data, (await get(`/v1/certificates/${record}`)).json().data)
  }
  t.same((await follow(get, token)).changes, [], 'once')
  const small = await follow(get, after, '&limit=1')
  t.same(
    small.changes.map(({ id: record }) => record).sort(),
    ['ends-today', 'expires-soon', 'p1', 'starts-expiring', 'starts-tomorrow'],
    'page by page too',
  )
  const others = await begin(get, '?resources=products')
  clock.offsetMs = 2 * dayMs
  const later = await asCustomer(database, app, id)
  t.same((await follow(later.get, others)).changes, [], 'who does not follow certificates hears nothing')
})

const hold = (count: number, service = app) =>
  until(`${count} requests wait`, async () => (await countWaiting(service)) === count)
const countWaiting = async (service = app) => {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const { body } = await service.inject({ url: '/metrics', headers })
  return Number(/^certdata_feed_waiters (\d+)$/m.exec(body)?.[1])
}

t.test('wait delays an empty answer until a change arrives', async (t) => {
  const { id, get } = await newCustomer()
  const stranger = await newCustomer()
  const after = await begin(get)
  const waiting = get(`/v1/changes?after=${after}&wait=25`)
  await hold(1)
  await addProducts(stranger.id, 1)
  await notice(stranger.get)
  t.equal(await countWaiting(), 1, "others' changes do not end it")
  await addProducts(id, 1)
  const answer = await waiting
  t.same(named(answer.json().data), ['upsert products/p1'])
  const token = answer.json().page.next_token
  await notice(get)
  t.same((await ask(get, `?after=${token}&wait=1`)).data, [])
  const resources = await begin(get, '?resources=lab')
  const lab = get(`/v1/changes?after=${resources}&wait=25`)
  await hold(1)
  await run(sql`update products set brand = 'C' where customer_id = ${id}`)
  await notice(get)
  t.equal(await countWaiting(), 1, 'nor do changes of other resources')
  await run(
    sql`insert into lab (customer_id, id, report_number, title, status) values (${id}, 'l1', 'R', 'T', 'draft')`,
  )
  t.same(named((await lab).json().data), ['upsert lab/l1'])
})

t.test('a poll that waits over 00:00 UTC gets the changes of the new day', async (t) => {
  const { id } = await withEdges()
  const setBeforeMidnight = (ms: number) => {
    clock.offsetMs = dayMs - (Date.now() % dayMs) - ms
  }
  setBeforeMidnight(600_000)
  t.teardown(() => {
    clock.offsetMs = 0
  })
  const { get } = await asCustomer(database, app, id)
  const first = await begin(get)
  await notice(get)
  setBeforeMidnight(500)
  const page = await ask(get, `?after=${first}&wait=25`)
  t.ok(page.data.length > 0)
  t.same(new Set(page.data.map(({ cause }) => cause)), new Set(['day']))
})

t.test('a changed expiry window ends a wait, and the next request returns the changes', async (t) => {
  const { id, get } = await withEdges()
  const after = await begin(get)
  await notice(get)
  await ask(get, `?after=${after}`)
  // With no-cache, the first read would wait for a poll, which may report the new window.
  const waiting = get(`/v1/changes?after=${after}&wait=25`, { 'cache-control': 'max-age=0' })
  await hold(1)
  await run(sql`update customers set expiring_within = 91 where customer_id = ${id}`)
  const first = (await waiting).json()
  t.same(first.data, [])
  t.same(
    (await follow(get, first.page.next_token)).changes.map(({ id, cause, data }) => [
      id,
      cause,
      data?.expiring,
    ]),
    [['expires-soon', 'settings', true]],
  )
})

t.test('waiting polls use no connection of the pool', async (t) => {
  const { id, get } = await newCustomer()
  const after = await begin(get)
  // The pool has four connections.
  const waiting = Array.from({ length: 10 }, () => get(`/v1/changes?after=${after}&wait=25`))
  await hold(10)
  const pages = await Promise.all(Array.from({ length: 8 }, () => get('/v1/products')))
  t.ok(pages.every(({ statusCode }) => statusCode === 200))
  t.equal(await countWaiting(), 10)
  const eleventh = await get(`/v1/changes?after=${after}&wait=25`)
  t.same([eleventh.statusCode, eleventh.json().code], [429, 'quota_exceeded'], 'at most ten at once')
  t.match(eleventh.headers['retry-after'], /^\d+$/)
  t.same(eleventh.json()['violated-policies'], ['long_polls'])
  t.equal((await get(`/v1/changes?after=${after}`)).statusCode, 200, 'without waiting there are more')
  const other = await newCustomer()
  t.equal((await other.get('/v1/changes?wait=1')).statusCode, 200, "and others' are theirs")
  await addProducts(id, 1)
  await Promise.all(waiting)
  await until(
    'places are free again',
    async () => (await get(`/v1/changes?after=${after}&wait=1`)).statusCode === 200,
  )
})

t.test('a shutdown ends a wait without data and with the same token', async (t) => {
  const { id } = await newCustomer()
  const closing = await createTestApp(database, { env })
  const { get } = await asCustomer(database, closing, id)
  const after = await begin(get)
  await notice(get)
  const waiting = get(`/v1/changes?after=${after}&wait=25`)
  await hold(1, closing)
  await closing.close()
  t.same((await waiting).json(), { data: [], page: { has_more: false, next_token: after } })
  const mine = await newCustomer()
  const token = await begin(mine.get)
  isDraining = true
  const answer = await mine.get(`/v1/changes?after=${token}&wait=25`)
  isDraining = false
  t.equal(answer.json().page.next_token, token)
})

t.test('after a restore, a move or a failover the feed returns 410, and the log starts again', async (t) => {
  const { id, get } = await newCustomer()
  const after = await begin(get)
  await addProducts(id, 1)
  await changeIdentity(owner, 'restored')
  const refused = await get(`/v1/changes?after=${after}`)
  t.same([refused.statusCode, refused.json().code], [410, 'sync_token_expired'])
  t.same((await owner.query('select count(*)::integer as n from change_log')).rows, [{ n: 0 }])
  const state = await get('/v1/changes?after=snapshot')
  const token = String(state.headers['sync-token'])
  t.equal(state.body.split('\n').filter((line) => line.includes('"products"')).length, 1)
  await run(sql`delete from products where customer_id = ${id}`)
  t.same(named((await follow(get, token)).changes), ['delete products/p1'])
})

t.test('the demo token follows the example data', async (t) => {
  const db = connectOwner(database)
  await loadExampleData(db, new Date().toISOString().slice(0, 10))
  await db.destroy()
  const headers = { authorization: 'Bearer cda_demo_public', 'cache-control': 'no-cache' }
  const get: Get = (url) => app.inject({ url, headers })
  const state = await get('/v1/changes?after=snapshot&resources=products')
  const records = state.body.trimEnd().split('\n').length
  t.equal(records, (await get('/v1/products?count=exact')).json().page.total)
  await run(
    sql`delete from products where customer_id = 'demo' and id = (select min(id) from products where customer_id = 'demo')`,
  )
  t.match((await follow(get, String(state.headers['sync-token']))).changes, [{ op: 'delete' }])
})

t.test('while the database is unreachable, the feed returns 503, never stale data', async (t) => {
  const way = await createSeverable(database.url)
  const reader = way.openDb(4)
  const cut = await createTestApp({ ...database, url: way.url, reader })
  closeAfter(t, way, cut, reader)
  const { get } = await newCustomer({ at: cut })
  const after = await begin(get)
  const cached = () => get('/v1/products', { 'cache-control': '' })
  t.equal((await cached()).statusCode, 200)
  way.sever()
  await until('it is noticed', async () =>
    /db-unreachable/.test(String((await cached()).headers['cache-status'])),
  )
  for (const query of ['', `?after=${after}`, `?after=${after}&wait=5`, '?after=snapshot']) {
    const answer = await get(`/v1/changes${query}`)
    t.same([answer.statusCode, answer.json().code], [503, 'unavailable'], query)
    t.ok(answer.headers['retry-after'])
  }
  await way.mend()
  await until('it is back', async () => (await get(`/v1/changes?after=${after}`)).statusCode === 200)
  t.same((await follow(get, after)).changes, [])
})
