import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { closeAfter, createTestApp, createTestDatabase } from '../helper.ts'
import { makeCertificate } from './sockets.ts'

const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
t.teardown(remove)
const database = await createTestDatabase()
const plain = await createTestApp(database)
const secure = await createTestApp(database, { env: { TLS_CERT, TLS_KEY } })
closeAfter(t, plain, secure, database)

/** The service closes 5 s after a refusal. */
const endsWithinMs = 15_000
/** Of a request that never ends. The other kinds must arrive whole within it. */
const timeoutMs = 3_000
/** Well below 5 s, so that a timeout of idle sockets would never pass. */
const sendsEachMs = 400

const line = (target: string, method = 'GET', version = '1.1') =>
  `${method} ${target} HTTP/${version}\r\nHost: x\r\n`
const login = `${line('/v1/auth/login', 'POST')}Content-Type: application/json\r\n`

/** The first bytes of each request that is refused before it is complete, or whose connection changes its use. */
const refused: Readonly<Record<string, [status: number, bytes: string]>> = {
  CONNECT: [405, `${line('example.com:443', 'CONNECT')}\r\n`],
  'an unknown method': [405, `${line('/', 'BREW')}\r\n`],
  'no HTTP': [400, '\x00\x01\r\n\r\n'],
  'an invalid Content-Length': [400, `${line('/')}Content-Length: x\r\n\r\n`],
  'a long head': [431, `${line('/')}X: ${'x'.repeat(40_000)}\r\n`],
  'a version of HTTP': [505, `${line('/', 'GET', '3.0')}\r\n`],
  'a preface of HTTP/2': [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'a head that never ends': [408, line('/')],
  'a body that never ends': [408, `${login}Content-Length: 9\r\n\r\n{`],
  'a long target': [414, `${line(`/${'x'.repeat(9_000)}`)}\r\n`],
  'a long body': [413, `${login}Content-Length: 99999999\r\n\r\n{`],
  'a coded body': [501, `${login}Transfer-Encoding: gzip, chunked\r\n\r\n`],
  'a body of a request without a token': [401, `${line('/v1/none', 'POST')}Content-Length: 99999\r\n\r\n{`],
}

const open = async (port: number, isTls: boolean): Promise<Socket> => {
  const place = { port, host: '127.0.0.1' }
  const socket = isTls
    ? connectTls({ ...place, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    : connect({ ...place, allowHalfOpen: true })
  socket.on('error', () => {})
  await once(socket, isTls ? 'secureConnect' : 'connect')
  return socket
}

/** Sends a byte again and again, whatever it receives. Resolves with the answer and when the service has closed. */
const sendSlowly = async (socket: Socket, bytes: string) => {
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk
  })
  let isClosed = false
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true
      resolve()
    })
  })
  socket.write(bytes)
  const startedAt = performance.now()
  while (!isClosed && performance.now() - startedAt < endsWithinMs) {
    await Promise.race([delay(sendsEachMs), closed])
    if (!isClosed) socket.write('x')
  }
  socket.destroy()
  return { status: Number(received.slice(9, 12)), isClosed }
}

const listen = async (t: Test, isTls: boolean): Promise<number> => {
  const app = isTls ? secure : plain
  // For the requests that never end.
  Object.assign(app.server, {
    requestTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    connectionsCheckingInterval: 50,
  })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.ok(Number(port) > 0)
  return Number(port)
}

for (const isTls of [false, true]) {
  const name = isTls ? 'over TLS' : 'in plain'
  t.test(`a client that sends slowly after a refusal loses its connection, ${name}`, async (t) => {
    const port = await listen(t, isTls)
    await Promise.all(
      Object.entries(refused).map(async ([kind, [status, bytes]]) => {
        const ended = await sendSlowly(await open(port, isTls), bytes)
        t.same(ended, { status, isClosed: true }, kind)
      }),
    )
  })
}
