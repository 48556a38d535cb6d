import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import t from 'tap'
import { createOutbound, createResolve, isPublicAddress, parseTarget } from '../../app/http/outbound.ts'
import { startNameServer } from '../name-server.ts'
import { hostName, makeCertificate, publicAddress, startInternet } from '../outbound.ts'
import { freePort } from '../servers.ts'

/** The time is only reached if a flood is not cut. */
const limits = { headers: {}, body: Buffer.from('{}'), maxBytes: 1_000, timeoutMs: 60_000 }
const url = `https://${hostName}/hook`
const words = (text: string) => text.trim().split(/\s+/)

/** Addresses that no request may use, in a URL or from a name server. */
const hostileAddresses = words(`
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.1.2.3 169.254.0.1
  169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
  192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1
  255.255.255.255 168.63.129.16 :: ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1
  ::ffff:169.254.169.254 ::ffff:8.8.8.8 0:0:0:0:0:ffff:7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:0:127.0.0.1
  64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::8.8.8.8 64:ff9b:1::10.0.0.1 2002:7f00:1::
  2002:a9fe:a9fe::1 2002:808:808::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:db8::1
  3fff::1 2620:4f:8000::1 100::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 febf::1 fec0::1 ff02::1
  ff0e::1 4000::1 0.255.255.255 100.127.255.255 127.255.255.255 169.254.255.255 172.20.10.1 192.0.0.1
  192.0.0.8 192.0.0.170 192.31.196.1 192.52.193.1 192.175.48.1 198.51.100.255 203.0.113.255 224.0.0.251
  232.1.1.1 247.1.2.3 255.255.255.254 169.254.169.123 100.100.100.100 192.168.49.2 ::ffff:192.168.0.1
  ::ffff:100.64.0.1 ::ffff:0.0.0.0 ::ffff:0:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b::192.168.1.1
  64:ff9b:1:ffff::1 2002:c0a8:1::1 2002:a00:1:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:5::1 2001:1ff::1
  2001:db8:ffff::1 3fff:fff::1 100:0:0:1::1 fd12:3456:789a::1 fe80::a9fe:a9fe fed0::1 ff01::1 ff05::2
  ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 1fff::1 0:0:0:0:0:0:0:1 ::2 e000::1 8000::1`)

/** Other spellings of such addresses, and URLs that are not allowed for another reason. */
const hostileUrls = [
  ...words(`
    https://127.1/ https://0x7f.1/ https://0x7f000001/ https://2130706433/ https://017700000001/
    https://0177.0.0.1/ https://127.0.0.1./ https://①②⑦.0.0.1/ https://0/ https://169.254.43518/
    https://[::1]/ https://[::ffff:127.0.0.1]/ https://[fe80::1]/ https://[::]/ http://hooks.example.com/
    ftp://hooks.example.com/ file:///etc/passwd gopher://hooks.example.com/ https://hooks.example.com:8443/
    https://hooks.example.com:80/ https://user@hooks.example.com/ https://user:word@hooks.example.com/
    https://hooks.example.com/#part https://hooks.example.com/# //hooks.example.com/ hooks.example.com https://
    https:/// https://[::1 data:text/html,x javascript:alert(1) https://10.1/ https://0xa.0x1/
    https://0300.0250.1/ https://192.168.257/ https://3232235521/ https://0xA9FEA9FE/
    https://0251.0376.0251.0376/ https://0x7f.0.0.0x1/ https://0x7f.0x1/ https://１２７.0.0.1/
    https://127。0。0。1/ https://%31%32%37.0.0.1/ https://0177.1/ https://4294967295/ https://0.0.0.0/
    https://255.255.255.255/ https://256.0.0.1/ https://[::ffff:7f00:1]/
    https://[0:0:0:0:0:ffff:a9fe:a9fe]/ https://[fe80::1%25eth0]/ https://[::127.0.0.1]/
    https://[64:ff9b::a00:1]/ https://[2002:a00:1::]/ https://[fd00::1]/ https://[ff02::1]/
    https://[2001:db8::1]/ https://[::1]:443/ https://[::ffff:169.254.169.254]/ HTTP://hooks.example.com/
    ws://hooks.example.com/ wss://hooks.example.com/ https:hooks.example.com:1/ https://@hooks.example.com:444/
    https://10.0.0.1@hooks.example.com/ https://:x@hooks.example.com/ https://hooks.example.com@10.0.0.1/
    https://hooks.example.com:0/ https://hooks.example.com:65536/`),
  '',
  'https://a b/',
  `https://hooks.example.com/${'x'.repeat(2_000)}`,
]

/** `parseTarget` accepts these; only the look-up refuses them. */
const hostileNames = ['localhost', 'a.localhost', 'hooks.localhost.', '127.0.0.1..', '10.0.0.1.example.com']

