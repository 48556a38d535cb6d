import { once } from 'node:events'
import { createServer, METHODS } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { answerClientError } from '../../app/http/client-error.ts'
import { resourceNames } from '../../app/records/resources/index.ts'
import { createTestApp, publicUrl } from '../helper.ts'
import { cases, seed } from '../random.ts'
import { end, expectProblem, line, listHeaderFaults, listProblemFaults, openHttpStage } from './http-stage.ts'
import { type RawAnswer, sendBytes } from './sockets.ts'
import { createRandom } from './world.ts'

const { database, port, someId, key, token, auth, send } = await openHttpStage(t)

t.test('the target without its cursor is limited to 8 KiB, and with the headers to 16 KiB', async (t) => {
  const request = (target: string, more = '') => send(`${line(target)}Host: x\r\n${auth}${more}${end}`)
  const base = '/v1/products?brand='
  const fitting = `${base}${'x'.repeat(8192 - base.length)}`
  t.equal((await request(fitting)).status, 400, '8,192 bytes are judged as a query')
  expectProblem(t, await request(`${fitting}x`), 'uri_too_long', 414)
  const long = await request(`/v1/products?cursor=${'x'.repeat(9000)}`)
  expectProblem(t, long, 'invalid_cursor', 400, 'a cursor is not counted')
  const mixed = `${fitting.slice(0, -1)}&cursor=${'x'.repeat(3000)}`
  t.not((await request(mixed)).status, 414)
  expectProblem(t, await request(`/v1/products/${'x'.repeat(8300)}`), 'uri_too_long', 414)
  t.equal((await request('/v1/me', `X: ${'x'.repeat(15_000)}\r\n`)).status, 200)
  expectProblem(t, await request('/v1/me', `X: ${'x'.repeat(17_000)}\r\n`), 'headers_too_large', 431)
  expectProblem(
    t,
    await request('/v1/me', 'X: y\r\n'.repeat(4000)),
    'headers_too_large',
    431,
    'many small ones',
  )
  expectProblem(t, await request(`/v1/products?cursor=${'x'.repeat(17_000)}`), 'headers_too_large', 431)
})

/** Expects this problem, and that nothing follows it on the connection. */
const expectLast = async (t: Test, bytes: string | Buffer, code: string, status: number, name: string) => {
  const [answer, ...more] = await sendBytes(port, bytes)
  expectProblem(t, answer as RawAnswer, code, status, name)
  t.same([more.length, answer?.headers.connection], [0, 'close'])
  return answer?.headers
}

