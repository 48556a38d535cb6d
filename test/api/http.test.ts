import { METHODS } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { instantText } from '../../app/db/instant.ts'
import { resourceNames } from '../../app/records/resources/index.ts'
import { addCustomer, asCustomer, createTestApp, createTestDatabase, logIn, publicUrl } from '../helper.ts'
import { makeCertificate, openHttp2, type RawAnswer, sendBytes } from './sockets.ts'
import { createRandom, seedCountries, seedCustomer } from './world.ts'

const today = new Date().toISOString().slice(0, 10)
const clock = { offsetMs: 0 }
const database = await createTestDatabase()
const app = await createTestApp(database, { clock })
const countries = await seedCountries(database, today)
const key = await addCustomer(database, 'acme')
const stored = await seedCustomer(database, 'acme', { seed: 1, today, countries })
const { token, get } = await logIn(app, key)
const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
t.teardown(async () => {
  await app.close()
  await database.close()
})

const authorization = `Bearer ${token}`
const someId = stored.products?.find((row) => /^prod-Q/.test(row.id))?.id as string
/** As a client without `no-cache` asks. */
const ask = (
  url: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' = 'GET',
) => app.inject({ method, url, headers: { authorization, ...headers } })
const line = (target: string, method = 'GET') => `${method} ${target} HTTP/1.1\r\n`
const auth = `Authorization: ${authorization}\r\n`
const end = 'Connection: close\r\n\r\n'
const send = async (bytes: string | Buffer): Promise<RawAnswer> =>
  (await sendBytes(port, bytes))[0] as RawAnswer

/** Helmet's set, less HSTS, which is for TLS. */
const securityHeaders: Record<string, string> = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

/** Returns what is wrong with the headers of any answer. */
const listHeaderFaults = (headers: Record<string, unknown>): string[] => [
  ...Object.entries(securityHeaders)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name]) => `${name}: ${headers[name]}`),
  ...['server', 'x-powered-by'].filter((name) => headers[name] !== undefined),
]

/** What is wrong with an error, against the contract's shape of a problem document. */
const listProblemFaults = (
  status: number,
  headers: Record<string, unknown>,
  body: string,
  isRaw = false,
): string[] => {
  const faults = listHeaderFaults(headers)
  if (headers['content-type'] !== 'application/problem+json') faults.push(`type ${headers['content-type']}`)
  if (headers['cache-control'] !== 'no-store') faults.push(`cache-control ${headers['cache-control']}`)
  if (headers.etag !== undefined) faults.push('an error has a tag')
  let problem: Record<string, unknown> = {}
  try {
    problem = JSON.parse(body)
  } catch {
    return [...faults, `not JSON: ${body.slice(0, 80)}`]
  }
  if (problem.status !== status) faults.push(`status ${problem.status} in the body of ${status}`)
  if (problem.type !== `${publicUrl}/problems/${problem.code}`) faults.push(`type ${problem.type}`)
  for (const name of ['title', 'code', 'detail'])
    if (typeof problem[name] !== 'string') faults.push(`no ${name}`)
  if (!isRaw && (!problem.request_id || problem.request_id !== headers['request-id']))
    faults.push('request_id')
  const known = ['type', 'title', 'status', 'code', 'detail', 'request_id', 'errors', 'try']
  faults.push(...Object.keys(problem).filter((name) => !known.includes(name)))
  return faults
}

const expectProblem = (
  t: Test,
  answer: LightMyRequestResponse | RawAnswer,
  code: string,
  status: number,
  name = code,
) => {
  const given = 'statusCode' in answer ? answer.statusCode : answer.status
  t.match({ status: given, body: answer.body }, { status, body: `"code":"${code}"` }, name)
  t.same(
    listProblemFaults(
      given,
      answer.headers as Record<string, unknown>,
      answer.body,
      !('statusCode' in answer),
    ),
    [],
  )
}

t.test(
  'the three forms of a path give the same bytes and tag; the others link to the canonical one',
  async (t) => {
    const wrong: object[] = []
    const paths = resourceNames.flatMap((name) => [`/${name}`, `/${name}/${stored[name]?.[20]?.id}`])
    const queries = [
      '',
      '?fields=id',
      '?fields=id%2Ccreated_at&format=json',
      '?format=json&fields=id,created_at',
    ]
    for (const path of paths) {
      for (const query of queries) {
        const canonical = await ask(`/v1${path}${query}`)
        for (const prefix of ['', '/webapi/v1/api.php']) {
          const other = await ask(`${prefix}${path}${query}`)
          const links = String(other.headers.link)
          const same =
            other.statusCode === 200 &&
            other.body === canonical.body &&
            other.headers.etag === canonical.headers.etag
          if (!same || !links.includes(`<${publicUrl}/v1${path}${query}>; rel="canonical"`))
            wrong.push({ path, query, links })
          if (other.headers['cache-status'] !== 'certdata; hit')
            wrong.push({ path, cache: other.headers['cache-status'] })
        }
        if (String(canonical.headers.link).includes('canonical'))
          wrong.push({ path, link: canonical.headers.link })
      }
    }
    const [mine, short, long] = [await ask('/v1/me'), await ask('/me'), await ask('/webapi/v1/api.php/me')]
    t.same(
      [short, long].map((each) => each.json().data.customer),
      [mine.json().data.customer, 'acme'],
    )
    t.same([short.headers.link, long.headers.link], Array(2).fill(`<${publicUrl}/v1/me>; rel="canonical"`))
    t.same(wrong, [])
  },
)

/** Header fields that tell of the moment and not of the answer. */
const momentary = ['date', 'request-id', 'server-timing', 'cache-status', 'ratelimit', 'data-as-of']
const withoutMoment = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !momentary.includes(name)))

t.test('HEAD has the headers of GET and no body, errors and 304 included', async (t) => {
  const asked: [string, Record<string, string>][] = [
    ['/v1/products', {}],
    ['/v1/products?limit=500', { 'accept-encoding': 'br' }],
    [`/v1/products/${someId}`, {}],
    [`/products/${someId}?fields=name`, {}],
    ['/v1/products?limit=3', { 'if-none-match': '*' }],
    ['/v1/products?limit=0', {}],
    ['/v1/products/nobody', {}],
    ['/v1/products', { accept: 'text/html' }],
    ['/v1/nothing', {}],
  ]
  for (const [url, headers] of asked) {
    const full = await ask(url, headers)
    const head = await ask(url, headers, 'HEAD')
    t.same(
      [head.statusCode, withoutMoment(head.headers)],
      [full.statusCode, withoutMoment(full.headers)],
      url,
    )
    t.equal(head.body, '')
  }
  const mine = await ask('/v1/me', {}, 'HEAD')
  t.same([mine.statusCode, mine.body, mine.headers['cache-control']], [200, '', 'no-store'])
  const [raw] = await sendBytes(port, `${line('/v1/products', 'HEAD')}Host: x\r\n${auth}${end}`)
  t.ok(Number(raw?.headers['content-length']) > 1000, 'the length is that of the body')
  const both = await sendBytes(
    port,
    `${line('/v1/products', 'HEAD')}Host: x\r\n${auth}\r\n${line('/v1/me')}Host: x\r\n${auth}${end}`,
  )
  t.same(both.length, 1, 'what follows a HEAD is not its body')
})

