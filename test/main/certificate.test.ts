import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import t from 'tap'
import { createConnections } from '../../app/http/connections.ts'
import { createListener } from '../../app/http/listener.ts'
import { watchCertificate } from '../../app/main/certificate.ts'
import { until } from '../helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'certdata-tls-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)
const make = (name: string, days = 2) => {
  const subject = ['-subj', `/CN=${name}`, '-days', String(days), '-nodes']
  const files = ['-out', at(`${name}.crt`), '-keyout', at(`${name}.key`)]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, ...files], { stdio: 'ignore' })
}
const getEnd = (name: string) => Date.parse(new X509Certificate(readFileSync(at(`${name}.crt`))).validTo)
const install = (name: string, ...kinds: ('crt' | 'key')[]) => {
  for (const kind of kinds) copyFileSync(at(`${name}.${kind}`), at(`live.${kind}`))
}
make('first')
make('second', 3)
install('first', 'crt', 'key')
const files = { certFile: at('live.crt'), keyFile: at('live.key') }

const unbounded = () => createConnections({ max: 100, mostOfNetwork: 100, toNetwork: () => undefined })
const listen = createListener({
  tls: files,
  maxHeaderBytes: 16_384,
  keepAliveTimeoutMs: 72_000,
  connections: unbounded(),
})
const server = listen((_request, response) => response.end('ok')) as ReturnType<typeof createSecureServer>
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const open: TLSSocket[] = []
t.teardown(() => {
  for (const socket of open) socket.destroy()
  server.close()
})

const meet = async () => {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  open.push(socket)
  await once(socket, 'secureConnect')
  return { socket, name: socket.getPeerCertificate().subject.CN }
}
const ask = async (socket: TLSSocket) => {
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [chunk] = await once(socket, 'data')
  return String(chunk).slice(0, 15)
}

t.test('loads a renewed certificate while connections stay open, but not half of one', async (t) => {
  const said: string[] = []
  const say = (message: string) => said.push(message)
  const watch = watchCertificate({ files, server, everyMs: 20, info: say, warn: say })
  t.teardown(() => watch.stop())
  const before = await meet()
  t.equal(before.name, 'first')
  t.equal(watch.endsAt(), getEnd('first'))

  install('second', 'crt')
  await until('reported', () => said.length === 1)
  t.match(said, ['TLS_CERT and TLS_KEY cannot be used'])
  t.equal((await meet()).name, 'first', 'the pair does not fit: the former one stays')
  t.equal(watch.endsAt(), getEnd('first'), 'and its end is what is told')
  writeFileSync(files.keyFile, 'no key')
  watch.check()
  t.equal((await meet()).name, 'first')
  install('first', 'crt', 'key')
  watch.check()
  install('second', 'crt')
  watch.check()
  t.equal(said.length, 2, 'a second fault is reported after the first was repaired')

  install('second', 'key')
  await until('taken', () => said.length === 3)
  t.same(said.at(-1), 'the renewed certificate is in use')
  t.equal((await meet()).name, 'second')
  const weak = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA' } as const
  const refused = once(
    connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...weak }),
    'secureConnect',
  )
  await t.rejects(refused, /handshake failure/, 'the ciphers stay')
  t.equal(watch.endsAt(), getEnd('second'))
  t.equal(await ask(before.socket), 'HTTP/1.1 200 OK', 'who was connected still is')
})

t.test('notices a folder that an orchestrator replaces as a whole', async (t) => {
  const swap = (name: string) => {
    mkdirSync(at(`folder-${name}`))
    for (const kind of ['crt', 'key']) copyFileSync(at(`${name}.${kind}`), at(`folder-${name}/tls.${kind}`))
    symlinkSync(`folder-${name}`, at('..data_new'))
    renameSync(at('..data_new'), at('..data'))
  }
  swap('first')
  for (const kind of ['crt', 'key']) symlinkSync(`..data/tls.${kind}`, at(`tls.${kind}`))
  const linked = { certFile: at('tls.crt'), keyFile: at('tls.key') }
  const said: string[] = []
  const say = (message: string) => said.push(message)
  const options = { files: linked, server, everyMs: 60_000 }
  const watch = watchCertificate({ ...options, info: say, warn: say })
  t.teardown(() => watch.stop())
  swap('second')
  watch.check()
  t.same(said, ['the renewed certificate is in use'])
  t.equal(watch.endsAt(), getEnd('second'))
})

t.test('a certificate and key that do not match stop the start, naming the variables', async (t) => {
  const half = { certFile: at('first.crt'), keyFile: at('second.key') }
  const rest = { maxHeaderBytes: 16_384, keepAliveTimeoutMs: 72_000, connections: unbounded() }
  for (const tls of [half, { ...half, keyFile: at('missing.key') }])
    t.throws(() => createListener({ tls, ...rest })(() => {}), /TLS_CERT and TLS_KEY cannot be taken: /)
})
