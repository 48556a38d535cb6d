import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import t from 'tap'
import { createListener } from '../../app/http/listener.ts'
import { watchCertificate } from '../../app/running/certificate.ts'
import { until } from '../helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'certdata-tls-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)
const make = (name: string) => {
  const subject = ['-subj', `/CN=${name}`, '-days', '2', '-nodes']
  const files = ['-out', at(`${name}.crt`), '-keyout', at(`${name}.key`)]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, ...files], { stdio: 'ignore' })
}
const install = (name: string, ...kinds: ('crt' | 'key')[]) => {
  for (const kind of kinds) copyFileSync(at(`${name}.${kind}`), at(`live.${kind}`))
}
for (const name of ['first', 'second']) make(name)
install('first', 'crt', 'key')
const files = { certFile: at('live.crt'), keyFile: at('live.key') }

const listen = createListener({ tls: files, maxHeaderBytes: 16_384, answerFast: () => false })
const server = listen((_request, response) => response.end('ok')) as ReturnType<typeof createSecureServer>
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const open: TLSSocket[] = []
t.teardown(() => {
  for (const socket of open) socket.destroy()
  server.close()
})

/** A connection over HTTP/1.1 and whose certificate it got. */
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

t.test('a renewed certificate is taken while connections stay, and half of one is not', async (t) => {
  const said: string[] = []
  const say = (message: string) => said.push(message)
  const watch = watchCertificate({ files, server, everyMs: 20, info: say, warn: say })
  t.teardown(() => watch.stop())
  const before = await meet()
  t.equal(before.name, 'first')

  install('second', 'crt')
  await until('reported', () => said.length === 1)
  t.match(said, ['TLS_CERT and TLS_KEY cannot be taken'])
  t.equal((await meet()).name, 'first', 'the pair does not fit: the former one stays')
  writeFileSync(files.keyFile, 'no key')
  watch.check()
  t.equal((await meet()).name, 'first')

  install('second', 'key')
  await until('taken', () => said.length === 2)
  t.same(said.at(-1), 'the renewed certificate is in use')
  t.equal((await meet()).name, 'second')
  t.equal(await ask(before.socket), 'HTTP/1.1 200 OK', 'who was connected still is')
})
