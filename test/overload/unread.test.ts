import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createListener } from '../../app/http/listener.ts'
import { createAdmission } from '../../app/overload/admission.ts'
import { guardServer } from '../../app/overload/guard.ts'
import { makeCertificate } from '../api/sockets.ts'
import { until } from '../helper.ts'

const { key: keyFile, cert: certFile, remove } = makeCertificate()
t.teardown(remove)

/** More than the buffers of an HTTP/1 connection take while its client reads nothing. */
const long = Buffer.alloc(32 * 1024 * 1024)
/** Over HTTP/2 the client's window is what counts, and Node keeps 10 MB for a session at most. */
const short = Buffer.alloc(100_000)

/** The service's server and guard around answers that take a turn. */
const start = async (t: Test, tls?: { certFile: string; keyFile: string }) => {
  const listen = createListener({
    ...{ tls, maxHeaderBytes: 16_384, answerFast: () => false, unreadTimeoutMs: 400 },
  })
  let answered = 0
  const server = listen((_request, response) => {
    void turn().then(() => {
      answered += 1
      response.end(tls ? short : long)
    })
  })
  const admission = createAdmission({ concurrency: 2, lag: { level: () => 0, looks: () => 0 } })
  guardServer(server as Server, {
    ...{ admission, publicUrl: 'http://api.test', demoToken: 'demo', headers: () => ({}) },
    ...{ onShed: () => t.fail('there is room'), isHeld: () => false },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  /** Whether so many were answered, and none of them takes room. */
  const hasEnded = (count: number) => answered === count && admission.active === 0
  return { server, port, hasEnded }
}

t.test('an answer over HTTP/2 that nobody reads takes no room', async (t) => {
  const { port, hasEnded } = await start(t, { certFile, keyFile })
  const session = connectHttp2(`https://127.0.0.1:${port}`, {
    rejectUnauthorized: false,
    settings: { initialWindowSize: 0 },
  })
  t.teardown(() => session.destroy())
  for (let n = 1; n <= 4; n += 1) {
    const stream = session.request({ ':path': `/v1/products?name=${n}`, authorization: `Bearer ${n}` })
    stream.on('error', () => {})
    await until('it has ended', () => hasEnded(n))
    t.notOk(stream.closed)
  }
})

t.test('nor does one over HTTP/1, and it is given up in the end', async (t) => {
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
