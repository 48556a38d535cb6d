import { once } from 'node:events'
import { globalAgent, type IncomingMessage, request as request1 } from 'node:http'
import { connect as connect2, constants } from 'node:http2'
import { Readable, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { streamRows } from '../../app/export/row-stream.ts'
import type { WriteRows } from '../../app/export/session.ts'
import { makeCertificate } from '../api/sockets.ts'
import { addCustomer, createTestApp, createTestExports, logIn, until } from '../helper.ts'
import {
  allOver,
  client,
  clientIsAwaited,
  database,
  insertProducts,
  records,
  rowBytes,
  running,
  start,
  terminate,
  writer,
} from './stage.ts'
import { readWorkbook } from './xlsx.ts'

const pieceBytes = 64 * 1024
const inPieces: WriteRows = async function* (batches) {
  for await (const rows of batches) {
    const bytes = Buffer.from(rows.map(([cell]) => cell).join('\n'))
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
}

const startSecure = async (t: Test) => {
  const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
  const app = await createTestApp(database, { env: { TLS_KEY, TLS_CERT } })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const session = connect2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  session.on('error', () => {})
  t.teardown(async () => {
    session.destroy()
    await app.close()
    remove()
  })
  const readToken = async (name: string) => (await logIn(app, await addCustomer(database, name))).token
  return { session, readToken }
}

t.test('rows are read from one snapshot, even during writes', async (t) => {
  const { ask } = await start(t)
  const { response } = await ask('/v1/products?format=ndjson&sort=created_at')
  let lines = 0
  let isChanged = false
  for await (const chunk of response.setEncoding('utf8')) {
    if (!isChanged) {
      await writer.query('begin')
      await writer.query(`delete from products where customer_id = 'acme' and id > 'p5'`)
      await writer.query(`insert into products (customer_id, id, name) values ('acme', 'new', 'x')`)
      await writer.query('commit')
    }
    isChanged = true
    lines += chunk.split('\n').length - 1
  }
  t.equal(lines, records)
  await client.query(`delete from products where customer_id = 'acme'; ${insertProducts}`)
  await allOver()
})

t.test('a cached page does not replace an export', async (t) => {
  // Longer than any pause of the machine: after the lease the router would answer.
  const { app, ask } = await start(t, {}, { leaseMs: 60_000 })
  const path = '/v1/products?limit=1&sort=created_at'
  const readType = async (accept: string) => {
    const { response } = await ask(path, undefined, { accept })
    response.resume()
    return response.headers['content-type']
  }
  await until('the edge answers', async () => {
    t.equal(await readType('*/*'), 'application/json')
    return app.edgeAnswers > 0
  })
  const before = app.edgeAnswers
  t.equal(await readType('application/x-ndjson'), 'application/x-ndjson')
  t.equal(await readType('text/csv, application/json;q=0.5'), 'text/csv; charset=utf-8; header=present')
  t.equal(app.edgeAnswers, before)
  t.equal(await readType('text/csv, application/json'), 'application/json')
  t.equal(app.edgeAnswers, before + 1)
})

const sorted = Array.from({ length: records }, (_, index) => `p${index + 1}`).sort()
const brand = 'x'.repeat(rowBytes)

/** Whether the body has every product unchanged, in the order of names. */
const isWhole = (body: string, format: string): boolean => {
  const lines = body.trimEnd().split('\n')
  if (format === 'csv') lines.shift()
  const isRight = (line: string, id: string | undefined) => {
    if (format === 'csv')
      return line.startsWith(`${id},Product ${id?.slice(1)},`) && line.includes(`,${brand},`)
    const product = JSON.parse(line)
    return product.id === id && product.name === `Product ${id?.slice(1)}` && product.brand === brand
  }
  return lines.length === records && lines.every((line, index) => isRight(line, sorted[index]))
}

t.test('rows that a client does not read are not fetched, and no row is overwritten', async (t) => {
  const { ask, bytesRead } = await start(t)
  for (const format of ['ndjson', 'csv']) {
    // A new connection: the kernel enlarges the receive buffer of a used one until it holds a whole export.
    globalAgent.destroy()
    const before = bytesRead()
    const { response } = await ask(`/v1/products?format=${format}`)
    await clientIsAwaited()
    const read = bytesRead() - before
    // The buffers of sockets may hold more than half of the rows, depending on the system.
    t.ok(read < records * rowBytes * 0.75, `${format}: ${read} bytes`)
    t.ok(isWhole(await text(response), format), 'and the rest comes when it does')
    await allOver()
  }
})

t.test('an XLSX file is complete and is not produced faster than its client reads', async (t) => {
  const { ask, bytesRead, readToken } = await start(t)
  const token = await readToken('dense')
  globalAgent.destroy()
  const before = bytesRead()
  const { response } = await ask('/v1/products?format=xlsx&fields=name,brand', token)
  await clientIsAwaited()
  const read = bytesRead() - before
  t.ok(read < records * rowBytes * 0.9, `${read} bytes`)
  const [sheet = []] = readWorkbook(await buffer(response)).values()
  t.same(
    sheet.map(({ A, B }) => `${A?.value} ${B?.value}`),
    ['id name', ...sorted.map((id) => `${id} Product ${id.slice(1)}`)],
  )
  const { rows } = await client.query<{ brand: string }>(
    "select brand from products where customer_id = 'dense' order by name, id",
  )
  const brands = sheet.slice(1).map(({ C }) => C?.value)
  t.ok(
    rows.every(({ brand }, index) => brand === brands[index]),
    'nothing of it is written over',
  )
  await allOver()
})

t.test('a client that disconnects frees query and connection immediately', async (t) => {
  const { ask, readToken } = await start(t)
  const dense = await readToken('dense')
  for (const [path, more] of [
    ['products?format=csv', {}],
    ['products?format=csv', { 'accept-encoding': 'gzip' }],
    ['products?format=xlsx', {}],
  ] as const) {
    const { sent, response } = await ask(`/v1/${path}`, dense, more)
    await once(response, 'readable')
    t.equal((await running()).length, 1)
    sent.destroy()
    await allOver()
  }
})

t.test('a disconnect before the first row cancels the statement', async (t) => {
  const { send } = await start(t)
  await writer.query('begin; lock table products in access exclusive mode')
  t.teardown(() => writer.query('rollback'))
  const sent = send()
  await until('the statement waits', async () => (await running())[0]?.event === 'relation')
  sent.destroy()
  await allOver()
  await writer.query('rollback')
})

t.test('a failure during the stream cuts the answer, in any format and coding', async (t) => {
  const { ask, readToken } = await start(t)
  const token = await readToken('dense')
  for (const [path, coding] of [
    ['products?format=csv', 'identity'],
    ['products?format=csv', 'gzip'],
    ['products?format=csv', 'br'],
    ['products?format=csv', 'zstd'],
    ['products?format=xlsx', 'identity'],
  ] as const) {
    const { response } = await ask(`/v1/${path}`, token, { 'accept-encoding': coding })
    t.equal(response.statusCode, 200)
    response.on('error', () => {})
    await once(response, 'readable')
    await terminate()
    await t.rejects(response.toArray(), { message: 'aborted' }, `${path} ${coding}`)
    await allOver()
  }
})

t.test('a failure before the first row gets a problem document', async (t) => {
  const { ask } = await start(t)
  t.teardown(() => writer.query('rollback'))
  for (const format of ['ndjson', 'xlsx']) {
    await writer.query('begin; lock table products in access exclusive mode')
    const asked = ask(`/v1/products?format=${format}`)
    await until('the statement waits', async () => (await running())[0]?.event === 'relation')
    await terminate()
    const { response } = await asked
    await writer.query('rollback')
    t.equal(response.statusCode, 503, format)
    t.equal(response.headers['content-type'], 'application/problem+json')
    t.equal(response.headers['content-disposition'], undefined)
    response.resume()
    await allOver()
  }
})

t.test('over HTTP/2 every byte arrives, and a failure resets only its stream', async (t) => {
  const { session, readToken } = await startSecure(t)
  const [token, dense] = [await readToken('acme'), await readToken('dense')]
  for (const [format, coding] of [
    ['ndjson', 'identity'],
    ['ndjson', 'gzip'],
    ['xlsx', 'identity'],
  ] as const) {
    const stream = session.request({
      ':path': `/v1/products?format=${format}`,
      authorization: `Bearer ${dense}`,
      'accept-encoding': coding,
    })
    // The error may arrive before the rest is read.
    stream.on('error', () => {})
    await once(stream, 'readable')
    await terminate()
    await t.rejects(stream.toArray(), { code: 'ERR_HTTP2_STREAM_ERROR' })
    t.equal(stream.rstCode, constants.NGHTTP2_INTERNAL_ERROR)
    await allOver()
  }
  const whole = session.request({ ':path': '/v1/products?format=ndjson', authorization: `Bearer ${token}` })
  t.ok(isWhole(await text(whole), 'ndjson'))
  const gone = session.request({ ':path': '/v1/products?format=csv', authorization: `Bearer ${token}` })
  await once(gone, 'readable')
  gone.close(constants.NGHTTP2_CANCEL)
  await allOver('a stream that is cancelled frees its connection')
})

t.test('HEAD of a stream has the headers of GET and no length, and reads no row', async (t) => {
  const { session, readToken: readSecureToken } = await startSecure(t)
  const { origin, readToken } = await start(t)
  const [secureToken, token] = [await readSecureToken('small'), await readToken('small')]
  t.teardown(() => writer.query('rollback'))
  type Fields = Record<string, string | string[] | number | undefined>
  const over1 = async (method: string, path: string, headers: Record<string, string>): Promise<Fields> => {
    const sent = request1({ port: new URL(origin).port, host: 'localhost', method, path, headers }).end()
    const [{ statusCode, headers: fields }] = (await once(sent, 'response')) as [IncomingMessage]
    sent.destroy()
    return { ...fields, ':status': statusCode }
  }
  const over2 = async (method: string, path: string, headers: Record<string, string>): Promise<Fields> => {
    const stream = session.request({ ':method': method, ':path': path, ...headers })
    const [fields] = await once(stream, 'response')
    stream.close(constants.NGHTTP2_CANCEL)
    return { ...fields }
  }
  const names = [':status', 'content-type', 'content-encoding', 'content-length', 'vary', 'cache-control']
  const others = ['content-disposition', 'x-accel-buffering']
  const pick = (fields: Fields) => [...names, ...others].map((name) => [name, fields[name]])
  for (const [path, accept] of [
    ['/v1/products?format=ndjson', '*/*'],
    ['/v1/products?format=csv', '*/*'],
    ['/v1/products?format=xlsx', '*/*'],
  ] as const) {
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      for (const [name, ask, bearer] of [
        ['HTTP/1.1', over1, token],
        ['HTTP/2', over2, secureToken],
      ] as const) {
        const headers = { authorization: `Bearer ${bearer}`, accept, 'accept-encoding': coding }
        const get = await ask('GET', path, headers)
        const head = await ask('HEAD', path, headers)
        t.same(pick(head), pick(get), `${name} ${path} ${coding}`)
        t.equal(head['content-length'], undefined)
        t.equal(head[':status'], 200)
      }
    }
  }
  await writer.query('begin; lock table products in access exclusive mode')
  const headers = { authorization: `Bearer ${token}` }
  t.equal(
    (await over1('HEAD', '/v1/products?format=csv', headers))[':status'],
    200,
    'although the table is locked',
  )
  await writer.query('rollback')
  await allOver()
})

t.test('cuts a client that does not read', async (t) => {
  const { ask } = await start(t, { EXPORT_IDLE_SECONDS: '1' })
  const { response } = await ask()
  await clientIsAwaited()
  await allOver('it is cut')
  await t.rejects(response.toArray(), { message: 'aborted' })
})

t.test('cuts a client that reads too little or too long, but not a slow one', async (t) => {
  /** Takes a piece of 64 KiB every `ms` milliseconds. Returns the number of pieces and the error. */
  const takeEach = async (ms: number, limit: number) => {
    let nowMs = 0
    mock.timers.enable({ apis: ['setTimeout'] })
    const pieces = Readable.from(Array(limit).fill(Buffer.alloc(64 * 1024))).iterator()
    const over = { finish: async () => {}, abandon: () => {} }
    const { stream } = streamRows({ pieces, idleMs: 1_000, totalMs: 10_000, now: () => nowMs, ...over })
    let taken = 0
    try {
      for await (const _ of stream) {
        taken += 1
        nowMs += ms
        mock.timers.tick(ms)
      }
      return [taken, undefined]
    } catch (error) {
      return [taken, (error as Error).message]
    } finally {
      mock.timers.reset()
    }
  }
  t.same(await takeEach(200, 40), [40, undefined])
  t.match(await takeEach(400, 40), [5, 'the export was cut: the client took less than 256 KiB in 1 s'])
  t.match(await takeEach(200, 60), [50, 'the export was cut: it took longer than 10 s'])
})

/** `take(n)` takes pieces and resolves when the reader waits for the next `take`. */
const createReader = (stream: Readable) => {
  let accept = () => {}
  let left = 0
  let waiting = Promise.withResolvers<void>()
  const sink = new Writable({
    highWaterMark: 1,
    write(_piece, _encoding, done) {
      accept = done
      if (left-- > 0) setImmediate(done)
      else waiting.resolve()
    },
  })
  stream.pipe(sink)
  return {
    waits: () => waiting.promise,
    take: (pieces: number) => {
      waiting = Promise.withResolvers()
      left = pieces - 1
      accept()
      return waiting.promise
    },
  }
}

t.test('the pace of a reader counts only the time the stream waits for it', async (t) => {
  let nowMs = 0
  const piece = Buffer.alloc(256 * 1024)
  const limits = { idleMs: 600_000, totalMs: 600_000, finish: async () => {}, abandon: () => {} }
  const stuck = streamRows({ ...limits, pieces: Readable.from([piece, piece]).iterator(), now: () => nowMs })
  t.teardown(() => stuck.stream.destroy())
  await createReader(stuck.stream).waits()
  await new Promise(setImmediate)
  nowMs += 29_000
  t.equal(stuck.getPace(), undefined, 'not measured yet')
  nowMs += 1_000
  t.equal(stuck.getPace(), piece.length / 30)
  nowMs += 90_000
  t.equal(stuck.getPace(), 0, 'an old window does not count')

  const source = new Readable({ objectMode: true, read() {} })
  const slowSource = streamRows({ ...limits, pieces: source.iterator(), now: () => nowMs })
  t.teardown(() => slowSource.stream.destroy())
  const received = once(slowSource.stream, 'data')
  source.push(piece)
  await received
  await new Promise(setImmediate)
  nowMs += 3_600_000
  t.equal(slowSource.getPace(), undefined, 'the reader waited, not the stream')
})

t.test('a slow reader is cut when another export needs its connection, and not before', async (t) => {
  let nowMs = 0
  const exports = createTestExports(database.url, { max: 1, now: () => nowMs })
  t.teardown(() => exports.close())
  const open = async (customer: string) => {
    const session = await exports.source.open(customer, sql`select 1`)
    const statement = sql`select repeat('x', 2000) from generate_series(1, 100000)`
    const stream = session.stream([statement], inPieces)
    const failed = once(stream, 'error')
    const reader = createReader(stream)
    await reader.waits()
    return { stream, failed, reader }
  }
  const refusal = (customer: string) => exports.source.open(customer, sql`select 1`).catch((error) => error)
  const fast = await open('acme')
  // 64 pieces of 64 KiB in 60 s.
  for (let turn = 0; turn < 2; turn++) {
    await fast.reader.take(32)
    nowMs += 30_000
  }
  t.match(await refusal('bolt'), { code: 'unavailable' }, 'a reader of 68 KiB/s keeps its connection')
  fast.stream.destroy()
  await allOver()

  const slow = await open('acme')
  nowMs += 3_600_000
  t.equal(slow.stream.destroyed, false, 'nobody else waits')
  t.match(await refusal('acme'), { code: 'quota_exceeded' }, 'the customer itself has to wait')
  const next = await open('bolt')
  t.match((await slow.failed)[0].message, /another one needs its connection, and the client read \d+ KiB\/s/)
  t.equal(exports.source.running, 1)
  t.match(await refusal('cog'), { code: 'unavailable' }, 'a new reader has time')
  next.stream.destroy()
  await allOver()

  const visitor = await open('demo')
  t.match(await refusal('demo'), { code: 'quota_exceeded' })
  nowMs += 60_000
  const another = await open('demo')
  t.match((await visitor.failed)[0].message, /another one needs/, 'visitors of the demo are many clients')
  another.stream.destroy()
  await allOver()
})

t.test('limits exports to two for each customer, and to the pool’s connections in total', async (t) => {
  const { app, ask, readToken, token } = await start(t, { EXPORT_POOL: '4' })
  const two = [await ask(), await ask('/v1/products?format=csv')]
  const third = await ask()
  t.equal(third.response.statusCode, 429)
  const problem = JSON.parse((await third.response.setEncoding('utf8').toArray()).join(''))
  t.match(problem, { code: 'quota_exceeded', 'violated-policies': ['exports'] })
  t.ok(third.response.headers['retry-after'])
  const head = await app.inject({
    method: 'HEAD',
    url: '/v1/products?format=csv',
    headers: { authorization: `Bearer ${token}` },
  })
  t.equal(head.statusCode, 200, 'headers are told all the same')
  const bolt = await readToken('bolt')
  await client.query(`insert into products (customer_id, id, name, brand)
    select 'bolt', id, name, brand from products where customer_id = 'acme'`)
  const held = [await ask('/v1/products?format=csv', bolt), await ask('/v1/products?format=csv', bolt)]
  for (const { response } of held) t.equal(response.statusCode, 200)
  const full = await ask('/v1/products?format=csv', await readToken('third'))
  t.equal(full.response.statusCode, 503)
  t.ok(full.response.headers['retry-after'])
  full.response.resume()
  const heads = await app.inject({
    method: 'HEAD',
    url: '/v1/products?format=csv',
    headers: { authorization: `Bearer ${bolt}` },
  })
  t.equal(heads.statusCode, 200, 'HEAD needs no connection of exports')
  const page = await app.inject({ url: '/v1/products', headers: { authorization: `Bearer ${bolt}` } })
  t.equal(page.statusCode, 200, 'pages have connections of their own')
  for (const { sent } of [...two, ...held]) sent.destroy()
  await allOver()
  const again = await ask()
  t.equal(again.response.statusCode, 200, 'then there is room again')
  again.sent.destroy()
  await allOver()
})

t.test('a customer uses at most half of the connections, but at least one', async (t) => {
  for (const [max, share] of [
    [1, 1],
    [3, 1],
    [5, 2],
  ] as const) {
    const exports = createTestExports(database.url, { max })
    t.teardown(() => exports.close())
    const open = () => exports.source.open('acme', sql`select 1`)
    const sessions = await Promise.all(Array.from({ length: share }, open))
    await t.rejects(open(), { code: 'quota_exceeded', extras: { headers: { 'retry-after': '5' } } }, `${max}`)
    for (const session of sessions) await session.close()
    await (await open()).close()
  }
})

t.test('the demo has one export at a time for all addresses', async (t) => {
  await addCustomer(database, 'demo')
  await client.query(`insert into products (customer_id, id, name, brand)
    select 'demo', id, name, brand from products where customer_id = 'acme'`)
  const { ask } = await start(t, { TRUSTED_PROXIES: '127.0.0.1,::1', EXPORT_POOL: '4' })
  const from = (address: string) =>
    ask('/v1/products?format=csv', 'cda_demo_public', {
      'x-forwarded-for': address,
      'x-forwarded-proto': 'https',
    })
  const [first, second] = [await from('192.0.2.1'), await from('192.0.2.2')]
  t.same([first.response.statusCode, second.response.statusCode], [200, 429])
  for (const { sent } of [first, second]) sent.destroy()
  await allOver()
  const again = await from('192.0.2.2')
  t.equal(again.response.statusCode, 200)
  again.sent.destroy()
  await allOver()
})
