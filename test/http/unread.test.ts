import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect as connectHttp2, constants, type ServerHttp2Session, type Settings } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { type ConnectionsOptions, createConnections } from '../../app/http/connections.ts'
import { createListener } from '../../app/http/listener.ts'
import { patience } from '../../app/http/unread.ts'
import { countSent } from '../../app/wire/node.ts'
import { makeCertificate } from '../api/sockets.ts'
import { until } from '../helper.ts'

const { key: keyFile, cert: certFile, remove } = makeCertificate()
t.teardown(remove)

/** Exceeds the buffers of the system on both sides. */
const long = Buffer.alloc(32 * 1024 * 1024)
/** Exceeds a window. Node refuses new streams of a session that holds 10 MB. */
const short = Buffer.alloc(400 * 1024)
const host = '127.0.0.1'

const bodies: Readonly<Record<string, Buffer>> = { '/long': long, '/short': short }

type StartOptions = Partial<Omit<ConnectionsOptions, 'now'>> & { isTls?: boolean }

/** The service's listener, whose clock stands still and which sweeps only in `pass`. */
const start = async (t: Test, { isTls = false, ...options }: StartOptions = {}) => {
  let nowMs = 0
  const max = options.max ?? 100
  const connections = createConnections({
    max,
    mostOfNetwork: max,
    toNetwork: () => undefined,
    ...options,
    patience: { ...options.patience, sweepMs: 1_000_000 },
    now: () => nowMs,
  })
  const tls = isTls ? { certFile, keyFile } : undefined
  const held: ServerResponse[] = []
  const server = createListener({
    tls,
    maxHeaderBytes: 16_384,
    keepAliveTimeoutMs: 72_000,
    connections,
  })(({ url }: IncomingMessage, response: ServerResponse) => {
    if (url === '/held') held.push(response)
    else response.end(bodies[url ?? ''] ?? 'x')
  })
  const theirs: Socket[] = []
  server.on('connection', (socket: Socket) => theirs.push(socket))
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.teardown(() => {
    for (const socket of theirs) socket.destroy()
    server.close()
  })
  /** Opens an HTTP/1.1 connection that does not read. Resolves with both of its ends. */
  const open = async ({ localAddress = host } = {}) => {
    const arrived = once(server, isTls ? 'secureConnection' : 'connection')
    const place = { port, host, localAddress }
    const client = isTls
      ? connectTls({ ...place, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
      : connect(place)
    client.on('error', () => {}).pause()
    t.teardown(() => client.destroy())
    await arrived
    return { client, served: theirs.at(-1) as Socket }
  }
  const ask = (client: Socket, path: string, count = 1) =>
    client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count))
  /** Requests a long answer and waits until no buffer of the system takes more of it. */
  const stall = async (localAddress = host) => {
    const connection = await open({ localAddress })
    ask(connection.client, '/long')
    await untilBlocked(connection.served)
    return connection
  }
  const pass = (ms: number) => {
    nowMs += ms
    connections.sweep()
  }
  const countEnded = (reason: string) => connections.figures().ended.get(reason)
  return { server, port, theirs, held, open, ask, stall, pass, countEnded }
}

const untilBlocked = async (socket: Socket): Promise<void> => {
  let last = -1
  await until('the client’s system takes no more', () => {
    const { accepted, queued } = countSent(socket) ?? { accepted: 0, queued: 0 }
    const isBlocked = queued > 0 && accepted === last
    last = accepted
    return isBlocked
  })
}

const isOpen = ({ served }: { served: Socket }) => !served.destroyed

for (const isTls of [false, true]) {
  const name = isTls ? 'over TLS' : 'in plain'
  t.test(`an unread answer ends its connection after a minute, ${name}`, async (t) => {
    const { stall, ask, pass, countEnded } = await start(t, { isTls })
    const stalled = await stall()
    pass(0)
    ask(stalled.client, '/held')
    pass(59_000)
    t.ok(isOpen(stalled), 'after 59 s it is open')
    pass(1_000)
    t.notOk(isOpen(stalled), 'another request does not help')
    t.equal(countEnded('unread'), 1)
  })

  t.test(`pipelined answers that are never read end, ${name}`, async (t) => {
    const { open, ask, pass } = await start(t, { isTls })
    const stalled = await open()
    ask(stalled.client, '/long', 40)
    await untilBlocked(stalled.served)
    pass(0)
    pass(60_000)
    t.notOk(isOpen(stalled))
  })
}