t.test('OPTIONS needs no token and tells nothing about ids', async (t) => {
  const answers = ['/v1/products', `/v1/products/${someId}`, '/v1/products/nobody', '/products', '/v1/me']
  for (const url of answers) {
    const answer = await app.inject({ method: 'OPTIONS', url })
    t.match([answer.statusCode, answer.body, answer.headers.allow], [204, '', 'GET, HEAD, OPTIONS'], url)
    t.same(listHeaderFaults(answer.headers), [])
  }
})

const known = ['DELETE', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']

t.test('any other method is 405 with Allow, whatever comes with it', async (t) => {
  for (const method of known) {
    for (const path of ['/v1/products', `/v1/products/${someId}`, '/webapi/v1/api.php/me', '/lab']) {
      const answer = await send(`${line(path, method)}Host: x\r\n${auth}Content-Length: 0\r\n${end}`)
      expectProblem(t, answer, 'method_not_allowed', 405, `${method} ${path}`)
      t.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
    }
    const stranger = await send(`${line('/v1/products', method)}Host: x\r\n${end}`)
    t.equal(stranger.status, 401, `${method} without a token`)
  }
  const body = `Content-Type: text/plain\r\nContent-Length: 7\r\n\r\nnothing`
  t.equal(
    (await send(`${line('/v1/products', 'POST')}Host: x\r\n${auth}Connection: close\r\n${body}`)).status,
    405,
  )
})

t.test('so is every method that Node knows', async (t) => {
  const wrong: object[] = []
  for (const method of METHODS.filter(
    (each) => !['GET', 'HEAD', 'OPTIONS', 'CONNECT', ...known].includes(each),
  )) {
    const answer = await send(`${line('/v1/products', method)}Host: x\r\n${auth}${end}`)
    if (answer.status !== 405 || answer.headers.allow !== 'GET, HEAD, OPTIONS')
      wrong.push({ method, status: answer.status })
    const stranger = await send(`${line('/v1/products', method)}Host: x\r\n${end}`)
    if (stranger.status !== 401) wrong.push({ method, stranger: stranger.status })
  }
  t.same(wrong, [])
})

t.test(
  'the representation is negotiated: lists, q, wildcards; nothing acceptable is 406 with the types',
  async (t) => {
    const good = [
      'application/json',
      '*/*',
      'application/*',
      'text/html, */*;q=0.1',
      'text/html;q=0.9, application/json;q=0.1',
      'APPLICATION/JSON',
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'application/json;q=0.001',
      '*/*;q=0, application/json',
      // A list of nothing, which the grammar allows (RFC 9110, 5.6.1), asks for nothing in particular.
      '',
      ' , ',
    ]
    for (const accept of good) {
      const answer = await ask('/v1/products?limit=1', { accept })
      t.same([answer.statusCode, answer.headers['content-type']], [200, 'application/json'], accept)
    }
    const bad = [
      'text/html',
      'application/xml',
      'application/json;q=0',
      '*/*;q=0',
      'application/json;q=0, */*;q=0',
      'image/*',
    ]
    for (const accept of bad) {
      const answer = await ask('/v1/products?limit=1', { accept })
      expectProblem(t, answer, 'not_acceptable', 406, accept)
      t.match(answer.json().detail, /application\/json/, 'names the types')
      const forced = await ask('/v1/products?limit=1&format=json', { accept })
      t.same(
        [forced.statusCode, forced.headers['content-type']],
        [200, 'application/json'],
        `format over ${accept}`,
      )
    }
    expectProblem(t, await ask('/v1/products?format=xml'), 'invalid_query', 400)
  },
)

t.test('a format that names a property of every object is a fault of the query', async (t) => {
  for (const format of ['constructor', '__proto__', 'toString']) {
    for (const path of ['/v1/products', '/v1/changes', '/v1/me']) {
      expectProblem(t, await ask(`${path}?format=${format}`), 'invalid_query', 400, format)
    }
  }
})

t.test('format may be escaped', async (t) => {
  t.equal((await ask('/v1/products?f%6Frmat=%6Ason', { accept: 'text/html' })).statusCode, 200)
})

const decoders = {
  gzip: promisify(zlib.gunzip),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
}

t.test('gzip, br and zstd: the same bytes under the same weak tag', async (t) => {
  const plain = await ask('/v1/certificates?limit=500')
  t.match(plain.headers.etag, /^W\/"[\w-]+"$/)
  t.notOk(plain.headers['content-encoding'])
  for (const [encoding, decode] of Object.entries(decoders)) {
    for (const header of [encoding, `${encoding};q=1, *;q=0`, `identity;q=0.5, ${encoding}`]) {
      const answer = await ask('/v1/certificates?limit=500', { 'accept-encoding': header })
      t.equal(answer.headers['content-encoding'], encoding, header)
      t.equal(answer.headers.etag, plain.headers.etag)
      t.equal(Number(answer.headers['content-length']), answer.rawPayload.length)
      t.ok((await decode(answer.rawPayload)).equals(plain.rawPayload))
    }
  }
  for (const header of ['identity', 'br;q=0, gzip;q=0, zstd;q=0', 'deflate', '']) {
    const answer = await ask('/v1/certificates?limit=500', { 'accept-encoding': header })
    t.same([answer.headers['content-encoding'], answer.body], [undefined, plain.body], header || 'empty')
  }
  const small = await ask('/v1/certificates?limit=1&fields=id', { 'accept-encoding': 'br' })
  t.notOk(small.headers['content-encoding'], 'what fits a packet is not encoded')
})

t.test(
  'the tag is that of the answer, whichever key of the customer asked and however it was asked for',
  async (t) => {
    const second = await asCustomer(database, app, 'acme')
    const narrow = await asCustomer(database, app, 'acme', { scopes: ['products:read'] })
    const { headers } = await ask('/v1/products?limit=7')
    for (const other of [second, narrow]) {
      t.equal((await other.get('/v1/products?limit=7')).headers.etag, headers.etag)
      t.equal(
        (await other.get('/v1/products?limit=7', { 'if-none-match': String(headers.etag) })).statusCode,
        304,
      )
    }
    const written = await ask('/v1/products?sort=name&limit=7&format=json')
    t.equal(written.headers.etag, headers.etag)
    t.not((await ask('/v1/products?limit=8')).headers.etag, headers.etag)
    const bolt = await asCustomer(database, app, 'bolt')
    t.not((await bolt.get('/v1/products?limit=7')).headers.etag, headers.etag)
  },
)

t.test(
  'If-None-Match: a list, weak or strong, or * gives 304 with ETag, Cache-Control and Vary',
  async (t) => {
    const url = `/v1/products/${someId}`
    const { etag } = (await ask(url)).headers as { etag: string }
    const strong = etag.slice(2)
    for (const header of [
      etag,
      strong,
      '*',
      ` ${etag} `,
      `"a", ${etag}`,
      `"a",${strong},W/"b"`,
      `W/"x,y", ${etag}`,
    ]) {
      for (const encoding of ['identity', 'br']) {
        const answer = await ask(url, { 'if-none-match': header, 'accept-encoding': encoding })
        t.same([answer.statusCode, answer.body], [304, ''], header)
        t.match(answer.headers, {
          etag,
          'cache-control': 'private, no-cache',
          vary: 'Authorization, Accept, Accept-Encoding',
        })
        t.same(listHeaderFaults(answer.headers), [])
        t.notOk(answer.headers['content-encoding'] ?? answer.headers['content-type'])
      }
    }
    for (const header of ['"a"', etag.slice(0, -2), etag.replaceAll('"', ''), '', 'W/""', '**', '"*"']) {
      t.equal((await ask(url, { 'if-none-match': header })).statusCode, 200, header || 'empty')
    }
    const changed = await ask('/v1/products?limit=2', { 'if-none-match': etag })
    t.equal(changed.statusCode, 200)
  },
)

t.test('If-Match compares strongly, and tags here are weak: only * passes, the rest is 412', async (t) => {
  const url = `/v1/products/${someId}`
  const { etag } = (await ask(url)).headers as { etag: string }
  for (const header of [etag, etag.slice(2), '"a"', `"a", ${etag}`]) {
    expectProblem(t, await ask(url, { 'if-match': header }), 'precondition_failed', 412, header)
  }
  t.equal((await ask(url, { 'if-match': '*' })).statusCode, 200)
  t.equal((await ask(url, { 'if-match': '*', 'if-none-match': etag })).statusCode, 304)
  t.equal((await ask(url, { 'if-match': '"a"', 'if-none-match': etag })).statusCode, 412, 'it comes before')
  expectProblem(t, await ask('/v1/products/nobody', { 'if-match': '"a"' }), 'not_found', 404)
})

t.test(
  'Cache-Status says where an answer came from, Data-As-Of what it shows; no-cache means now',
  async (t) => {
    const headersOf = async (headers: Record<string, string> = {}) =>
      (await ask('/v1/lab?limit=9&sort=issued_on', headers)).headers
    const status = async (headers?: Record<string, string>) => (await headersOf(headers))['cache-status']
    t.equal(await status(), 'certdata; fwd=uri-miss; stored')
    t.equal(await status(), 'certdata; hit')
    const fresh = [{ 'cache-control': 'no-cache' }, { 'cache-control': 'max-age=0' }, { pragma: 'no-cache' }]
    fresh.push({ 'cache-control': 'foo, NO-CACHE' }, { 'cache-control': 'max-age=0, must-revalidate' })
    for (const headers of fresh) {
      const { rows } = await sql<{
        now: string
      }>`select ${sql.raw(instantText('clock_timestamp()'))} as now`.execute(database.operator)
      const answer = await headersOf(headers)
      t.equal(answer['cache-status'], 'certdata; hit', JSON.stringify(headers))
      t.ok(String(answer['data-as-of']) >= String(rows[0]?.now), JSON.stringify(headers))
    }
    const usual = [
      { 'cache-control': 'max-age=60' },
      { 'cache-control': '', pragma: 'no-cache' },
      { pragma: 'x' },
    ]
    usual.push({ 'cache-control': 'max-age=0x' })
    for (const headers of usual) t.equal(await status(headers), 'certdata; hit', JSON.stringify(headers))
  },
)

t.test('a no-cache request sees what was committed before it, each time', async (t) => {
  const wrong: number[] = []
  for (let n = 0; n < 20; n++) {
    await sql`update products set brand = ${`brand ${n}`} where customer_id = 'acme' and id = ${someId}`.execute(
      database.operator,
    )
    const header = [
      { 'cache-control': 'no-cache' },
      { 'cache-control': 'max-age=0' },
      { 'cache-control': '', pragma: 'x' },
    ]
    const headers = header[n % 2] as Record<string, string>
    const answer = await ask(`/v1/products/${someId}?fields=brand`, headers)
    if (answer.json().data.brand !== `brand ${n}`) wrong.push(n)
  }
  t.same(wrong, [])
})

t.test('an answer is private and varies with token, type and encoding; errors are not stored', async (t) => {
  const answer = await ask('/v1/products')
  t.match(answer.headers, {
    'cache-control': 'private, no-cache',
    vary: 'Authorization, Accept, Accept-Encoding',
  })
  t.match(answer.headers['server-timing'], /dur=[\d.]+/)
  t.match(answer.headers['request-id'], /^[\w-]{8,}$/)
  t.notOk(answer.headers['access-control-allow-origin'], 'no CORS')
  const mine = await ask('/v1/me')
  t.match(mine.headers, { 'cache-control': 'no-store' })
  t.notOk(mine.headers.etag)
})

t.test('Link next is absolute and canonical, leads on, and is left out above 2 KiB', async (t) => {
  for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
    const { headers, ...answer } = await ask(
      `${prefix}/certificates?tags[nin]=ä,%5C%2C&limit=5&fields=id&sort=-number`,
    )
    const [, link = ''] = /<([^>]*)>; rel="next"/.exec(String(headers.link)) ?? []
    t.ok(link.startsWith(`${publicUrl}/v1/certificates?`), link)
    t.match(link, /^[\x21-\x7e]+$/)
    const next = await ask(link.slice(publicUrl.length))
    const cursor = answer.json().page.next_cursor
    const other = await ask(
      `/certificates?tags[nin]=ä,%5C%2C&limit=5&fields=id&sort=-number&cursor=${cursor}`,
    )
    t.same([next.statusCode, next.body], [200, other.body])
  }
  const long = await ask(`/certificates?limit=5&number[ne]=${'x'.repeat(1990)}`)
  t.equal(long.statusCode, 200)
  t.notMatch(String(long.headers.link), /next|canonical/)
  t.ok(long.json().page.next_cursor)
  const last = await ask('/v1/certificates?limit=500')
  t.notOk(last.headers.link)
})

