import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect,
  constants,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { maxConcurrentStreams } from '../../app/http/listener.ts'
import { makeCertificate } from '../api/sockets.ts'
import { addCustomer, createTestApp, createTestDatabase, logIn, type TestClock, until } from '../helper.ts'

const database = await createTestDatabase()
const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
t.teardown(async () => {
  remove()
  await database.close()
})
const burst = 5
/** Whatever is held has been released by then. */
const longestMs = 1_030
let customers = 0

/** A service of HTTP/2 with a customer that has used up a small quota, and is refused all the time. */
const startService = async (t: Test, clock?: TestClock) => {
  const env = {
    ...{ TLS_CERT, TLS_KEY, METRICS_TOKEN: 'who-measures-has-this' },
    ...{ LIMIT_PREMIUM_BURST: String(burst), LIMIT_PREMIUM_MINUTE: String(burst) },
  }
  const app = await createTestApp(database, { env, ...(clock ? { clock } : {}) })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const sessions: ClientHttp2Session[] = []
  t.teardown(async () => {
    for (const session of sessions) session.destroy()
    await app.close()
  })
  const name = `http2-${++customers}`
  const { token } = await logIn(app, await addCustomer(database, name))
  const { token: neighbour } = await logIn(app, await addCustomer(database, `${name}-neighbour`))
  const { port } = app.server.address() as { port: number }
  const open = async () => {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    session.on('error', () => {})
    sessions.push(session)
    await once(session, 'remoteSettings')
    return session
  }
  const waiting = async () => {
    const { body } = await app.inject({
      url: '/metrics',
      headers: { authorization: 'Bearer who-measures-has-this' },
    })
    return Number(/^certdata_requests_waiting (\d+)$/m.exec(body)?.[1])
  }
  return { app, port, token, neighbour, open, waiting }
}

const startStream = (session: ClientHttp2Session, token: string, path = '/v1/products') => {
  const stream = session.request({ ':path': path, authorization: `Bearer ${token}` })
  stream.on('error', () => {})
  stream.resume()
  return stream
}
/** Asks once; gives the status. */
const ask = async (session: ClientHttp2Session, token: string, path?: string): Promise<number> => {
  const [headers] = await once(startStream(session, token, path), 'response')
  return Number(headers[':status'])
}
const askAtOnce = (session: ClientHttp2Session, token: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => ask(session, token)))

/** From then on it is held: it has been refused more than five times its quota. */
const exhaust = (session: ClientHttp2Session, token: string) => askAtOnce(session, token, 6 * burst)

t.test('held refusals of one connection hold up no other stream of it', async (t) => {
  const { app, token, neighbour, open, waiting } = await startService(t, { offsetMs: 0, isStopped: true })
  const session = await open()
  await exhaust(session, token)
  const held = 100
  const refusals = askAtOnce(session, token, held)
  await until('they are held', () => app.heldRefusals() === held)
  t.equal(await ask(session, neighbour), 200, 'another customer is answered')
  t.equal(await ask(session, token, '/health/live'), 200)
  t.equal(await ask(session, token, '/v1/nothing'), 404, 'and the same one what is no refusal over a quota')
  t.equal(app.heldRefusals(), held, 'while they wait')
  t.equal(await waiting(), 0, 'and take nobody’s place')
  await app.close()
  t.same(new Set(await refusals), new Set([429]))
})

t.test('as many streams as are announced are under way at once; what is more waits for them', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  const session = await open()
  t.equal(session.remoteSettings.maxConcurrentStreams, maxConcurrentStreams)
  await exhaust(session, token)
  const more = 50
  const refusals = askAtOnce(session, token, maxConcurrentStreams + more)
  await until('as many as may be are held', () => app.heldRefusals() === maxConcurrentStreams)
  const other = await open()
  t.equal(await ask(other, token, '/health/live'), 200)
  t.equal(app.heldRefusals(), maxConcurrentStreams)
  clock.offsetMs += longestMs
  await until('the others come', () => app.heldRefusals() === more)
  clock.offsetMs += longestMs
  t.same(new Set(await refusals), new Set([429]))
})

t.test('streams that are reset, and clients that are gone, leave nothing behind', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, neighbour, open, waiting } = await startService(t, clock)
  const gone = Promise.withResolvers<void>()
  const resetting = await open()
  await exhaust(resetting, token)
  app.server.once('session', (session: ServerHttp2Session) => session.once('close', gone.resolve))
  const going = await open()
  let closed = 0
  app.server.on('stream', (stream: ServerHttp2Stream) => {
    stream.once('close', () => {
      closed += 1
    })
  })
  const streams = Array.from({ length: 40 }, () => startStream(resetting, token))
  for (let n = 0; n < 40; n += 1) startStream(going, token)
  await until('they are held', () => app.heldRefusals() === 80)
  for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
  going.destroy()
  await gone.promise
  await until('all streams are closed', () => closed === 80)
  clock.offsetMs += longestMs
  await until('none is held', () => app.heldRefusals() === 0)
  t.equal(await waiting(), 0)
  t.equal(await ask(resetting, neighbour), 200, 'the connection goes on')
  t.equal(await ask(await open(), neighbour), 200)
})

t.test('a service that closes waits for no held refusal of HTTP/2', async (t) => {
  const { app, token, open } = await startService(t, { offsetMs: 0, isStopped: true })
  const session = await open()
  await exhaust(session, token)
  const refusals = askAtOnce(session, token, 20)
  await until('held', () => app.heldRefusals() === 20)
  await app.close()
  t.same(new Set(await refusals), new Set([429]))
  t.equal(app.heldRefusals(), 0)
})

t.test('tokens that are none are held over HTTP/2, too, where the router refuses them', async (t) => {
  const { app, neighbour, open } = await startService(t, { offsetMs: 0, isStopped: true })
  const session = await open()
  t.same(new Set(await askAtOnce(session, 'nobody', 250)), new Set([401]))
  t.equal(app.heldRefusals(), 0)
  const refusals = askAtOnce(session, 'nobody', 10)
  await until('held', () => app.heldRefusals() === 10)
  t.equal(await ask(session, neighbour), 200, 'a good token from the same address is not')
  await app.close()
  t.same(new Set(await refusals), new Set([401]))
})

t.test('HTTP/1.1 over the same TLS is refused at once, and read again later', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, port, token, open } = await startService(t, clock)
  await askAtOnce(await open(), token, burst)
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  t.teardown(() => socket.destroy())
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  const refusals = () => text.split('HTTP/1.1 429').length - 1
  const request = `GET /v1/products HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const enough = 5 * burst + 2
  for (let n = 1; n <= enough; n += 1) {
    socket.write(request)
    await until('refused', () => refusals() === n)
  }
  await until('not read any more', () => app.heldRefusals() === 1)
  socket.write(request)
  t.equal(await ask(await open(), token, '/health/live'), 200)
  t.equal(refusals(), enough)
  clock.offsetMs += longestMs
  await until('read again', () => refusals() === enough + 1)
})