t.test(
  'at the limit an unread answer ends after 10 s, and with room a pause of 15 s is no fault',
  async (t) => {
    const { stall, open, pass } = await start(t, { max: 3 })
    const [first, second] = [await stall(), await stall()]
    pass(0)
    pass(15_000)
    t.ok(isOpen(first) && isOpen(second))
    const accepted = countSent(second.served)?.accepted ?? 0
    second.client.resume()
    await until('it reads on', () => (countSent(second.served)?.accepted ?? 0) > accepted + 1_000_000)
    pass(1_000)
    await open()
    pass(0)
    t.notOk(isOpen(first))
    t.ok(isOpen(second), 'another one that has just read stays')
  },
)

t.test('a new connection replaces the one without progress for longest', async (t) => {
  const { stall, open, pass } = await start(t, { max: 3 })
  const first = await stall()
  pass(0)
  pass(5_000)
  const second = await stall()
  pass(0)
  pass(12_000)
  const idle = await open()
  t.ok([first, second, idle].every(isOpen))
  await open()
  t.same([first, second, idle].map(isOpen), [false, true, true])
  await open()
  t.same([second, idle].map(isOpen), [false, true])
  await open()
  t.notOk(isOpen(idle), 'then the oldest idle one')
})

t.test('an honest reader is not cut, however slow, but one that takes a few bytes is', async (t) => {
  const { stall, pass } = await start(t)
  const { client, served } = await stall()
  pass(0)
  for (let minute = 0; minute < 4; minute += 1) {
    const before = countSent(served)?.accepted ?? 0
    client.resume()
    await until('it has read', () => (countSent(served)?.accepted ?? 0) > before + 1_000_000)
    client.pause()
    await untilBlocked(served)
    pass(59_000)
  }
  t.notOk(served.destroyed)
  for (let second = 0; second < 59; second += 1) {
    client.read(1)
    pass(1_000)
  }
  t.notOk(served.destroyed)
  pass(1_000)
  t.ok(served.destroyed)
})

t.test('waiting requests and idle connections without unsent bytes are never stalled', async (t) => {
  const { open, ask, held, pass } = await start(t, { max: 2 })
  const [poll, idle] = [await open(), await open()]
  ask(poll.client, '/held')
  await until('a request waits', () => held.length === 1)
  for (let hour = 0; hour < 3; hour += 1) pass(3_600_000)
  t.ok(isOpen(poll) && isOpen(idle))
  held[0]?.write(': a heartbeat\n\n')
  pass(3_600_000)
  t.ok(isOpen(poll))
  held[0]?.write(long)
  await untilBlocked(poll.served)
  pass(0)
  pass(10_000)
  t.notOk(isOpen(poll), 'but a stream whose events are not read is')
})

t.test('a network holds its share, and its new connections replace its own', async (t) => {
  const toNetwork = (address: string) => (address === '127.0.0.2' ? 'two' : undefined)
  const { open, ask, held, countEnded } = await start(t, { max: 100, mostOfNetwork: 2, toNetwork })
  const two = { localAddress: '127.0.0.2' }
  const others = [await open(), await open(), await open()]
  const [idle, busy] = [await open(two), await open(two)]
  ask(busy.client, '/held')
  await until('a request waits', () => held.length === 1)
  const third = await open(two)
  await until('the idle one is replaced', () => !isOpen(idle))
  t.ok(isOpen(busy) && isOpen(third))
  ask(third.client, '/held')
  await until('both wait', () => held.length === 2)
  const fourth = await open(two)
  await until('the new one is closed', () => !isOpen(fourth))
  t.ok(isOpen(busy) && isOpen(third))
  t.ok(others.every(isOpen))
  t.equal(countEnded('network'), 2)
})