t.test('a malformed request gets a problem document, and the connection is closed', async (t) => {
  const broken: [string, string | Buffer][] = [
    ['garbage', 'garbage\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100a5010000a1', 'hex')],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['NUL in the target', `${line('/v1/products/\0')}Host: x\r\n${auth}\r\n`],
    [
      'bytes that are not UTF-8',
      Buffer.from(`${line('/v1/products?tags=\xff')}Host: x\r\n${auth}\r\n`, 'latin1'),
    ],
    ['a blank in the target', `${line('/v1/products?tags=a b')}Host: x\r\n${auth}\r\n`],
    ['a header without a name', `${line('/v1/me')}Host: x\r\n${auth}: x\r\n\r\n`],
    ['a blank before the colon', `${line('/v1/me')}Host : x\r\n${auth}\r\n`],
    ['a folded header', `${line('/v1/me')}Host: x\r\n${auth}X: a\r\n b\r\n\r\n`],
    ['bare line feeds', `GET /v1/me HTTP/1.1\nHost: x\n\n`],
    ['NUL in a header', `${line('/v1/me')}Host: x\r\n${auth}X: \0\r\n\r\n`],
    [
      'two lengths',
      `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    ],
    [
      'length and chunks',
      `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a length that is no number', `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Length: x\r\n\r\n`],
    [
      'a chunk that is none',
      `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ]
  for (const [name, bytes] of broken) {
    await expectLast(t, bytes, 'malformed_request', 400, name)
  }
})

t.test('an unknown method, CONNECT and other HTTP versions close the connection', async (t) => {
  const rest = `Host: x\r\n${auth}\r\n`
  const lines = ['FOO', 'get', 'BREW', 'CONNECT'].map((method) => line('/v1/me', method))
  lines.push(line('example.com:443', 'CONNECT'))
  for (const first of lines) {
    const headers = await expectLast(t, first + rest, 'method_not_allowed', 405, first)
    t.equal(headers?.allow, 'GET, HEAD, OPTIONS, POST')
  }
  for (const version of ['HTTP/2.0', 'HTTP/3.7', 'HTTP/0.9'])
    await expectLast(t, `GET /v1/me ${version}\r\n${rest}`, 'http_version_not_supported', 505, version)
})

t.test('the PROXY protocol is refused in words, in both versions', async (t) => {
  const second = '\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x01\xc0\0\x02\x02\xdc\x04\x01\xbb'
  for (const header of ['PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n', 'PROXY UNKNOWN\r\n', second]) {
    const answer = await send(Buffer.from(`${header}${line('/v1/me')}Host: x\r\n${auth}\r\n`, 'latin1'))
    expectProblem(t, answer, 'malformed_request', 400)
    t.match(answer.body, /PROXY protocol.*X-Forwarded-For/)
  }
})

t.test('Upgrade is ignored', async (t) => {
  const upgrade = 'Upgrade: h2c, websocket\r\nConnection: Upgrade, close\r\n\r\n'
  t.equal((await send(`${line('/v1/me')}Host: x\r\n${auth}${upgrade}`)).status, 200)
  const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n'
  const answer = await send(`${line('/v1/auth/login', 'POST')}Host: x\r\n${body}${upgrade}{}`)
  expectProblem(t, answer, 'invalid_body', 400)
})

t.test('a POST without a body is answered', async (t) => {
  const routes: [path: string, type: string, status: number][] = [['/v1/auth/login', 'application/json', 400]]
  for (const version of ['1.0', '1.1']) {
    const ask = (path: string, type: string, more = '') =>
      send(`POST ${path} HTTP/${version}\r\nHost: x\r\nContent-Type: ${type}\r\n${more}${end}`)
    for (const [path, type, status] of routes) {
      t.equal((await ask(path, type)).status, status, `${path}, HTTP/${version}`)
    }
    const basic = `Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}\r\n`
    t.equal((await ask('/v1/auth/login', 'application/json', basic)).status, 200)
    t.equal((await ask('/v1/auth/login', 'application/json', `${basic}Content-Length: 0\r\n`)).status, 200)
  }
})

t.test('a transfer coding other than chunked gets 501', async (t) => {
  const chunked = 'Content-Type: application/json\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n'
  for (const coding of ['gzip, chunked', 'gzip,chunked', 'deflate, chunked']) {
    const field = `Transfer-Encoding: ${coding}\r\n`
    const answer = await send(`${line('/v1/auth/login', 'POST')}Host: x\r\n${field}${chunked}`)
    expectProblem(t, answer, 'not_implemented', 501, coding)
  }
  const twice = 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n'
  t.equal((await send(`${line('/v1/auth/login', 'POST')}Host: x\r\n${twice}${chunked}`)).status, 501)
  const plain = 'Transfer-Encoding: Chunked\r\n'
  const known = await send(`${line('/v1/auth/login', 'POST')}Host: x\r\n${plain}${chunked}`)
  expectProblem(t, known, 'invalid_body', 400, 'chunked alone')
})

t.test('refuses an invalid Host, also if the answer is in memory', async (t) => {
  const ask = (host: string) => send(`${line('/v1/products?limit=3')}Host: ${host}\r\n${auth}${end}`)
  for (const host of ['x', 'api.example:3000', '127.0.0.1', '[::1]:80', 'x:', 'x']) {
    t.equal((await ask(host)).status, 200, host)
  }
  for (const host of ['', 'a b', 'u@evil', 'http://x', 'x/', 'x:y', 'x?', '[::1', 'x,y@z']) {
    expectProblem(t, await ask(host), 'malformed_request', 400, host)
  }
})

t.test('two Authorization or Host fields, no Host and a fragment are malformed', async (t) => {
  const cases: [string, string][] = [
    ['two tokens', `${line('/v1/me')}Host: x\r\n${auth}${auth}${end}`],
    ['two tokens, in other letters', `${line('/v1/me')}Host: x\r\n${auth}AUTHORIZATION: Bearer x\r\n${end}`],
    ['two hosts', `${line('/v1/me')}Host: x\r\nHost: y\r\n${auth}${end}`],
    ['the same host twice', `${line('/v1/me')}Host: x\r\nhOST: x\r\n${auth}${end}`],
    ['no host', `${line('/v1/me')}${auth}${end}`],
    ['no host, no token', `${line('/v1/nothing')}${end}`],
    ...['/v1/products#x', '/v1/products#?limit=1', '/v1/products?limit=1#x'].map(
      (target): [string, string] => [target, `${line(target)}Host: x\r\n${auth}${end}`],
    ),
  ]
  for (const [name, bytes] of cases) expectProblem(t, await send(bytes), 'malformed_request', 400, name)
  t.equal((await send(`GET /v1/me HTTP/1.0\r\n${auth}\r\n`)).status, 200, 'HTTP/1.0 knows no Host')
})

t.test('only OPTIONS accepts the target *', async (t) => {
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
    const answer = await send(`${line('*', method)}Host: x\r\n${auth}${end}`)
    t.equal(answer.status, 400, method)
  }
  t.equal((await send(`${line('*', 'OPTIONS')}Host: x\r\n${end}`)).status, 204)
})

t.test('an absolute target is answered like its path', async (t) => {
  const answer = await send(`${line('http://elsewhere.example/products?limit=1')}Host: x\r\n${auth}${end}`)
  t.equal(answer.status, 200)
  t.match(answer.headers.link, `<${publicUrl}/v1/products>; rel="canonical"`)
})

t.test('an unknown expectation is ignored', async (t) => {
  const answer = await send(`${line('/v1/me')}Host: x\r\nExpect: tea\r\n${auth}${end}`)
  t.equal(answer.status, 200)
  t.same(listHeaderFaults(answer.headers), [])
})

t.test('an incomplete request gets 408 after the timeout', async (t) => {
  const impatient = await createTestApp(database)
  const server = impatient.server as unknown as {
    requestTimeout: number
    connectionsCheckingInterval: number
  }
  t.equal(server.requestTimeout, 30_000, 'the time that the service gives')
  Object.assign(server, { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 20 })
  const address = await impatient.listen({ host: '127.0.0.1', port: 0 })
  for (const bytes of [
    'GET /v1/me HT',
    `${line('/v1/me')}Host: x\r\n${auth}`,
    `${line('/v1/auth/login', 'POST')}Host: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a`,
  ]) {
    const [answer] = await sendBytes(Number(new URL(address).port), bytes)
    expectProblem(t, answer as RawAnswer, 'request_timeout', 408, bytes.slice(0, 20))
  }
  await impatient.close()
})

t.test('malformed bytes cut a response in progress without adding to it', async (t) => {
  const server = createServer((_request, response) => void response.write('begun;'))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerClientError(error, socket as Socket, publicUrl, () => ({})),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  client.on('error', () => {})
  client.on('data', (chunk: string) => {
    const hadBegun = text.includes('begun;')
    text += chunk
    if (!hadBegun && text.includes('begun;')) client.write('no request\r\n\r\n')
  })
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(client, 'close')
  t.match(text, /^HTTP\/1\.1 200 [\s\S]*begun;\r\n$/)
})

t.test('unreadable bytes after an unanswered request end the connection after its response', async (t) => {
  const server = createServer((_request, response) => setImmediate(() => response.end()))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerClientError(error, socket as Socket, publicUrl, () => ({})),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port: bare } = server.address() as AddressInfo
  const answers = await sendBytes(bare, `${line('/')}Host: x\r\n\r\nno request\r\n\r\n`)
  t.match(answers, [{ status: 200, headers: { connection: 'close' } }])
  t.equal(answers.length, 1)
})

const pick = <T>(random: () => number, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T

const split = (text: string): string[] => text.split(' ')
const words = [
  ...split('v1 webapi api.php me auth login custom changes health live .. . %2e%2e %2f %00 % %zz %ff'),
  ...split('%ED%A0%80 ~ * :id __proto__ constructor openapi.json .well-known jwks.json " <> | \\ ^'),
  ...resourceNames,
  "'",
  '',
  'x'.repeat(300),
  someId,
]
const names = [
  ...split('id number name model tags standards valid_until issued_on updated_at validity expiring status'),
  ...split('open technologies blocs sort fields include limit cursor count on expiring_within format'),
  'toString',
  '__proto__',
  '',
  'after',
]
const operators = [
  '',
  '',
  '',
  '[',
  ']',
  '[[x]]',
  '%5Bne%5D',
  ...['eq', 'ne', 'in', 'nin', 'gt', 'lte', 'prefix', 'null', 'all', '', 'x'].map((each) => `[${each}]`),
]
const values = [
  ...split('a a,b \\ \\, , true today today+90d today-99999d 2026-01-01 0001-01-01 9999-12-31 valid'),
  ...split('9999-12-31T23:59:59-23:59 0001-01-01T00:00:00%2B23:59 number -name,model id product,country'),
  ...split('exact json 0 500 501 % %00 %ff %F4%8F%BF%BF ä \u{10ffff} AQ AA pass wifi europe 1e3 -1'),
  '',
  'x'.repeat(2001),
]
const headerLines = [
  'Accept: text/html',
  'Accept: ;;;',
  'Accept: */*;q=0.1',
  'Accept-Encoding: br',
  'Accept-Encoding: ;',
  'If-Match: x',
  'If-None-Match: *',
  'If-None-Match: "',
  'Cache-Control: no-cache',
  'Cache-Control: ,',
  'Pragma: no-cache',
  'Range: bytes=0-1',
  'X-Forwarded-Proto: http',
  'X-Forwarded-For: ::1,,',
  'Origin: null',
  'Content-Type: x',
  'Content-Length: 0',
  'Accept-Version: 1',
  'Upgrade: h2c',
  'Cookie: a=b',
  'TE: trailers',
  'Forwarded: proto=https',
]

const apiTarget = new RegExp(`^\\S+ /(v1|webapi|me|custom|changes|${resourceNames.join('|')})\\b`)

t.test('no request causes a 500, and every error is a problem document', async (t) => {
  const random = createRandom(seed)
  const makeRequest = () => {
    const path = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, words)).join('/')
    const route = `${pick(random, ['/v1/', '/', '/webapi/v1/api.php/'])}${pick(random, [...resourceNames, 'me'])}`
    const pairs = Array.from({ length: Math.floor(random() * 4) }, () => {
      const value = pick(random, values)
      return `${pick(random, names)}${pick(random, operators)}=${random() < 0.5 ? encodeURIComponent(value) : value}`
    })
    const method = random() < 0.9 ? pick(random, ['GET', 'HEAD']) : pick(random, METHODS)
    const target = `${random() < 0.6 ? route : random() < 0.5 ? `${route}/${path}` : `/${path}`}?${pairs.join('&')}`
    const lines = Array.from(
      { length: Math.floor(random() * 4) },
      () => `${pick(random, headerLines)}\r\n`,
    ).join('')
    const given =
      random() < 0.95
        ? auth
        : pick(random, ['', 'Authorization: Bearer\r\n', 'Authorization: Bearer a.b.c\r\n'])
    return { method, bytes: `${line(target, method)}Host: x\r\n${given}${lines}${end}` }
  }
  const wrong: object[] = []
  const statuses = new Map<number, number>()
  const work = async () => {
    for (let n = 0; n < cases(1000); n++) {
      const { method, bytes } = makeRequest()
      const { status, headers, body } = await send(Buffer.from(bytes, random() < 0.5 ? 'utf8' : 'latin1'))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // Another test checks pages. Unknown addresses outside the API may be answered with a page, too.
      const isMissingPage = status === 404 && !apiTarget.test(bytes) && !bytes.includes('Authorization')
      const isPage = headers['content-security-policy']?.includes('script-src')
      if (isPage && (status < 400 || isMissingPage)) continue
      const faults =
        status < 400 || method === 'HEAD'
          ? listHeaderFaults(headers)
          : listProblemFaults(status, headers, body)
      if (!(status < 500) || faults.length > 0)
        wrong.push({ bytes: bytes.replace(token, '…'), status, faults })
    }
  }
  await Promise.all([work(), work(), work(), work()])
  t.same(wrong, [])
  for (const status of [200, 400, 404, 405, 406])
    t.ok((statuses.get(status) ?? 0) > cases(10), `${statuses.get(status)} times ${status}`)
})
