import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connect2, constants } from 'node:http2'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { sendStream } from '../../plugins/stream-reply.ts'
import { makeCertificate } from '../api/sockets.ts'

const { key, cert, remove } = makeCertificate()
t.teardown(remove)
const files = { key: readFileSync(key), cert: readFileSync(cert) }

/** Each path sends a line and stays open: `fail` destroys the stream of `/part`, `finish` ends that of `/whole`. */
const start = async (t: Test, options: object = {}) => {
  const streams = new Map<string, Readable>()
  const app = Fastify(options) as FastifyInstance
  app.get('/:name', (request, reply) => {
    const stream = new Readable({ read() {} })
    stream.push(`${request.url}\n`)
    streams.set(request.url, stream)
    return sendStream(stream, request, reply.type('text/plain'), false)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const { port } = app.server.address() as { port: number }
  const fail = () => streams.get('/part')?.destroy(new Error('the database is away'))
  const finish = () => streams.get('/whole')?.push(null)
  return { port, fail, finish }
}

const send = (version: string, coding = 'identity') =>
  `GET /part HTTP/${version}\r\nHost: x\r\nAccept-Encoding: ${coding}\r\n\r\n`

t.test('a failed stream over plain HTTP/1 ends with a TCP reset', async (t) => {
  const { port, fail } = await start(t)
  // With gzip, only the head was sent when the stream fails.
  for (const [version, coding] of [
    ['1.0', 'identity'],
    ['1.1', 'identity'],
    ['1.1', 'gzip'],
  ] as const) {
    const socket = connect(port, '127.0.0.1')
    let hasEnded = false
    socket.on('end', () => {
      hasEnded = true
    })
    socket.write(send(version, coding))
    const [head] = await once(socket.setEncoding('latin1'), 'data')
    t.match(head, /^HTTP\/1\.1 200 /)
    const failed = once(socket, 'error')
    fail()
    const [error] = await failed
    t.equal(error.code, 'ECONNRESET', `HTTP/${version} ${coding}`)
    t.notOk(hasEnded)
  }
})

t.test('a failed stream over TLS ends without the last chunk', async (t) => {
  const { port, fail } = await start(t, { http2: true, https: { ...files, allowHTTP1: true } })
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
  socket.on('error', () => {})
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk
  })
  socket.write(send('1.1'))
  await once(socket, 'data')
  fail()
  await once(socket, 'close')
  t.match(received, /transfer-encoding: chunked/i)
  t.notOk(received.endsWith('0\r\n\r\n'))
})

t.test('a failed stream over HTTP/2 ends with RST_STREAM, and other streams continue', async (t) => {
  const { port, fail, finish } = await start(t, { http2: true, https: files })
  const session = connect2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  t.teardown(() => session.destroy())
  for (const coding of ['identity', 'gzip']) {
    const part = session.request({ ':path': '/part', 'accept-encoding': coding })
    part.on('error', () => {})
    const whole = session.request({ ':path': '/whole' })
    const body = text(whole)
    await Promise.all([once(part, 'response'), once(whole, 'response')])
    fail()
    await t.rejects(part.toArray(), { code: 'ERR_HTTP2_STREAM_ERROR' }, coding)
    t.equal(part.rstCode, constants.NGHTTP2_INTERNAL_ERROR)
    finish()
    t.equal(await body, '/whole\n')
  }
})