t.test(`classifies ${hostileAddresses.length} addresses as not public, and a few as public`, (t) => {
  for (const address of hostileAddresses) t.notOk(isPublicAddress(address), address)
  for (const address of [...words('fe80::1%eth0 2606:4700::1%eth0 010.8.8.8 localhost 1.2.3 8.8.8.8/32'), ''])
    t.notOk(isPublicAddress(address), address)
  const open =
    words(`${publicAddress} 8.8.8.8 1.1.1.1 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 9.255.255.255
    11.0.0.1 2606:4700:4700::1111 2a00:1450:4001::1`)
  for (const address of open) t.ok(isPublicAddress(address), address)
  t.end()
})

t.test(`${hostileUrls.length} URLs are refused before any look-up`, async (t) => {
  const internet = await startInternet()
  t.teardown(internet.close)
  for (const each of hostileUrls) {
    t.throws(() => parseTarget(each), /expected|private/, each.slice(0, 60))
    await t.rejects(internet.outbound(each, limits), /expected|private/)
  }
  t.match(internet, { lookups: 0, connections: [], requests: 0 })
  t.equal(parseTarget('https://hooks.example.com:443/x?y=1').href, 'https://hooks.example.com/x?y=1')
})

t.test('a name with an address that is not public gets no connection', async (t) => {
  const internet = await startInternet()
  t.teardown(internet.close)
  for (const address of hostileAddresses) {
    for (const addresses of [[address], [publicAddress, address], [address, publicAddress]]) {
      internet.addresses = [addresses]
      await t.rejects(internet.outbound(url, limits), /private address/, address)
    }
  }
  internet.addresses = [[]]
  await t.rejects(internet.outbound(url, limits), /no address/)
  t.match(internet, { connections: [], requests: 0 })
})

t.test(
  'a name that changes after the check has no effect: the connection uses the checked address',
  async (t) => {
    const internet = await startInternet()
    t.teardown(internet.close)
    internet.addresses = [[publicAddress, '2606:4700:4700::1111'], ['127.0.0.1']]
    const answer = await internet.outbound(url, limits)
    t.equal(answer.status, 200)
    t.equal(answer.body.toString(), '{}')
    t.equal(internet.lookups, 1)
    t.same(internet.connections, [publicAddress, '2606:4700:4700::1111'])
    await t.rejects(internet.outbound(url, limits), /private address/, 'the next attempt checks again')
    t.equal(internet.requests, 1)
  },
)

t.test('a name server can neither redirect a request to a private address nor delay it', async (t) => {
  const open = { a: publicAddress }
  const publicV6 = { aaaa: [0x26, 6, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11] }
  const ula = { aaaa: [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] }
  const mapped = { aaaa: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1] }
  const chain = Array.from({ length: 12 }, (_, n) => ({ cname: `c${n}.example.com` }))
  const many = Array.from({ length: 1_000 }, (_, n) => ({ a: `93.184.${n >> 8}.${n & 255}` }))
  const server = await startNameServer(t, {
    'private.example.com': { answers: [{ a: '10.0.0.1' }] },
    'mixed.example.com': { answers: [open, { a: '169.254.169.254' }] },
    'six.example.com': { answers: [open, ula] },
    'mapped.example.com': { answers: [open, mapped] },
    'alias.example.com': { answers: [{ cname: 'metadata.example.com' }, { a: '169.254.169.254' }] },
    'chain.example.com': { answers: [...chain, { a: '127.0.0.1' }] },
    'huge.example.com': { answers: [...many, { a: '192.168.0.1' }], isTruncated: true },
    'loop.example.com': { answers: [{ cname: 'loop.example.com' }] },
    'nowhere.example.com': { answers: [] },
    'unknown.example.com': 'unknown',
    'silent.example.com': 'silent',
    'garbage.example.com': 'garbage',
    'xn--bcher-kva.example.com': { answers: [{ a: '10.0.0.1' }] },
    [hostName]: { answers: [...chain, open, publicV6] },
  })
  const internet = await startInternet(createResolve([server]))
  t.teardown(internet.close)
  const refused = ['private', 'mixed', 'six', 'mapped', 'alias', 'chain', 'huge', 'bücher']
  for (const name of refused) {
    await t.rejects(internet.outbound(`https://${name}.example.com/`, limits), /private address/, name)
  }
  for (const name of ['loop', 'nowhere', 'unknown']) {
    await t.rejects(internet.outbound(`https://${name}.example.com/`, limits), /no address/, name)
  }
  for (const name of hostileNames) {
    await t.rejects(internet.outbound(`https://${name}/`, limits), /private|no address/, name)
  }
  const short = { ...limits, timeoutMs: 200 }
  for (const name of ['silent', 'garbage']) {
    const asked = internet.outbound(`https://${name}.example.com/`, short)
    await t.rejects(asked, /within 200 ms|no address/, name)
  }
  t.match(internet, { connections: [], requests: 0 })
  t.equal((await internet.outbound(url, limits)).status, 200, 'and the name of a public address is reached')
  t.same(internet.connections, [publicAddress, '2606:4700:4700::1111'])
})