t.test(
  'a walk passes keys of 2,000 bytes: the cursor is not counted in the size of the target',
  async (t) => {
    const giant = await asCustomer(database, app, 'giant')
    const names = ['"', '\\', 'ä', '\u{10ffff}', '\n'].map((each) =>
      each.repeat(Math.floor(2000 / Buffer.byteLength(each))),
    )
    for (const [n, name] of names.entries()) {
      await sql`insert into products (customer_id, id, name, model) values ('giant', ${`g${n}`}, ${name}, ${name})`.execute(
        database.operator,
      )
    }
    const seen: string[] = []
    let cursor = ''
    do {
      const target = `/v1/products?sort=name,model&limit=1${cursor}`
      const raw = `${line(target)}Host: x\r\nAuthorization: Bearer ${giant.token}\r\n${end}`
      const answer = await send(raw)
      t.equal(answer.status, 200, `target of ${target.length} bytes`)
      const { data, page } = JSON.parse(answer.body)
      seen.push(data[0].name)
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : ''
    } while (cursor)
    t.same(
      seen,
      names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
  },
)

t.test('errors are problem documents with the security headers, whatever was asked', async (t) => {
  const errors: [string, number, string, Record<string, string>?][] = [
    ['/v1/products?limit=0', 400, 'invalid_query'],
    ['/v1/products?cursor=x', 400, 'invalid_cursor'],
    ['/v1/products?access_token=x', 400, 'token_in_query'],
    ['/v1/products/%zz', 400, 'malformed_request'],
    ['/v1/products', 401, 'credentials_required', { authorization: '' }],
    ['/v1/products', 401, 'invalid_token', { authorization: 'Bearer x' }],
    ['/v1/products/nobody', 404, 'not_found'],
    ['/v1/nothing', 404, 'not_found'],
    ['/nothing', 404, 'not_found'],
    ['/', 404, 'not_found'],
    ['/v1/products', 406, 'not_acceptable', { accept: 'text/html' }],
    ['/v1/products', 412, 'precondition_failed', { 'if-match': '"x"' }],
  ]
  for (const [url, status, code, headers] of errors) {
    if (url === '/' && (await ask('/')).statusCode !== 404) continue
    for (const accept of [undefined, 'application/json', 'text/html, */*;q=0.1']) {
      expectProblem(
        t,
        await ask(url, { ...(accept ? { accept } : {}), ...headers }),
        code,
        status,
        `${code}: ${url}`,
      )
    }
  }
  const { errors: faults } = (await ask('/v1/products?limt=3&nme=x&sort=nam&tags=')).json()
  t.same(
    faults.map((each: { parameter: string }) => each.parameter),
    ['limt', 'nme', 'sort', 'tags'],
    'every fault',
  )
  const fixable = (await ask('/products?limt=3&nme[prefix]=x&sort=-nam')).json()
  t.equal(
    (await ask(fixable.try.slice(publicUrl.length))).statusCode,
    200,
    `the corrected URL works: ${fixable.try}`,
  )
})

t.test('401: no token, no bearer, or a token that is not good, each with its challenge', async (t) => {
  const bare = 'Bearer realm="certdata"'
  const bad = `${bare}, error="invalid_token"`
  const [head = '', payload = '', signature = ''] = token.split('.')
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
  const cases: [string | undefined, string, string][] = [
    [undefined, 'credentials_required', bare],
    ['Basic YTpi', 'credentials_required', bare],
    ['Digest x', 'credentials_required', bare],
    [token, 'credentials_required', bare],
    ['Bearer x', 'invalid_token', bad],
    [`Bearer ${token}x`, 'invalid_token', bad],
    [`Bearer ${head}.${payload}.`, 'invalid_token', bad],
    [`Bearer ${none}.${payload}.`, 'invalid_token', bad],
    [`Bearer ${none}.${payload}.${signature}`, 'invalid_token', bad],
    [
      `Bearer ${head}.${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      'invalid_token',
      bad,
    ],
    [`Bearer ${token}, Bearer ${token}`, 'invalid_token', bad],
    [`Bearer ${key}`, 'invalid_token', bad],
  ]
  for (const [header, code, challenge] of cases) {
    for (const url of [
      '/v1/products',
      `/v1/products/${someId}`,
      '/me',
      '/v1/nothing',
      '/webapi/v1/api.php/nothing',
    ]) {
      const answer = await app.inject({ url, headers: header === undefined ? {} : { authorization: header } })
      expectProblem(t, answer, code, 401, `${code}: ${header?.slice(0, 12)} ${url}`)
      t.equal(answer.headers['www-authenticate'], challenge)
    }
  }
  for (const header of [`bearer ${token}`, `BEARER ${token}`, `Bearer  ${token}`]) {
    t.equal((await ask('/v1/me', { authorization: header })).statusCode, 200, header.slice(0, 8))
  }
  clock.offsetMs = 3_601_000
  const expired = await ask('/v1/products')
  clock.offsetMs = 0
  expectProblem(t, expired, 'token_expired', 401)
  t.equal(expired.headers['www-authenticate'], bad)
})

t.test(
  'what is judged first: bytes, token, path, method, scope, type, query, record, condition',
  async (t) => {
    const narrow = await asCustomer(database, app, 'acme', { scopes: ['lab:read'] })
    const basic = await logIn(app, await addCustomer(database, 'simple', { plan: 'premium' }))
    await sql`update customers set plan = 'basic' where customer_id = 'simple'`.execute(database.operator)
    clock.offsetMs += 1000
    const all = { accept: 'text/html', 'if-match': '"x"' }
    const noToken = { ...all, authorization: '' }
    const asked = (url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
      app.inject({ method, url, headers: { authorization, ...headers } })
    const scoped = { ...all, authorization: `Bearer ${narrow.token}` }
    const planless = { ...all, authorization: `Bearer ${basic.token}` }
    const steps: [string, Awaited<ReturnType<typeof asked>>, string][] = [
      ['bytes before the token', await asked('/v1/nothing?token=x&limit=0', noToken), 'token_in_query'],
      ['length before the token', await asked(`/v1/nothing?x=${'x'.repeat(9000)}`, noToken), 'uri_too_long'],
      [
        'a bad escape before the token',
        await asked('/v1/products/%zz?limit=0', noToken),
        'malformed_request',
      ],
      ['the token before the path', await asked('/v1/nothing?limit=0', noToken), 'credentials_required'],
      [
        'the token before the method',
        await asked('/v1/products?limit=0', noToken, 'POST'),
        'credentials_required',
      ],
      ['the path before the plan', await asked('/v1/nothing', planless), 'not_found'],
      ['the method before the plan', await asked('/v1/products', planless, 'POST'), 'method_not_allowed'],
      ['the method before the scope', await asked('/v1/products', scoped, 'POST'), 'method_not_allowed'],
      ['the plan before the scope', await asked('/v1/products?limit=0', planless), 'plan_required'],
      ['the scope before the type', await asked('/v1/products/nobody?limit=0', scoped), 'insufficient_scope'],
      ['the type before the query', await asked('/v1/products/nobody?limit=0', all), 'not_acceptable'],
      [
        'the query before the record',
        await asked('/v1/products/nobody?limit=0', { 'if-match': '"x"' }),
        'invalid_query',
      ],
      [
        'the record before the condition',
        await asked('/v1/products/nobody', { 'if-match': '"x"' }),
        'not_found',
      ],
      [
        'the condition last',
        await asked(`/v1/products/${someId}`, { 'if-match': '"x"' }),
        'precondition_failed',
      ],
    ]
    clock.offsetMs = 0
    for (const [name, answer, code] of steps) expectProblem(t, answer, code, answer.statusCode, name)
  },
)

t.test('a token in the address is refused, and never written back', async (t) => {
  for (const name of ['access_token', 'token', 'api_key', 'apikey', 'client_secret', 'Access_Token']) {
    for (const headers of [{}, { authorization: '' }]) {
      const answer = await ask(`/v1/products?limit=1&${name}=${token}`, headers)
      expectProblem(t, answer, 'token_in_query', 400, name)
      t.notMatch(answer.body + JSON.stringify(answer.headers), token)
    }
  }
})

t.test('what reads a body refuses parameters in its address', async (t) => {
  for (const path of ['/v1/auth/login', '/v1/access-requests']) {
    const answer = await app.inject({ method: 'POST', url: `${path}?limit=1&x`, payload: {} })
    expectProblem(t, answer, 'invalid_query', 400, path)
    const faults: { parameter: string; code: string }[] = answer.json().errors
    t.same(
      faults.map(({ parameter, code }) => `${parameter} ${code}`),
      ['limit unknown_parameter', 'x unknown_parameter'],
    )
  }
})

t.test('a refusal says what to do, in our own words', async (t) => {
  const login = (payload: string | undefined, type?: string) =>
    app.inject({
      method: 'POST',
      url: '/v1/auth/login',
      ...(payload === undefined ? {} : { payload }),
      headers: type === undefined ? {} : { 'content-type': type },
    })
  const json = 'application/json'
  const refusals: [code: string, answer: LightMyRequestResponse, says: RegExp][] = [
    ['credentials_required', await ask('/v1/me', { authorization: '' }), /POST \/v1\/auth\/login/],
    ['invalid_token', await ask('/v1/me', { authorization: 'Bearer x' }), /POST \/v1\/auth\/login/],
    ['unsupported_media_type', await login('x', 'text/plain'), /application\/json/],
    ['invalid_body', await login('{', json), /not JSON/],
    ['invalid_body', await login('', json), /empty/],
    ['invalid_body', await login(undefined), /"api_key"/],
    ['invalid_body', await login('[]', json), /"api_key"/],
  ]
  for (const [code, answer, says] of refusals) {
    expectProblem(t, answer, code, answer.statusCode)
    t.match(answer.json().detail, says, code)
    t.notMatch(answer.body, /Invalid input|received/, 'none of a library')
  }
})

t.test('/v1/me tells the time it took', async (t) => {
  t.match((await ask('/v1/me')).headers['server-timing'], /^total;dur=\d+\.\d\d$/)
})

t.test('sizes: 8 KiB of target without its cursor, 16 KiB with the headers', async (t) => {
  const request = (target: string, more = '') => send(`${line(target)}Host: x\r\n${auth}${more}${end}`)
  const base = '/v1/products?brand='
  const fitting = `${base}${'x'.repeat(8192 - base.length)}`
  t.equal((await request(fitting)).status, 400, '8,192 bytes are judged as a query')
  expectProblem(t, await request(`${fitting}x`), 'uri_too_long', 414)
  const long = await request(`/v1/products?cursor=${'x'.repeat(9000)}`)
  expectProblem(t, long, 'invalid_cursor', 400, 'a cursor is not counted')
  const mixed = `${fitting.slice(0, -1)}&cursor=${'x'.repeat(3000)}`
  t.not((await request(mixed)).status, 414)
  expectProblem(t, await request(`/v1/products/${'x'.repeat(8300)}`), 'uri_too_long', 414)
  t.equal((await request('/v1/me', `X: ${'x'.repeat(15_000)}\r\n`)).status, 200)
  expectProblem(t, await request('/v1/me', `X: ${'x'.repeat(17_000)}\r\n`), 'headers_too_large', 431)
  expectProblem(
    t,
    await request('/v1/me', 'X: y\r\n'.repeat(4000)),
    'headers_too_large',
    431,
    'many small ones',
  )
  expectProblem(t, await request(`/v1/products?cursor=${'x'.repeat(17_000)}`), 'headers_too_large', 431)
})

t.test('what is no request is refused with a problem document, and the connection ends', async (t) => {
  const broken: [string, string | Buffer][] = [
    ['garbage', 'garbage\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100a5010000a1', 'hex')],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['NUL in the target', `${line('/v1/products/\0')}Host: x\r\n${auth}\r\n`],
    [
      'bytes that are not UTF-8',
      Buffer.from(`${line('/v1/products?tags=\xff')}Host: x\r\n${auth}\r\n`, 'latin1'),
    ],
    ['a blank in the target', `${line('/v1/products?tags=a b')}Host: x\r\n${auth}\r\n`],
    ['a header without a name', `${line('/v1/me')}Host: x\r\n${auth}: x\r\n\r\n`],
    ['a blank before the colon', `${line('/v1/me')}Host : x\r\n${auth}\r\n`],
    ['a folded header', `${line('/v1/me')}Host: x\r\n${auth}X: a\r\n b\r\n\r\n`],
    ['bare line feeds', `GET /v1/me HTTP/1.1\nHost: x\n\n`],
    ['NUL in a header', `${line('/v1/me')}Host: x\r\n${auth}X: \0\r\n\r\n`],
    [
      'two lengths',
      `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    ],
    [
      'length and chunks',
      `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a length that is no number', `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Length: x\r\n\r\n`],
    [
      'a chunk that is none',
      `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ]
  for (const [name, bytes] of broken) {
    const [answer, ...more] = await sendBytes(port, bytes)
    expectProblem(t, answer as RawAnswer, 'malformed_request', 400, name)
    t.same([more.length, answer?.headers.connection], [0, 'close'])
  }
})

t.test('a method that the parser does not know is 405, and the connection ends', async (t) => {
  for (const method of ['FOO', 'get', 'BREW']) {
    const [answer, ...more] = await sendBytes(port, `${line('/v1/me', method)}Host: x\r\n${auth}\r\n`)
    expectProblem(t, answer as RawAnswer, 'method_not_allowed', 405, method)
    t.same([more.length, answer?.headers.connection], [0, 'close'])
    t.equal(answer?.headers.allow, 'GET, HEAD, OPTIONS, POST')
  }
})

t.test('a request line may only name a version of HTTP/1', async (t) => {
  for (const version of ['HTTP/2.0', 'HTTP/3.7', 'HTTP/0.9']) {
    const [answer, ...more] = await sendBytes(port, `GET /v1/me ${version}\r\nHost: x\r\n${auth}\r\n`)
    expectProblem(t, answer as RawAnswer, 'http_version_not_supported', 505, version)
    t.same([more.length, answer?.headers.connection], [0, 'close'])
  }
})

t.test('a body in another transfer coding than chunked is 501', async (t) => {
  const chunked = 'Content-Type: application/json\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n'
  for (const coding of ['gzip, chunked', 'gzip,chunked', 'deflate, chunked']) {
    const field = `Transfer-Encoding: ${coding}\r\n`
    const answer = await send(`${line('/v1/auth/login', 'POST')}Host: x\r\n${field}${chunked}`)
    expectProblem(t, answer, 'not_implemented', 501, coding)
  }
  const twice = 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n'
  t.equal((await send(`${line('/v1/auth/login', 'POST')}Host: x\r\n${twice}${chunked}`)).status, 501)
  const plain = 'Transfer-Encoding: Chunked\r\n'
  const known = await send(`${line('/v1/auth/login', 'POST')}Host: x\r\n${plain}${chunked}`)
  expectProblem(t, known, 'invalid_body', 400, 'chunked alone')
})

t.test('Host is a name or an address with its port, whether the answer is in memory or not', async (t) => {
  const ask = (host: string) => send(`${line('/v1/products?limit=3')}Host: ${host}\r\n${auth}${end}`)
  for (const host of ['x', 'api.example:3000', '127.0.0.1', '[::1]:80', 'x:', 'x']) {
    t.equal((await ask(host)).status, 200, host)
  }
  for (const host of ['', 'a b', 'u@evil', 'http://x', 'x/', 'x:y', 'x?', '[::1', 'x,y@z']) {
    expectProblem(t, await ask(host), 'malformed_request', 400, host)
  }
})

t.test('refusals on bytes have a request id too', async (t) => {
  const answer = await send('garbage\r\n\r\n')
  t.same(listProblemFaults(answer.status, answer.headers, answer.body), [])
  t.ok(answer.headers.date)
})

t.test('Authorization and Host come once; Host must come', async (t) => {
  const cases: [string, string][] = [
    ['two tokens', `${line('/v1/me')}Host: x\r\n${auth}${auth}${end}`],
    ['two tokens, in other letters', `${line('/v1/me')}Host: x\r\n${auth}AUTHORIZATION: Bearer x\r\n${end}`],
    ['two hosts', `${line('/v1/me')}Host: x\r\nHost: y\r\n${auth}${end}`],
    ['the same host twice', `${line('/v1/me')}Host: x\r\nhOST: x\r\n${auth}${end}`],
    ['no host', `${line('/v1/me')}${auth}${end}`],
    ['no host, no token', `${line('/v1/nothing')}${end}`],
  ]
  for (const [name, bytes] of cases) expectProblem(t, await send(bytes), 'malformed_request', 400, name)
  t.equal((await send(`GET /v1/me HTTP/1.0\r\n${auth}\r\n`)).status, 200, 'HTTP/1.0 knows no Host')
})

t.test('a target with a fragment is malformed', async (t) => {
  for (const target of ['/v1/products#x', '/v1/products#?limit=1', '/v1/products?limit=1#x']) {
    expectProblem(t, await send(`${line(target)}Host: x\r\n${auth}${end}`), 'malformed_request', 400, target)
  }
})

t.test('the target * is the server as a whole, which has options and nothing to get', async (t) => {
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
    const answer = await send(`${line('*', method)}Host: x\r\n${auth}${end}`)
    t.equal(answer.status, 400, method)
  }
  t.equal((await send(`${line('*', 'OPTIONS')}Host: x\r\n${end}`)).status, 204)
})

t.test('an absolute target is answered as its path is', async (t) => {
  const answer = await send(`${line('http://elsewhere.example/products?limit=1')}Host: x\r\n${auth}${end}`)
  t.equal(answer.status, 200)
  t.match(answer.headers.link, `<${publicUrl}/v1/products?limit=1>; rel="canonical"`)
})

t.test('an expectation that is none of ours is passed over', async (t) => {
  const answer = await send(`${line('/v1/me')}Host: x\r\nExpect: tea\r\n${auth}${end}`)
  t.equal(answer.status, 200)
  t.same(listHeaderFaults(answer.headers), [])
})

t.test('half a request is 408 when its time is up', async (t) => {
  const impatient = await createTestApp(database)
  const server = impatient.server as unknown as {
    requestTimeout: number
    connectionsCheckingInterval: number
  }
  t.equal(server.requestTimeout, 30_000, 'the time that the service gives')
  Object.assign(server, { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 20 })
  const address = await impatient.listen({ host: '127.0.0.1', port: 0 })
  for (const bytes of [
    'GET /v1/me HT',
    `${line('/v1/me')}Host: x\r\n${auth}`,
    `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a`,
  ]) {
    const [answer] = await sendBytes(Number(new URL(address).port), bytes)
    expectProblem(t, answer as RawAnswer, 'request_timeout', 408, bytes.slice(0, 20))
  }
  await impatient.close()
})

const pick = <T>(random: () => number, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T

const words = [
  'v1',
  'webapi',
  'api.php',
  ...resourceNames,
  'me',
  'auth',
  'login',
  'custom',
  'changes',
  'health',
  'live',
]
words.push(
  '..',
  '.',
  '%2e%2e',
  '%2f',
  '%00',
  '%',
  '%zz',
  '%ff',
  '%ED%A0%80',
  '~',
  '*',
  ':id',
  '__proto__',
  'constructor',
)
words.push(
  'openapi.json',
  '.well-known',
  'jwks.json',
  '',
  "'",
  '"',
  '<>',
  '|',
  '\\',
  '^',
  'x'.repeat(300),
  someId,
)
const names = [
  'id',
  'number',
  'name',
  'model',
  'tags',
  'standards',
  'valid_until',
  'issued_on',
  'updated_at',
  'validity',
]
names.push(
  'expiring',
  'status',
  'open',
  'technologies',
  'blocs',
  'sort',
  'fields',
  'include',
  'limit',
  'cursor',
  'count',
)
names.push('on', 'expiring_within', 'format', 'toString', '__proto__', '', 'after')
const operators = [
  '',
  '',
  '',
  ...['eq', 'ne', 'in', 'nin', 'gt', 'lte', 'prefix', 'null', 'all', '', 'x'].map((each) => `[${each}]`),
]
operators.push('[', ']', '[[x]]', '%5Bne%5D')
const values = [
  '',
  'a',
  'a,b',
  '\\',
  '\\,',
  ',',
  'true',
  'today',
  'today+90d',
  'today-99999d',
  '2026-01-01',
  '0001-01-01',
]
values.push(
  '9999-12-31',
  '9999-12-31T23:59:59-23:59',
  '0001-01-01T00:00:00%2B23:59',
  'valid',
  'number',
  '-name,model',
  'id',
)
values.push(
  'product,country',
  'exact',
  'json',
  '0',
  '500',
  '501',
  '%',
  '%00',
  '%ff',
  '%F4%8F%BF%BF',
  'ä',
  '\u{10ffff}',
)
values.push('x'.repeat(2001), 'AQ', 'AA', 'pass', 'wifi', 'europe', '1e3', '-1')
const headerLines = [
  'Accept: text/html',
  'Accept: ;;;',
  'Accept: */*;q=0.1',
  'Accept-Encoding: br',
  'Accept-Encoding: ;',
  'If-Match: x',
]
headerLines.push(
  'If-None-Match: *',
  'If-None-Match: "',
  'Cache-Control: no-cache',
  'Cache-Control: ,',
  'Pragma: no-cache',
  'Range: bytes=0-1',
)
headerLines.push(
  'X-Forwarded-Proto: http',
  'X-Forwarded-For: ::1,,',
  'Origin: null',
  'Content-Type: x',
  'Content-Length: 0',
  'Accept-Version: 1',
)
headerLines.push('Upgrade: h2c', 'Cookie: a=b', 'TE: trailers', 'Forwarded: proto=https')

t.test('nothing that is sent gives a 500, and every error is a problem document', async (t) => {
  const seed = Date.now() % 1e6
  t.comment(`seed ${seed}`)
  const random = createRandom(seed)
  const makeRequest = () => {
    const path = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, words)).join('/')
    const route = `${pick(random, ['/v1/', '/', '/webapi/v1/api.php/'])}${pick(random, [...resourceNames, 'me'])}`
    const pairs = Array.from({ length: Math.floor(random() * 4) }, () => {
      const value = pick(random, values)
      return `${pick(random, names)}${pick(random, operators)}=${random() < 0.5 ? encodeURIComponent(value) : value}`
    })
    const method =
      random() < 0.9
        ? pick(random, ['GET', 'HEAD'])
        : pick(
            random,
            METHODS.filter((each) => each !== 'CONNECT'),
          )
    const target = `${random() < 0.6 ? route : random() < 0.5 ? `${route}/${path}` : `/${path}`}?${pairs.join('&')}`
    const lines = Array.from(
      { length: Math.floor(random() * 4) },
      () => `${pick(random, headerLines)}\r\n`,
    ).join('')
    const given =
      random() < 0.95
        ? auth
        : pick(random, ['', 'Authorization: Bearer\r\n', 'Authorization: Bearer a.b.c\r\n'])
    return { method, bytes: `${line(target, method)}Host: x\r\n${given}${lines}${end}` }
  }
  const wrong: object[] = []
  const statuses = new Map<number, number>()
  const work = async () => {
    for (let n = 0; n < 1000; n++) {
      const { method, bytes } = makeRequest()
      const { status, headers, body } = await send(Buffer.from(bytes, random() < 0.5 ? 'utf8' : 'latin1'))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // Pages have a policy of their own, and their own test.
      if (status < 400 && headers['content-security-policy']?.includes('script-src')) continue
      const faults =
        status < 400 || method === 'HEAD'
          ? listHeaderFaults(headers)
          : listProblemFaults(status, headers, body, true)
      if (!(status < 500) || faults.length > 0)
        wrong.push({ bytes: bytes.replace(token, '…'), status, faults })
    }
  }
  await Promise.all([work(), work(), work(), work()])
  t.same(wrong, [])
  for (const status of [200, 400, 404, 405, 406])
    t.ok((statuses.get(status) ?? 0) > 10, `${statuses.get(status)} times ${status}`)
})

