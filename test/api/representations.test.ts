import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { instantText } from '../../app/db/instant.ts'
import { asCustomer } from '../helper.ts'
import { expectProblem, listHeaderFaults, openHttpStage } from './http-stage.ts'

const { database, app, someId, ask } = await openHttpStage(t)

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
