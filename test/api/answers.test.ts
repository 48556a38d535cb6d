import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { instantText } from '../../app/db/instant.ts'
import { resourceNames } from '../../app/records/resources/index.ts'
import { asCustomer, publicUrl } from '../helper.ts'
import { end, line, openHttpStage } from './http-stage.ts'
import { sendBytes } from './sockets.ts'

const { database, app, port, stored, auth, ask, send } = await openHttpStage(t)

t.test('the three forms of a path return the same bytes and link to the canonical one', async (t) => {
  const paths = resourceNames.flatMap((name) => [`/${name}`, `/${name}/${stored[name]?.[20]?.id}`])
  const queries = [
    '',
    '?fields=id',
    '?fields=id%2Ccreated_at&format=json',
    '?format=json&fields=id,created_at',
  ]
  for (const target of paths.flatMap((path) => queries.map((query) => path + query))) {
    const { headers, body } = await ask(`/v1${target}`)
    t.notMatch(String(headers.link), 'canonical')
    for (const prefix of ['', '/webapi/v1/api.php']) {
      const other = await ask(prefix + target)
      const seen = [other.statusCode, other.body, other.headers.etag, other.headers['cache-status']]
      t.same(seen, [200, body, headers.etag, 'certdata; hit'], prefix + target)
      t.match(other.headers.link, `<${publicUrl}/v1${target.split('?')[0]}>; rel="canonical"`)
    }
  }
  const [mine, short, long] = [await ask('/v1/me'), await ask('/me'), await ask('/webapi/v1/api.php/me')]
  t.same(
    [short, long].map((each) => each.json().data.customer),
    [mine.json().data.customer, 'acme'],
  )
  t.same([short.headers.link, long.headers.link], Array(2).fill(`<${publicUrl}/v1/me>; rel="canonical"`))
})

t.test('HEAD has the length of the body, and another request may follow it', async (t) => {
  const [raw] = await sendBytes(port, `${line('/v1/products', 'HEAD')}Host: x\r\n${auth}${end}`)
  t.ok(Number(raw?.headers['content-length']) > 1000)
  const both = await sendBytes(
    port,
    `${line('/v1/products', 'HEAD')}Host: x\r\n${auth}\r\n${line('/v1/me')}Host: x\r\n${auth}${end}`,
  )
  t.same(both.length, 1)
})

t.test('Link next is absolute, canonical and valid, also above 2 KiB', async (t) => {
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
  const [, far = ''] = /<([^>]*)>; rel="next"/.exec(String(long.headers.link)) ?? []
  t.match(far, `${publicUrl}/v1/certificates?packed=`)
  const { next_cursor: cursor } = long.json().page
  const same = await ask(`/v1/certificates?limit=5&number[ne]=${'x'.repeat(1990)}&cursor=${cursor}`)
  t.equal((await ask(far.slice(publicUrl.length))).body, same.body)
  const last = await ask('/v1/certificates?limit=500')
  t.notOk(last.headers.link)
})

t.test('pages continue after keys of 2,000 bytes, because cursors do not count as target', async (t) => {
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
})

const decoders = {
  gzip: promisify(zlib.gunzip),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
}

t.test('gzip, br and zstd decode to the same bytes and have the same weak tag', async (t) => {
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

t.test('all keys of a customer and all spellings of a request get the same tag', async (t) => {
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
})

t.test('Cache-Status names the layer, Data-As-Of the time of the data; no-cache refetches', async (t) => {
  const readHeaders = async (headers: Record<string, string> = {}) =>
    (await ask('/v1/lab?limit=9&sort=issued_on', headers)).headers
  const status = async (headers?: Record<string, string>) => (await readHeaders(headers))['cache-status']
  t.equal(await status(), 'certdata; fwd=uri-miss; stored')
  t.equal(await status(), 'certdata; hit')
  const fresh = [{ 'cache-control': 'no-cache' }, { 'cache-control': 'max-age=0' }, { pragma: 'no-cache' }]
  fresh.push({ 'cache-control': 'foo, NO-CACHE' }, { 'cache-control': 'max-age=0, must-revalidate' })
  for (const headers of fresh) {
    const { rows } = await sql<{
      now: string
    }>`select ${sql.raw(instantText('clock_timestamp()'))} as now`.execute(database.operator)
    const answer = await readHeaders(headers)
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
})