t.test('unsent bytes of all connections are bounded: who took none for longest ends first', async (t) => {
  const { stall, open, ask, held, pass, countEnded } = await start(t, {
    patience: { mostUnsentBytes: 50 * 1024 * 1024 },
  })
  const first = await stall()
  pass(1_000)
  const second = await stall()
  pass(1_000)
  t.same([isOpen(first), isOpen(second)], [false, true])
  second.client.destroy()
  await until('it has left', () => !isOpen(second))

  const behind = [await open(), await open()]
  for (const { client } of behind) {
    ask(client, '/held')
    ask(client, '/long')
  }
  await until('both requests wait', () => held.length === 2)
  await until('answers wait behind them', () => {
    pass(0)
    return !behind.every(isOpen)
  })
  t.ok(behind.some(isOpen))
  t.equal(countEnded('memory'), 2)
})

t.test('while all connections are stalled or in use, a health check gets in', async (t) => {
  const { stall, open, pass } = await start(t, { max: 6 })
  const stalled: Awaited<ReturnType<typeof stall>>[] = []
  while (stalled.length < 6) stalled.push(await stall())
  pass(0)
  for (let count = 0; count < 20; count += 1) {
    const { client } = await open()
    client.setEncoding('latin1').resume()
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    t.match((await once(client, 'data'))[0], 'HTTP/1.1 200')
  }
  t.equal(stalled.filter(isOpen).length, 5, 'one gave way')
})

/** A session whose client sends PINGs all the time. */
const openSession = async (t: Test, server: { port: number }, settings: Settings = {}) => {
  const session = connectHttp2(`https://${host}:${server.port}`, {
    rejectUnauthorized: false,
    maxOutstandingPings: 1_000,
    settings,
  })
  const pinging = setInterval(() => {
    for (let count = 0; count < 20; count += 1) if (!session.destroyed) session.ping(() => {})
  }, 5)
  const closed = new Promise<void>((resolve) => session.once('close', resolve))
  t.teardown(() => {
    clearInterval(pinging)
    session.destroy()
  })
  session.on('error', () => {})
  await once(session, 'remoteSettings')
  const ask = (path: string, headers = {}, endStream = true) => {
    const stream = session.request({ ':path': path, ...headers }, { endStream })
    stream.on('error', () => {})
    return Object.assign(stream, {
      whenAnswered: new Promise<void>((done) => stream.once('response', () => done())),
      whenClosed: new Promise<void>((done) => stream.once('close', done)),
    })
  }
  return { session, ask, whenClosed: closed }
}

t.test('a stream that a window of 0 holds back ends, and its session if it has no other', async (t) => {
  const service = await start(t, { isTls: true })
  const { pass, held, countEnded } = service
  const other = await openSession(t, service, { initialWindowSize: 0 })
  const single = await openSession(t, service, { initialWindowSize: 0 })
  other.ask('/held')
  const streams = [other.ask('/short'), other.ask('/short'), single.ask('/short')]
  await until('a request waits', () => held.length === 1)
  await Promise.all(streams.map(({ whenAnswered }) => whenAnswered))
  pass(0)
  const sentBefore = countSent(service.theirs[0] as Socket)?.accepted ?? 0
  await until('many PINGs are answered', () => {
    return (countSent(service.theirs[0] as Socket)?.accepted ?? 0) > sentBefore + 3 * patience.leastBytes
  })
  pass(59_000)
  t.ok(streams.every(({ closed }) => !closed))
  pass(1_000)
  await Promise.all(streams.map(({ whenClosed }) => whenClosed))
  t.same(
    streams.map(({ rstCode }) => rstCode),
    streams.map(() => constants.NGHTTP2_CANCEL),
  )
  await single.whenClosed
  t.notOk(other.session.closed, 'a session with a waiting request goes on')
  t.equal(countEnded('unread'), 1)
})

