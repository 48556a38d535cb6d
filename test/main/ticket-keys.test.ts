import { once } from 'node:events'
import type { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { connect, type SecureVersion } from 'node:tls'
import t, { type Test } from 'tap'
import { createSecrets } from '../../app/config/secrets.ts'
import { createListener } from '../../app/http/listener.ts'
import { watchCertificate } from '../../app/main/certificate.ts'
import { ticketKeyAt, ticketPeriodMs } from '../../app/main/ticket-keys.ts'
import { makeCertificate } from '../api/sockets.ts'
import { createTestDatabase, secretKey, until } from '../helper.ts'
import { type Service, startService } from '../service.ts'

const certificates = [makeCertificate(), makeCertificate()] as const
const [first, second] = certificates
t.teardown(() => {
  for (const { remove } of certificates) remove()
})
const versions = ['TLSv1.2', 'TLSv1.3'] as const satisfies SecureVersion[]

/** Connects, asks once, and returns the ticket that came. `isResumed`: whether the server took the one given. */
const visit = async (port: number, version: SecureVersion, session?: Buffer) => {
  const versions = { minVersion: version, maxVersion: version }
  const to = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
  const socket = connect({ ...to, ...versions, ...(session ? { session } : {}) })
  let ticket: Buffer | undefined
  socket.on('session', (received: Buffer) => {
    ticket = received
  })
  await once(socket, 'secureConnect')
  // In TLS 1.3 tickets come after the handshake, before the first answer.
  socket.write('GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [answer] = await once(socket, 'data')
  const isResumed = socket.isSessionReused()
  const name = socket.getPeerCertificate().fingerprint256
  socket.destroy()
  return { isResumed, ticket, name, isReady: String(answer).startsWith('HTTP/1.1 200') }
}

/** A server as an instance has it, with a clock of its own. */
const openInstance = async (t: Test, secret = secretKey) => {
  const secrets = createSecrets([secret])
  const files = { certFile: first.cert, keyFile: first.key }
  const listen = createListener({
    tls: files,
    maxHeaderBytes: 16_384,
    maxConnections: 100,
    unreadTimeoutMs: 60_000,
  })
  const server = listen((_, response) => response.end('ok')) as ReturnType<typeof createSecureServer>
  const clock = { now: Date.parse('2026-11-25T10:00:00Z') }
  const ticketKey = () => ticketKeyAt(secrets, clock.now)
  const say = () => {}
  const watch = watchCertificate({ files, server, ticketKey, everyMs: 3_600_000, info: say, warn: say })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    watch.stop()
    server.close()
  })
  return { ...{ files, clock }, port: (server.address() as AddressInfo).port, check: watch.check }
}

for (const version of versions)
  t.test(`${version}: a ticket is good at every instance with the same secret, for its period`, async (t) => {
    const [a, b] = [await openInstance(t), await openInstance(t)]
    const stranger = await openInstance(t, 'another secret, which is longer than thirty-two characters')
    const { ticket, isResumed } = await visit(a.port, version)
    t.notOk(isResumed, 'nothing to resume yet')
    t.type(ticket, Buffer)
    t.ok((await visit(b.port, version, ticket)).isResumed, 'another instance takes it')
    t.notOk((await visit(stranger.port, version, ticket)).isResumed, 'one with another secret does not')

    b.clock.now += ticketPeriodMs - 1
    b.check()
    t.notOk((await visit(b.port, version, ticket)).isResumed, 'in the next period there is a full handshake')
    const { ticket: next } = await visit(b.port, version)
    t.notOk((await visit(a.port, version, next)).isResumed)
    a.clock.now += ticketPeriodMs
    a.check()
    t.ok((await visit(a.port, version, next)).isResumed, 'instances agree on the next key')
  })

t.test('a renewed certificate leaves tickets good', async (t) => {
  const [a, b] = [await openInstance(t), await openInstance(t)]
  const { ticket, name } = await visit(a.port, 'TLSv1.3')
  Object.assign(b.files, { certFile: second.cert, keyFile: second.key })
  b.check()
  t.not((await visit(b.port, 'TLSv1.3')).name, name, 'the certificate is another one')
  t.ok((await visit(b.port, 'TLSv1.3', ticket)).isResumed)
})

t.test('keys differ by period and secret, and are no other key', async (t) => {
  const secrets = createSecrets([secretKey])
  const at = (ms: number) => ticketKeyAt(secrets, ms).toString('hex')
  t.equal(at(0).length, 96)
  t.equal(at(0), at(ticketPeriodMs - 1))
  t.not(at(0), at(ticketPeriodMs))
  t.equal(
    at(0),
    ticketKeyAt(createSecrets([secretKey, 'a former one']), 0).toString('hex'),
    'the first secret',
  )
})

t.test('instances and workers that run take the tickets of each other', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.close())
  const start = async (env = {}) => {
    const common = {
      DATABASE_URL: database.url,
      SECRET_KEY: secretKey,
      TLS_CERT: first.cert,
      TLS_KEY: first.key,
    }
    const service = await startService({ ...common, ...env })
    t.teardown(() => service.stop('SIGKILL'))
    return service
  }
  const ready = ({ port }: Service) =>
    until(
      'it is ready',
      async () => (await visit(port, 'TLSv1.3').catch(() => undefined))?.isReady === true,
      60_000,
    )
  const [single, workers] = await Promise.all([start(), start({ WEB_CONCURRENCY: '2' })])
  await Promise.all([ready(single), ready(workers)])
  await until('both workers listen', () => workers.output().split('a worker listens').length === 3, 60_000)
  const { ticket } = await visit(single.port, 'TLSv1.3')
  for (let count = 0; count < 4; count += 1)
    t.ok((await visit(workers.port, 'TLSv1.3', ticket)).isResumed, 'a worker, in turn')
  t.notOk((await visit(workers.port, 'TLSv1.3')).isResumed)
})
