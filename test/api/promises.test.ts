import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { catalogue, type ErrorCode } from '../../app/errors.ts'
import { encodedBody, encodings } from '../../app/http/encodings.ts'
import { addCustomer, asCustomer, closeAfter, createTestApp, createTestDatabase, logIn } from '../helper.ts'

const database = await createTestDatabase()
let isAway = false
const app = await createTestApp(database, {
  wrapExports: (pool) => ({
    connect: () => (isAway ? Promise.reject(unreachable()) : pool.connect()),
  }),
})
const unreachable = () => Object.assign(new Error('connect ECONNREFUSED geheim'), { code: 'ECONNREFUSED' })
closeAfter(t, app, database)
const run = (text: string) => sql.raw(text).execute(database.operator)
const apiKey = await addCustomer(database, 'acme')
const { token, get } = await logIn(app, apiKey)
await run(`insert into products (customer_id, id, name, tags) select 'acme', 'p' || n, 'P ' || n, '{a}'
  from generate_series(1, 60) n`)

const ndjson = { accept: 'application/x-ndjson' }
const data: readonly [url: string, headers?: Record<string, string>][] = [
  ['/v1/products'],
  ['/products/p1'],
  ['/v1/products', ndjson],
  ['/v1/products?format=csv'],
]
const me = ['/v1/me'] as const
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** From every step of the contract's order of checks. */
const listRefusals = async (): Promise<LightMyRequestResponse[]> => [
  await get('/v1/products?token=x'),
  await get('/v1/me', { authorization: '' }),
  await get('/v1/me', { authorization: 'Bearer x' }),
  await get('/v1/nothing'),
  await app.inject({ method: 'DELETE', url: '/v1/products', headers: { authorization: `Bearer ${token}` } }),
  await get('/v1/products', { accept: 'image/png' }),
  await get('/v1/products?limit=0'),
  await get('/v1/products/nobody'),
  await get('/v1/products', { 'if-match': '"x"' }),
  await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: 'x' } }),
]

t.test('a 5xx error contains only its code', async (t) => {
  const expectBare = (answer: LightMyRequestResponse, code: ErrorCode) => {
    const [status, title] = catalogue[code]
    const { request_id, ...problem } = answer.json()
    t.equal(answer.statusCode, status)
    t.same(problem, { type: `http://api.test/problems/${code}`, title, status, code, detail: title })
    t.equal(request_id, answer.headers['request-id'])
    t.notMatch(JSON.stringify(answer.headers), /geheim|lab_geheim|relation/)
  }
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  await owner.query('alter table lab rename to lab_geheim')
  for (const url of ['/v1/lab', '/v1/lab/x', '/v1/lab?include=product']) {
    expectBare(await get(url), 'internal_error')
  }
  await owner.query('alter table lab_geheim rename to lab')
  await owner.end()
  t.equal((await get('/v1/lab')).statusCode, 200)
  isAway = true
  const away = await get('/v1/products?format=csv')
  isAway = false
  expectBare(away, 'unavailable')
  t.match(away.headers['retry-after'], /^[1-9]\d*$/, 'and when to come back')
})

t.test('every data answer has Data-As-Of, including 304 and HEAD', async (t) => {
  for (const [url, headers = {}] of data) {
    const answer = await get(url, headers)
    t.equal(answer.statusCode, 200, url)
    t.match(answer.headers['data-as-of'], instant, url)
    const { etag } = answer.headers
    const authorization = `Bearer ${token}`
    const head = await app.inject({ method: 'HEAD', url, headers: { authorization, ...headers } })
    t.match(head.headers['data-as-of'], instant, `HEAD ${url}`)
    if (etag === undefined) continue
    const same = await get(url, { ...headers, 'if-none-match': String(etag), 'cache-control': '' })
    t.equal(same.statusCode, 304)
    t.match(same.headers['data-as-of'], instant, `304 ${url}`)
    t.ok(String(same.headers['data-as-of']) >= String(answer.headers['data-as-of']), 'and it never goes back')
  }
})

t.test('a body has at most 64 KiB', async (t) => {
  const [before, after] = ['{"api_key":"', '"}']
  const send = (bytes: number) => {
    const payload = before + 'x'.repeat(bytes - before.length - after.length) + after
    const headers = { 'content-type': 'application/json' }
    return app.inject({ method: 'POST', url: '/v1/auth/login', payload, headers })
  }
  t.not((await send(65_536)).statusCode, 413)
  t.equal((await send(65_537)).statusCode, 413)
})

t.test('neither answers nor the description mark anything as deprecated', async (t) => {
  const answers = await listRefusals()
  for (const [url, headers] of [...data, me]) answers.push(await get(url, headers))
  for (const { headers } of answers) {
    t.notOk('deprecation' in headers || 'sunset' in headers)
    t.notMatch(String(headers.link), 'rel="deprecation"')
  }
  const document = await app.inject('/openapi.json')
  t.notMatch(document.body, '"deprecated":true')
})