t.test('with a certificate the service speaks HTTP/2 and HTTP/1.1 over TLS, with HSTS', async (t) => {
  const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
  const secure = await createTestApp(database, { env: { TLS_KEY, TLS_CERT, ALLOW_HTTP: 'never' } })
  const securePort = Number(new URL(await secure.listen({ host: '127.0.0.1', port: 0 })).port)
  const http2 = openHttp2(securePort)
  t.teardown(async () => {
    http2.close()
    await secure.close()
    remove()
  })
  const hsts = 'max-age=31536000'
  const plain = await ask('/v1/products?limit=3')
  const pages = { authorization, ':path': '/v1/products?limit=3' }
  const over1 = await sendBytes(securePort, `${line('/v1/products?limit=3')}Host: x\r\n${auth}${end}`, true)
  const over2 = await http2.ask(pages)
  for (const { status, headers, body } of [over1[0] as RawAnswer, over2]) {
    t.same([status, body, headers.etag], [200, plain.body, plain.headers.etag])
    t.equal(headers['strict-transport-security'], hsts)
    t.same(listHeaderFaults(headers), [])
  }
  t.notOk(plain.headers['strict-transport-security'], 'and not without TLS')
  const tag = String(plain.headers.etag)
  t.equal((await http2.ask({ ...pages, 'if-none-match': tag })).status, 304)
  t.equal((await http2.ask({ ...pages, ':method': 'HEAD' })).body, '')
  const errors: [Record<string, string>, number][] = [
    [{ ':path': '/v1/products' }, 401],
    [{ authorization, ':path': '/v1/products?limit=0' }, 400],
    [{ authorization, ':path': '/v1/products/%zz' }, 400],
    [
      { authorization, ':path': `/v1/products?tags=${Buffer.from('\xff', 'latin1').toString('latin1')}` },
      400,
    ],
    [{ authorization, ':path': `/v1/products?brand=${'x'.repeat(9000)}` }, 414],
    [{ authorization, ':path': '/v1/products', ':method': 'DELETE' }, 405],
    [{ ':path': '/nothing' }, 404],
  ]
  for (const [headers, status] of errors) {
    const answer = await http2.ask(headers)
    t.same(
      [answer.status, listProblemFaults(status, answer.headers, answer.body)],
      [status, []],
      String(headers[':path']).slice(0, 30),
    )
    t.equal(answer.headers['strict-transport-security'], hsts)
  }
  for (const bytes of [
    'garbage\r\n\r\n',
    `${line('/v1/me')}${end}`,
    `${line('/v1/me')}Host: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
  ]) {
    const [answer] = await sendBytes(securePort, bytes, true)
    t.same(
      listProblemFaults(answer?.status ?? 0, answer?.headers ?? {}, answer?.body ?? '', true),
      [],
      bytes.slice(0, 20),
    )
    t.equal(answer?.headers['strict-transport-security'], hsts)
  }
})

t.test(
  'a method that no route answers is 405 over either protocol, and logged by its own name',
  async (t) => {
    const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
    const lines: string[] = []
    const logStream = { write: (line: string) => void lines.push(line), lost: 0 }
    const secure = await createTestApp(database, { env: { TLS_KEY, TLS_CERT, LOG_LEVEL: 'info' }, logStream })
    const securePort = Number(new URL(await secure.listen({ host: '127.0.0.1', port: 0 })).port)
    const http2 = openHttp2(securePort)
    t.teardown(remove)
    const methods = ['PROPFIND', 'DELETE', 'PUT', 'M-SEARCH']
    for (const method of methods) {
      for (const [path, allow] of [
        ['/v1/me', 'GET, HEAD, OPTIONS'],
        ['/health/live', 'GET, HEAD, OPTIONS'],
        ['/v1/auth/login', 'POST, OPTIONS'],
      ] as const) {
        const over2 = await http2.ask({ authorization, ':path': path, ':method': method })
        t.same([over2.status, over2.headers.allow], [405, allow], `${method} ${path}, HTTP/2`)
        const [over1] = await sendBytes(securePort, `${line(path, method)}Host: x\r\n${auth}${end}`, true)
        t.same([over1?.status, over1?.headers.allow], [405, allow], `${method} ${path}, HTTP/1`)
      }
      t.equal((await http2.ask({ ':path': '/v1/me', ':method': method })).status, 401, 'who asks comes first')
      t.equal((await http2.ask({ authorization, ':path': '/v1/nothing', ':method': method })).status, 404)
      t.equal((await http2.ask({ authorization, ':path': '/v1/oauth/x', ':method': method })).status, 404)
    }
    http2.close()
    await secure.close()
    const logged = lines.map((text) => JSON.parse(text)).filter(({ msg }) => msg === 'answered')
    for (const method of methods) t.equal(logged.filter((each) => each.method === method).length, 9, method)
  },
)

t.test('HTTP/2 keeps the limits, times and refusals of HTTP/1.1', async (t) => {
  const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
  const secure = await createTestApp(database, { env: { TLS_KEY, TLS_CERT } })
  const server = secure.server as unknown as { requestTimeout: number; keepAliveTimeout: number }
  t.same([server.requestTimeout, server.keepAliveTimeout], [30_000, 72_000])
  const securePort = Number(new URL(await secure.listen({ host: '127.0.0.1', port: 0 })).port)
  const http2 = openHttp2(securePort)
  t.teardown(async () => {
    http2.close()
    await secure.close()
    remove()
  })
  const large = await http2.ask({ authorization, ':path': '/v1/me', x: 'x'.repeat(17_000) })
  t.same([large.status, listProblemFaults(431, large.headers, large.body)], [431, []])
  const unknown = await http2.ask({ authorization, ':path': '/v1/me', ':method': 'FOO' })
  t.same([unknown.status, listProblemFaults(405, unknown.headers, unknown.body)], [405, []])
  t.equal(unknown.headers.allow, 'GET, HEAD, OPTIONS')
  t.equal((await http2.ask({ authorization, ':path': '/v1/me', expect: 'tea' })).status, 200)
})

t.test('plain HTTP is refused unless a trusted proxy says that it came over TLS', async (t) => {
  const strict = await createTestApp(database, {
    env: { ALLOW_HTTP: 'never', TRUSTED_PROXIES: '10.1.0.0/16,127.0.0.9' },
  })
  const from = (remoteAddress: string, headers: Record<string, string> = {}, url = '/v1/me') =>
    strict.inject({ url, headers: { authorization, ...headers }, remoteAddress })
  const https = { 'x-forwarded-proto': 'https' }
  for (const answer of [
    await from('127.0.0.1'),
    await from('127.0.0.1', https),
    await from('192.0.2.1', https),
    await from('10.2.0.1', https),
    await from('10.1.2.3'),
    await from('10.1.2.3', { 'x-forwarded-proto': 'http' }),
    await from('10.1.2.3', { 'x-forwarded-proto': 'https, http' }),
    await from('192.0.2.1', { ...https, 'x-forwarded-for': '10.1.2.3' }),
    await from('192.0.2.1', { forwarded: 'proto=https' }),
    await from('127.0.0.1', { authorization: 'Bearer x' }),
    await from('127.0.0.1', {}, '/v1/nothing'),
    await from('127.0.0.1', {}, '/nothing'),
  ]) {
    expectProblem(t, answer, 'tls_required', 403)
    t.notOk(answer.headers['strict-transport-security'])
  }
  for (const answer of [
    await from('10.1.2.3', https),
    await from('::ffff:10.1.2.3', https),
    await from('127.0.0.9', https),
    await from('10.1.2.3', { 'x-forwarded-proto': 'http, https' }),
  ]) {
    t.equal(answer.statusCode, 200)
    t.match(answer.headers['strict-transport-security'], /max-age/)
  }
  t.equal((await from('192.0.2.1', {}, '/health/live')).statusCode, 200, 'but for probes')
  await strict.close()
  const loose = await createTestApp(database, { env: { TRUSTED_PROXIES: '127.0.0.9' } })
  const local = (remoteAddress: string, headers: Record<string, string> = {}) =>
    loose.inject({ url: '/v1/me', headers: { authorization, ...headers }, remoteAddress })
  t.equal((await local('127.0.0.1')).statusCode, 200, 'from this machine itself, where that is allowed')
  t.equal((await local('::1')).statusCode, 200)
  t.equal((await local('192.0.2.1')).statusCode, 403)
  t.equal(
    (await local('127.0.0.9', { 'x-forwarded-proto': 'http' })).statusCode,
    403,
    'not for a proxy on it',
  )
  await loose.close()
})

const exposed =
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Request-Id, Cache-Status, Data-As-Of, Sync-Token, Deprecation, Sunset, WWW-Authenticate'

t.test('CORS is for the configured origins only, and exposes what clients need', async (t) => {
  const origin = 'https://erp.example'
  const open = await createTestApp(database, { env: { CORS_ORIGINS: `${origin},https://two.example` } })
  const from = (
    headers: Record<string, string>,
    method: 'GET' | 'OPTIONS' = 'GET',
    url = '/v1/products?limit=1',
  ) => open.inject({ method, url, headers: { authorization, ...headers } })
  for (const each of [origin, 'https://two.example']) {
    for (const answer of [
      await from({ origin: each }),
      await from({ origin: each }, 'GET', '/v1/products?limit=0'),
    ]) {
      t.equal(answer.headers['access-control-allow-origin'], each)
      t.equal(answer.headers.vary, 'Authorization, Accept, Accept-Encoding, Origin')
      t.same(
        String(answer.headers['access-control-expose-headers']).split(', ').sort(),
        exposed.split(', ').sort(),
      )
      t.notOk(answer.headers['access-control-allow-credentials'])
      t.same(listHeaderFaults(answer.headers), [])
    }
  }
  for (const each of [
    'https://evil.example',
    'null',
    'https://erp.example.evil',
    'http://erp.example',
    '*',
  ]) {
    const answer = await from({ origin: each })
    t.same([answer.statusCode, answer.headers['access-control-allow-origin']], [200, undefined], each)
    t.equal(answer.headers.vary, 'Authorization, Accept, Accept-Encoding, Origin')
  }
  const preflight = {
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  }
  const allowed = await from({ origin, ...preflight, authorization: '' }, 'OPTIONS')
  t.equal(allowed.statusCode, 204)
  t.equal(allowed.headers['access-control-allow-origin'], origin)
  t.match(allowed.headers['access-control-allow-methods'], /GET/)
  t.match(allowed.headers['access-control-allow-headers'], /authorization/i)
  const denied = await from({ origin: 'https://evil.example', ...preflight, authorization: '' }, 'OPTIONS')
  t.notOk(denied.headers['access-control-allow-origin'])
  const tagged = await from({ origin })
  t.equal((await from({ origin, 'if-none-match': String(tagged.headers.etag) })).statusCode, 304)
  t.equal(
    (await get('/v1/products?limit=1', { origin })).headers['access-control-allow-origin'],
    undefined,
    'none unless configured',
  )
  await open.close()
})

t.test('with CORS an OPTIONS that is no preflight still tells the methods', async (t) => {
  const open = await createTestApp(database, { env: { CORS_ORIGINS: 'https://erp.example' } })
  const answer = await open.inject({ method: 'OPTIONS', url: '/v1/products' })
  t.same([answer.statusCode, answer.headers.allow], [204, 'GET, HEAD, OPTIONS'])
  await open.close()
})
