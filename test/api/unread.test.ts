import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2, constants, type Settings } from 'node:http2'
import { connect } from 'node:net'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import Fastify, { type FastifyServerOptions } from 'fastify'
import t, { type Test } from 'tap'
import { createListener } from '../../app/http/listener.ts'
import { makeCertificate } from '../api/sockets.ts'
import { until } from '../helper.ts'

const { key: keyFile, cert: certFile, remove } = makeCertificate()
t.teardown(remove)

/** Exceeds the buffers of an HTTP/1 connection. */
const long = Buffer.alloc(32 * 1024 * 1024)
/** Exceeds the client's window of HTTP/2. */
const short = Buffer.alloc(1_000_000)

const unreadTimeoutMs = 400

/** The listener of the service with a router that answers asynchronously. */
const start = async (
  t: Test,
  tls?: { certFile: string; keyFile: string },
  times: { unreadTimeoutMs?: number } = {},
) => {
  const listen = createListener({
    ...{ tls, maxHeaderBytes: 16_384, maxConnections: 100, unreadTimeoutMs, keepAliveTimeoutMs: 400 },
    ...times,
  })
  let answered = 0
  const held = Promise.withResolvers<void>()
  let server = {} as ReturnType<typeof listen>
  const serverFactory = (handle: Parameters<typeof listen>[0]) => {
    server = listen(handle)
    return server
  }
  const app = Fastify({ serverFactory, ...(tls ? { http2: true } : {}) } as FastifyServerOptions)
  app.get('/v1/held', () => held.promise)
  app.all('*', async () => {
    await turn()
    answered += 1
    return tls ? short : long
  })
  await app.ready()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    held.resolve()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const hasEnded = (count: number) => answered === count
  return { server, port, hasEnded }
}

/** A session that sends pings, so that its connection is never idle. */
const openPinging = async (t: Test, port: number, settings: Settings = {}) => {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, settings })
  const pinging = setInterval(() => {
    if (!session.destroyed) session.ping(() => {})
  }, 20)
  t.teardown(() => {
    clearInterval(pinging)
    session.destroy()
  })
  session.on('error', () => {})
  // Listens from the start, because GOAWAY may arrive before the test waits for it.
  const told = new Promise<number>((resolve) => session.once('goaway', resolve))
  await once(session, 'remoteSettings')
  return Object.assign(session, { whenTold: told })
}
const request = (session: ClientHttp2Session, headers: Record<string, string>, endStream = true) => {
  const stream = session.request(headers, { endStream })
  stream.on('error', () => {})
  const closed = new Promise<void>((resolve) => stream.once('close', resolve))
  return Object.assign(stream, { whenClosed: closed })
}

t.test('an unread answer over HTTP/1 is cancelled', async (t) => {
  const { server, port, hasEnded } = await start(t)
  for (let n = 1; n <= 4; n += 1) {
    const arrived = once(server, 'connection')
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    const [theirs] = await arrived
    const closed = once(theirs, 'close')
    socket.pause()
    socket.write(`GET /v1/products?name=${n} HTTP/1.1\r\nHost: here\r\n\r\n`)
    await until('it has ended', () => hasEnded(n))
    await closed
  }
})

t.test('an unread answer over HTTP/2 is cancelled, even if the client keeps sending', async (t) => {
  const { port, hasEnded } = await start(t, { certFile, keyFile })
  const session = await openPinging(t, port, { initialWindowSize: 0 })
  const stream = request(session, { ':path': '/v1/products' })
  await until('it has ended', () => hasEnded(1))
  await stream.whenClosed
  t.equal(stream.rstCode, constants.NGHTTP2_CANCEL)
  t.notOk(session.closed, 'and the session goes on')
})

t.test('an answer that is read slowly is not cancelled', async (t) => {
  const { port } = await start(t, { certFile, keyFile })
  const readSlowly = async () => {
    const stream = request(await openPinging(t, port), { ':path': '/v1/products' })
    const startedAt = performance.now()
    let sizeBytes = 0
    try {
      for await (const chunk of stream) {
        sizeBytes += chunk.length
        await delay(150)
      }
    } catch {
      // The server closed the stream.
    }
    return { sizeBytes, ms: performance.now() - startedAt }
  }
  let read = await readSlowly()
  // On a busy machine, this client may read as slowly as one that is cut.
  for (let tries = 1; tries < 3 && read.sizeBytes < short.length; tries += 1) read = await readSlowly()
  t.equal(read.sizeBytes, short.length)
  t.ok(read.ms > 3 * unreadTimeoutMs)
})

t.test('closes an idle session after the time of keep-alive, but not one with a slow answer', async (t) => {
  const { server, port } = await start(t, { certFile, keyFile }, { unreadTimeoutMs: 3_600_000 })
  const opened = once(server, 'session')
  const waiting = await openPinging(t, port)
  const [theirs] = await opened
  t.equal(theirs.listenerCount('timeout'), 0, 'pings do not hide a timeout of Node')
  request(waiting, { ':path': '/v1/held' })
  const [idle, other] = [await openPinging(t, port), await openPinging(t, port)]
  t.equal(await idle.whenTold, constants.NGHTTP2_NO_ERROR)
  await other.whenTold
  t.notOk(waiting.closed)
})

t.test('requests whose bodies never arrive are cancelled', async (t) => {
  const { port, hasEnded } = await start(t, { certFile, keyFile })
  const session = await openPinging(t, port)
  const posts = [1, 2, 3, 4].map((n) => {
    const authorization = `Basic ${n}`
    const headers = { ':method': 'POST', ':path': '/v1/auth/login', 'content-type': 'application/json' }
    return request(session, { ...headers, authorization }, false)
  })
  const answered = request(session, { ':path': '/v1/products' })
  await once(answered, 'response')
  t.ok(hasEnded(1))
  answered.close()
  await Promise.all(posts.map(({ whenClosed }) => whenClosed))
  t.same(new Set(posts.map(({ rstCode }) => rstCode)), new Set([constants.NGHTTP2_CANCEL]))
  await session.whenTold
})