t.test('no redirect is followed', async (t) => {
  const internet = await startInternet()
  t.teardown(internet.close)
  for (const status of [301, 302, 303, 307, 308, 300]) {
    internet.answer = (_request, response) => void response.writeHead(status, { location: url }).end()
    await t.rejects(internet.outbound(url, limits), /redirect/, `${status}`)
  }
  t.equal(internet.requests, 6)
})

t.test('bounds size and time', async (t) => {
  const internet = await startInternet()
  t.teardown(internet.close)
  internet.answer = (_request, response) => void response.end('x'.repeat(1_001))
  await t.rejects(internet.outbound(url, limits), /more than 1000 bytes/)
  internet.answer = (_request, response) => void response.end('x'.repeat(1_000))
  t.equal((await internet.outbound(url, limits)).body.length, 1_000)
  const short = { ...limits, timeoutMs: 100 }
  internet.answer = () => {}
  await t.rejects(internet.outbound(url, short), /within 100 ms/, 'silence')
  internet.answer = (_request, response) => void response.write('{')
  await t.rejects(internet.outbound(url, short), /within 100 ms/, 'half an answer')
  const silent = createOutbound({ resolve: () => new Promise(() => {}) })
  await t.rejects(silent(url, short), /within 100 ms/, 'a name server that does not answer')
})

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
/** Bytes that a server may send without end, and that are no body. */
const floods: [kind: string, begin: string, again: string][] = [
  ['interim answers', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['empty lines before the answer', '', '\r\n'],
  ['digits of the size of a chunk', chunked, '0'],
  ['trailers', `${chunked}0\r\n`, 'x: y\r\n'],
]

t.test('a flood of bytes outside the body is cut', async (t) => {
  const internet = await startInternet()
  t.teardown(internet.close)
  for (const [kind, begin, again] of floods) {
    let sentBytes = 0
    internet.answer = ({ socket }) => {
      const more = Buffer.from(again.repeat(1_000))
      const flood = () => {
        while (socket.writable && socket.write(more)) sentBytes += more.length
      }
      socket.on('error', () => {}).on('drain', flood)
      socket.write(begin)
      flood()
    }
    await t.rejects(internet.outbound(url, limits), /more than 1000 bytes|Header overflow|aborted/, kind)
    t.ok(sentBytes < 16 * 2 ** 20, `${kind}: ${sentBytes} bytes`)
  }
})

t.test('a flood of TLS tickets is cut', async (t) => {
  const folder = t.testdir()
  const { key, cert } = makeCertificate()
  writeFileSync(join(folder, 'key.pem'), key)
  writeFileSync(join(folder, 'cert.pem'), cert)
  const port = await freePort()
  const words = ['-accept', `127.0.0.1:${port}`, '-tls1_3', '-num_tickets', '3000000']
  const server = spawn('openssl', ['s_server', ...words, '-key', 'key.pem', '-cert', 'cert.pem'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  await new Promise<void>((resolve) => {
    server.stdout.on('data', (text) => String(text).includes('ACCEPT') && resolve())
  })
  class LocalAgent extends Agent {
    override createConnection() {
      return connect({ host: '127.0.0.1', port, servername: hostName, ca: cert })
    }
  }
  const outbound = createOutbound({ agent: new LocalAgent(), resolve: async () => [publicAddress] })
  await t.rejects(outbound(url, limits), /more than 1000 bytes/)
})

t.test('a certificate of an unknown authority gets no request', async (t) => {
  const internet = await startInternet()
  t.teardown(internet.close)
  internet.isTrusted = false
  await t.rejects(internet.outbound(url, limits), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  t.match(internet, { connections: [publicAddress], requests: 0 })
})

t.test('the certificate must match the name, and headers and bodies arrive', async (t) => {
  const internet = await startInternet()
  t.teardown(internet.close)
  await t.rejects(internet.outbound('https://other.example.com/', limits), /altnames|does not match/i)
  internet.answer = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { host, 'x-mark': mark } = request.headers
      response.end(
        JSON.stringify({ method: request.method, url: request.url, host, mark, body: String(chunks) }),
      )
    })
  }
  const { body } = await internet.outbound(`${url}?a=1`, {
    ...limits,
    headers: { 'x-mark': 'm', host: 'evil.example' },
    body: Buffer.from('hello'),
  })
  const said = { method: 'POST', url: '/hook?a=1', host: hostName, mark: 'm', body: 'hello' }
  t.same(JSON.parse(body.toString()), said)
})
