import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { answerClientError } from '../../app/http/client-error.ts'
import { createConnections } from '../../app/http/connections.ts'
import { listenOn } from '../../app/http/listen.ts'
import { createListener } from '../../app/http/listener.ts'
import { makeCertificate } from '../api/sockets.ts'
import { until } from '../helper.ts'
import { freePort } from '../servers.ts'

const host = '127.0.0.1'
const { key: keyFile, cert: certFile, remove } = makeCertificate('rsa')
t.teardown(remove)
const tls = { certFile, keyFile }

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const start = async (
  t: Test,
  handler: Handler,
  { isTls = false, maxConnections = 1_000, keepAliveTimeoutMs = 72_000, requestTimeout = 30_000 } = {},
) => {
  let refusals = 0
  const connections = createConnections({
    max: maxConnections,
    mostOfNetwork: maxConnections,
    toNetwork: () => undefined,
    onEnd: () => {
      refusals += 1
    },
  })
  const options = { maxHeaderBytes: 16_384, keepAliveTimeoutMs, connections }
  const listen = createListener({ tls: isTls ? tls : undefined, ...options })
  const server = listen(handler)
  Object.assign(server, { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 20 })
  server.on('tlsClientError', () => {})
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    answerClientError(error, socket, 'http://a', () => ({})),
  )
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const open = async (): Promise<Socket> => {
    const options = { port, host, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
    const socket = isTls ? connectTls(options) : connect(options)
    sockets.push(socket.on('error', () => {}))
    await once(socket, isTls ? 'secureConnect' : 'connect')
    return socket
  }
  const countRefusals = () => refusals
  return { server, port, open, sockets, countRefusals }
}

const whenClosed = (connection: Socket | ClientHttp2Session) =>
  new Promise<void>((resolve) => connection.once('close', resolve))

const head = 'GET / HTTP/1.1\r\nHost: a\r\n'
const countAnswers = (received: string) => received.split('HTTP/1.1 200').length - 1

t.test('an idle connection is closed after the time of keep-alive', async (t) => {
  const { port, open } = await start(t, (_, response) => void response.end('x'), { keepAliveTimeoutMs: 300 })
  t.ok(port)
  const socket = await open()
  const closed = whenClosed(socket)
  socket.write(`${head}\r\n`)
  const [answer] = await once(socket, 'data')
  t.match(String(answer), /\r\nKeep-Alive: timeout=0\r\n/)
  await closed
})

for (const isTls of [false, true]) {
  const name = isTls ? 'over TLS' : 'in plain'
  t.test(`the time of keep-alive cuts no answer that waits for its next row, ${name}`, async (t) => {
    const held: ServerResponse[] = []
    const long = Buffer.alloc(8 * 1024 * 1024)
    const answer: Handler = ({ url }, response) => {
      if (url !== '/rows') return void response.end(url === '/long' ? long : 'x')
      response.write('row 1;')
      held.push(response)
    }
    const { open } = await start(t, answer, { isTls, keepAliveTimeoutMs: 50 })
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    const received = ['', '', '', '']
    for (const [index, requests] of [
      get('/rows'),
      get('/short') + get('/rows'),
      get('/long') + get('/rows'),
      get('/long') + get('/long') + get('/rows'),
    ].entries()) {
      const client = await open()
      // Reads slowly at first.
      client.pause().write(requests)
      setTimeout(() => client.resume(), 30)
      client.on('data', (chunk) => {
        received[index] = `${received[index]}${chunk.toString('latin1')}`.slice(-1_000)
      })
    }
    await until('all have their first row', () => received.every((text) => text.includes('row 1;')))
    // Node adds a second to the time of keep-alive.
    await delay(1_200)
    for (const response of held) response.end('row 2;')
    await until('all are whole', () => received.every((text) => text.endsWith('row 2;\r\n0\r\n\r\n')))
  })

  t.test(`handles 16 unanswered requests of a connection and reads no more, ${name}`, async (t) => {
    const held: ServerResponse[] = []
    let isHolding = true
    const { server, open } = await start(
      t,
      (_, response) => void (isHolding ? held.push(response) : response.end('x')),
      { isTls },
    )
    const arrived = once(server, isTls ? 'secureConnection' : 'connection')
    const client = await open()
    const [theirs] = (await arrived) as [Socket]
    let received = ''
    client.on('data', (chunk) => {
      received += chunk
    })
    // 16 MB, more than the buffers of both sides hold.
    const count = 2_000
    client.write(`${head}X: ${'x'.repeat(8_000)}\r\n\r\n`.repeat(count))
    await until('it stops reading', () => theirs.isPaused() && held.length === 16)

    const answering = (await open()).setEncoding('latin1')
    answering.write(`${head}\r\n`)
    await until('another connection is read', () => held.length === 17)
    held.pop()?.end('x')
    t.match((await once(answering, 'data'))[0], 'HTTP/1.1 200')
    t.equal(held.length, 16)
    t.ok(theirs.bytesRead < 300_000, `${theirs.bytesRead} bytes are read`)

    // Node resumes the socket after each answer.
    for (const response of held.splice(0, 4)) response.end('x')
    await until('others are handled', () => held.length === 15 && countAnswers(received) === 4)
    isHolding = false
    for (const response of held) response.end('x')
    await until('all are answered', () => countAnswers(received) === count)
  })
}