t.test('at the limit, sessions with a window of 0 end after 10 s', async (t) => {
  const service = await start(t, { isTls: true, max: 3 })
  const sessions = []
  for (let count = 0; count < 3; count += 1) {
    const session = await openSession(t, service, { initialWindowSize: 0 })
    await session.ask('/short').whenAnswered
    sessions.push(session)
  }
  service.pass(0)
  service.pass(9_000)
  t.ok(sessions.every(({ session }) => !session.closed))
  service.pass(1_000)
  await Promise.all(sessions.map(({ whenClosed }) => whenClosed))
})

t.test('many answers that a slow line delivers together are not cut', async (t) => {
  const service = await start(t, { isTls: true })
  const { session, ask } = await openSession(t, service, { initialWindowSize: 0 })
  const streams = Array.from({ length: 8 }, () => ask('/short'))
  await Promise.all(streams.map(({ whenAnswered }) => whenAnswered))
  service.pass(0)
  session.setLocalWindowSize(8 * 1024 * 1024)
  let windowBytes = 0
  for (let minute = 0; minute < 3; minute += 1) {
    const before = countSent(service.theirs[0] as Socket)?.accepted ?? 0
    windowBytes += 32 * 1024
    session.settings({ initialWindowSize: windowBytes })
    await until('each stream takes some', () => {
      return (countSent(service.theirs[0] as Socket)?.accepted ?? 0) > before + 8 * 16 * 1024
    })
    service.pass(59_000)
  }
  t.ok(streams.every(({ closed }) => !closed))
})

const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}
const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const greatest = 2 ** 31 - 1

t.test('an HTTP/2 client that never reads its socket is cut, whatever it sends', async (t) => {
  const { server, port, theirs, pass, countEnded } = await start(t, { isTls: true })
  const opened = once(server, 'session') as Promise<[ServerHttp2Session]>
  const client = connectTls({ port, host, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  client.on('error', () => {}).pause()
  t.teardown(() => client.destroy())
  client.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  client.write(frame(4, 0, 0, Buffer.concat([Buffer.from([0, 4]), uint32(greatest)])))
  client.write(frame(8, 0, 0, uint32(greatest - 65_535)))
  // GET, https, and authority and path as literals with indexed names.
  const fields = [
    Buffer.from([0x82, 0x87, 0x01, 1]),
    Buffer.from('a'),
    Buffer.from([0x04, 5]),
    Buffer.from('/long'),
  ]
  client.write(frame(1, 5, 1, Buffer.concat(fields)))
  await opened
  const served = theirs[0] as Socket
  await untilBlocked(served)
  pass(0)
  for (let second = 0; second < 59; second += 1) {
    client.write(frame(6, 0, 0, Buffer.alloc(8)))
    pass(1_000)
  }
  t.notOk(served.destroyed)
  pass(1_000)
  t.ok(served.destroyed)
  t.equal(countEnded('unread'), 1)
})

t.test('a request over HTTP/2 whose body does not arrive in 30 s is cancelled', async (t) => {
  const service = await start(t, { isTls: true })
  const { ask } = await openSession(t, service)
  const post = { ':method': 'POST' }
  const [waiting, answered] = [ask('/held', post, false), ask('/', post, false)]
  await until('one waits', () => service.held.length === 1)
  await answered.resume().whenClosed
  t.pass('an early answer closes its stream')
  service.pass(0)
  service.pass(29_000)
  waiting.write('x')
  t.notOk(waiting.closed)
  service.pass(1_000)
  await waiting.whenClosed
  t.equal(waiting.rstCode, constants.NGHTTP2_CANCEL)
})

t.test('an idle session is closed, but not one with a slow answer', async (t) => {
  const service = await start(t, { isTls: true })
  const [idle, waiting] = [await openSession(t, service), await openSession(t, service)]
  waiting.ask('/held')
  await until('a request waits', () => service.held.length === 1)
  service.pass(0)
  service.pass(71_000)
  t.notOk(idle.session.closed)
  service.pass(1_000)
  await idle.whenClosed
  t.notOk(waiting.session.closed)
})
