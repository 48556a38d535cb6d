import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { instantText } from '../../app/db/instant.ts'
import { asCustomer } from '../helper.ts'
import { openHttpStage } from './http-stage.ts'

const { database, app, ask } = await openHttpStage(t)

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

t.test('Cache-Status names the layer, Data-As-Of the time of the data; no-cache reads now', async (t) => {
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