t.test('a body is compressed once and uses no more memory than its size', async (t) => {
  const entry = { body: Buffer.alloc(5_000, 'x'), etag: '', encoded: new Map() }
  for (const encoding of encodings) {
    const { buffer, length } = await encodedBody(entry, encoding)
    t.equal(buffer.byteLength, length, encoding)
    t.equal(encodedBody(entry, encoding), encodedBody(entry, encoding))
  }
})

t.test('a failed compression is repeated by the next request', async (t) => {
  const entry = { body: Buffer.alloc(5_000, 'x'), etag: '', encoded: new Map() }
  const broken = { ...entry, body: 5 as unknown as Buffer }
  await t.rejects(encodedBody(broken, 'br'))
  t.ok((await encodedBody(entry, 'br')).length > 0)
})

t.test('strings are compared by their UTF-8 bytes, with case and without trimming', async (t) => {
  const { get } = await asCustomer(database, app, 'bytes')
  // U+FFFD precedes U+1F600 in UTF-8, and follows it in UTF-16.
  const names = [' a', 'B', 'Z', 'a', 'a ', 'ab', 'b', 'Ä', 'ä', '\ufffd', '\u{1f600}']
  for (const [index, name] of names.entries()) {
    await sql`insert into products (customer_id, id, name) values ('bytes', ${`p${(index * 7) % 11}`}, ${name})`.execute(
      database.operator,
    )
  }
  const found = async (query: string) => {
    const answer = await get(`/v1/products?fields=name&${query}`)
    return answer.json().data.map((row: { name: string }) => row.name)
  }
  t.same(await found('sort=name'), names)
  t.same(await found('sort=-name'), names.toReversed())
  t.same(await found('name=a'), ['a'])
  t.same(await found('name=a%20'), ['a '])
  t.same(await found('name[prefix]=a'), ['a', 'a ', 'ab'])
  t.same(await found('name=A'), [])
  t.same((await get('/v1/products?id=')).json().errors[0].code, 'invalid_value', 'an id is never empty')
})

t.test('a filter finds empty text, and the next page keeps the filter', async (t) => {
  const { get } = await asCustomer(database, app, 'empty')
  const brands = { a: '', b: '', c: 'x', d: null }
  for (const [id, brand] of Object.entries(brands)) {
    await sql`insert into products (customer_id, id, name, brand, tags)
      values ('empty', ${id}, ${id}, ${brand}, ${brand === '' ? sql`array['']` : sql`array['t']`})`.execute(
      database.operator,
    )
  }
  const found = async (query: string) => {
    const answer = await get(`/v1/products?sort=name&${query}`)
    return answer
      .json()
      .data.map((row: { id: string }) => row.id)
      .join('')
  }
  for (const query of ['brand[eq]=', 'tags[eq]=']) t.equal(await found(query), 'ab', query)
  for (const query of ['brand[ne]=', 'tags[ne]=']) t.equal(await found(query), 'cd', query)
  t.equal(await found('brand[null]=true'), 'd')
  for (const query of ['brand=', 'brand', 'brand[in]=', 'brand=,x', 'brand[nin]=x,']) {
    const { errors } = (await get(`/v1/products?${query}`)).json()
    t.match(errors, [{ code: 'invalid_value', detail: /brand\[eq\]=/ }], query)
  }
  const first = await get('/v1/products?brand[eq]=&limit=1')
  const next = /<([^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
  const { pathname, search } = new URL(next, 'https://api.example')
  t.same(
    (await get(pathname + search)).json().data.map((row: { id: string }) => row.id),
    ['b'],
  )
})

t.test('an instant with any number of decimals is compared exactly', async (t) => {
  const { get } = await asCustomer(database, app, 'decimals')
  await sql`insert into products (customer_id, id, name) values ('decimals', 'a', 'a')`.execute(
    database.operator,
  )
  const updated = (await get('/v1/products')).json().data[0].updated_at as string
  const above = updated.replace('Z', '0000001z').replace('T', 't')
  const found = async (query: string) => (await get(`/v1/products?${query}`)).json().data.length
  t.same(await found(`updated_at=${updated.replace('Z', '000Z')}`), 1)
  const answers = { in: 0, ne: 1, gt: 0, gte: 0, lt: 1, lte: 1 }
  for (const [operator, count] of Object.entries(answers)) {
    t.equal(await found(`updated_at[${operator}]=${above}`), count, operator)
  }
})

t.test('the server stores only a hash of an API key', async (t) => {
  const secret = apiKey.split('_').at(-1) as string
  const { rows } = await sql<{ text: string }>`select k::text as text from api_keys k`.execute(
    database.operator,
  )
  const text = JSON.stringify(rows)
  t.notMatch(text, secret)
  t.notMatch(text, Buffer.from(secret).toString('hex'))
})