t.test('a request that the service has not read yet does not time out', async (t) => {
  const held: ServerResponse[] = []
  const hold: Handler = (_, response) => {
    response.write('begun;')
    held.push(response)
  }
  const { server, open } = await start(t, hold, { requestTimeout: 100 })
  const client = await open()
  let received = ''
  client.on('data', (chunk) => {
    received += chunk
  })
  const timedOut = once(server, 'clientError')
  client.write(`${head}\r\n`.repeat(16) + head)
  const [{ code }] = await timedOut
  t.equal(code, 'ERR_HTTP_REQUEST_TIMEOUT')
  client.write('\r\n')
  await until('all are answered', () => {
    for (const response of held.splice(0)) response.end('x')
    return countAnswers(received) === 17
  })
})

t.test('while answers wait for the client, at most two requests are handled, and later all', async (t) => {
  let handled = 0
  const long = Buffer.alloc(8 * 1024 * 1024)
  const { open } = await start(t, (_, response) => {
    handled += 1
    response.end(long)
  })
  const client = await open()
  client.pause().write(`${head}\r\n`.repeat(10))
  await until('the first ones are handled', () => handled === 2)
  await delay(20)
  t.equal(handled, 2)
  let bytes = 0
  client.on('data', (chunk) => {
    bytes += chunk.length
  })
  client.resume()
  await until('all arrive', () => bytes > 10 * long.length)
  t.equal(handled, 10)
})

t.test('a connection with more than 1,000 unanswered requests is closed', async (t) => {
  let handled = 0
  const { open } = await start(t, () => {
    handled += 1
  })
  const client = await open()
  const closed = whenClosed(client)
  client.write('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_400))
  await closed
  t.ok(handled <= 16, `${handled} are handled`)
})

t.test('above the limit a new connection replaces the oldest idle one', async (t) => {
  const held: ServerResponse[] = []
  const { open, sockets, countRefusals } = await start(t, (_, response) => void held.push(response), {
    maxConnections: 3,
  })
  const [busy, silent] = [await open(), await open()]
  busy.write(`${head}\r\n`)
  await until('a request waits for its answer', () => held.length === 1)
  const slow = await open()
  slow.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc')
  await until('another one has no complete body', () => held.length === 2)
  t.equal(countRefusals(), 0)

  for (const replaced of [silent, slow]) {
    const closed = whenClosed(replaced)
    const next = await open()
    next.write(`${head}\r\n`)
    await closed
  }
  await until('all three have a request', () => held.length === 4)
  const youngest = whenClosed(sockets.at(-1) as Socket)
  const probe = await open()
  await youngest
  probe.write(`${head}\r\n`)
  await until('a new connection still gets in', () => held.length === 5)
  t.equal(countRefusals(), 3)
  busy.setEncoding('latin1')
  held[0]?.end('x')
  t.match((await once(busy, 'data'))[0], '200')
})

t.test('replaces unfinished TLS handshakes and idle sessions', async (t) => {
  const held: ServerResponse[] = []
  const { server, port, open, sockets } = await start(t, (_, response) => void held.push(response), {
    isTls: true,
    maxConnections: 2,
  })
  const session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false })
  t.teardown(() => session.destroy())
  session.on('error', () => {})
  session
    .request()
    .on('error', () => {})
    .resume()
  await until('a stream waits for its answer', () => held.length === 1)
  const arrived = once(server, 'connection')
  const half = connect(port, host).on('error', () => {})
  sockets.push(half)
  await arrived
  const closed = whenClosed(half)
  const idle = await open()
  await closed
  t.notOk(session.closed, 'the session in use stays')

  const gone = whenClosed(idle)
  const next = await open()
  await gone
  next.write(`${head}\r\n`)
  await until('the new connection is answered', () => held.length === 2)
  await new Promise((resolve) => held[0]?.once('close', resolve).end())
  const ended = whenClosed(session)
  await open()
  await ended
})

const runClient = async (port: number, input: string, ...options: string[]): Promise<string> => {
  const client = spawn('openssl', ['s_client', '-connect', `${host}:${port}`, '-tls1_2', ...options])
  const read = Promise.all([text(client.stdout), text(client.stderr), once(client, 'close')])
  client.stdin.end(input)
  return (await read).slice(0, 2).join('\n')
}

t.test('TLS 1.2 has forward secrecy and authenticated encryption, and no renegotiation', async (t) => {
  const { port } = await start(t, (_, response) => void response.end('x'), { isTls: true })
  const refused = ['AES128-GCM-SHA256', 'AES256-SHA', 'ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384']
  const accepted = ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305']
  const outputs = [...refused, ...accepted].map((cipher) =>
    runClient(port, '', '-alpn', 'h2', '-cipher', cipher),
  )
  const hasAgreed = (await Promise.all(outputs)).map((output) => /^New, TLSv1\.2, Cipher is EC/m.test(output))
  t.same(hasAgreed, [...refused.map(() => false), ...accepted.map(() => true)])
  const output = await runClient(port, 'R\n')
  t.match(output, 'RENEGOTIATING')
  t.match(output, 'no renegotiation')
})

t.test('on localhost a server accepts IPv4 and IPv6, and closes both', async (t) => {
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some((each) => each.address === '::1'),
  )
  const server = createServer((_, response) => void response.end('here'))
  const port = await freePort()
  await listenOn(server, { host: 'localhost', port }, (place) => once(server.listen(place), 'listening'))
  const urls = [`http://127.0.0.1:${port}`, ...(hasIpv6 ? [`http://[::1]:${port}`] : [])]
  const ask = (url: string) => fetch(url, { headers: { connection: 'close' } })
  for (const url of urls) t.equal(await (await ask(url)).text(), 'here', url)
  await new Promise((resolve) => server.close(resolve))
  for (const url of urls) await t.rejects(ask(url), url)
})

const isLinux = process.platform === 'linux'
t.test('on many sockets, several connections are accepted in a turn', { skip: !isLinux }, async (t) => {
  const clients = 64
  const server = createServer((_, response) => void response.end('here'))
  const port = await freePort()
  const listen = (on: typeof server) =>
    listenOn(on, { host, port, sockets: 16 }, (place) => once(on.listen(place), 'listening'))
  await listen(server)
  let accepted = 0
  server.on('connection', () => {
    accepted += 1
  })
  // The kernel completes these before the event loop accepts the first one.
  const sockets = Array.from({ length: clients }, () => connect(port, host))
  let turns = 0
  for (; accepted < clients; turns += 1) await new Promise(setImmediate)
  t.ok(turns < clients / 2, `${turns} turns`)
  await t.rejects(listen(createServer()), { code: 'EADDRINUSE' }, 'another server does not share the port')
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  await t.rejects(fetch(`http://${host}:${port}`))
})
