import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { parseConfig } from '../../app/config/config.ts'
import { listenEarly } from '../../app/main/early.ts'
import { createTestApp, until } from '../helper.ts'
import { freePort } from '../servers.ts'
import { end, expectProblem, line, listHeaderFaults, listProblemFaults, openHttpStage } from './http-stage.ts'
import { makeCertificate, openHttp2, type RawAnswer, sendBytes } from './sockets.ts'

const { database, port, authorization, auth, get, ask } = await openHttpStage(t)

const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
const lines: string[] = []
const secure = await createTestApp(database, {
  env: { TLS_KEY, TLS_CERT, ALLOW_HTTP: 'false', LOG_LEVEL: 'info' },
  logStream: { write: (text: string) => void lines.push(text), lost: 0 },
})
const securePort = Number(new URL(await secure.listen({ host: '127.0.0.1', port: 0 })).port)
const http2 = openHttp2(securePort)
t.teardown(async () => {
  http2.close()
  await secure.close()
  remove()
})

t.test('with a certificate the service speaks HTTP/2 and HTTP/1.1 over TLS, with HSTS', async (t) => {
  const hsts = 'max-age=31536000'
  const plain = await ask('/v1/products?limit=3')
  const pages = { authorization, ':path': '/v1/products?limit=3' }
  const over1 = await sendBytes(securePort, `${line('/v1/products?limit=3')}Host: x\r\n${auth}${end}`, true)
  const over2 = await http2.ask(pages)
  for (const { status, headers, body } of [over1[0] as RawAnswer, over2]) {
    t.same([status, body, headers.etag], [200, plain.body, plain.headers.etag])
    t.equal(headers['strict-transport-security'], hsts)
    t.same(listHeaderFaults(headers), [])
  }
  t.notOk(plain.headers['strict-transport-security'], 'and not without TLS')
  const tag = String(plain.headers.etag)
  t.equal((await http2.ask({ ...pages, 'if-none-match': tag })).status, 304)
  t.equal((await http2.ask({ ...pages, ':method': 'HEAD' })).body, '')
  const errors: [Record<string, string>, number][] = [
    [{ ':path': '/v1/products' }, 401],
    [{ authorization, ':path': '/v1/products?limit=0' }, 400],
    [{ authorization, ':path': '/v1/products/%zz' }, 400],
    [{ authorization, ':path': '/v1/products?tags=\xff' }, 400],
    [{ authorization, ':path': `/v1/products?brand=${'x'.repeat(9000)}` }, 414],
    [{ authorization, ':path': '/v1/products', ':method': 'DELETE' }, 405],
    [{ ':path': '/nothing' }, 404],
  ]
  for (const [headers, status] of errors) {
    const answer = await http2.ask(headers)
    t.same(
      [answer.status, listProblemFaults(status, answer.headers, answer.body)],
      [status, []],
      String(headers[':path']).slice(0, 30),
    )
    t.equal(answer.headers['strict-transport-security'], hsts)
  }
  for (const bytes of [
    'garbage\r\n\r\n',
    `${line('/v1/me')}${end}`,
    `${line('/v1/me')}Host: x\r\nX: ${'x'.repeat(17_000)}\r\n${end}`,
  ]) {
    const [answer] = await sendBytes(securePort, bytes, true)
    t.same(
      listProblemFaults(answer?.status ?? 0, answer?.headers ?? {}, answer?.body ?? ''),
      [],
      bytes.slice(0, 20),
    )
    t.equal(answer?.headers['strict-transport-security'], hsts)
  }
})

t.test('bytes beyond ASCII in a target get the same refusal over HTTP/1.1 and HTTP/2', async (t) => {
  await sql`insert into products (customer_id, id, name, brand) values ('acme', 'raw', 'raw bytes', 'Müller')`.execute(
    database.operator,
  )
  const askAll = async (target: string): Promise<RawAnswer[]> => {
    const bytes = Buffer.from(`${line(target)}Host: x\r\n${auth}${end}`, 'latin1')
    const overPlain = await sendBytes(port, bytes)
    const overTls = await sendBytes(securePort, bytes, true)
    return [...overPlain, ...overTls, (await http2.ask({ authorization, ':path': target })) as RawAnswer]
  }
  const comparable = ({ status, body }: RawAnswer) => [status, body.replace(/"request_id":"[^"]*"/, '')]
  const expectSame = (answers: RawAnswer[], status: number, target: string) => {
    t.equal(answers.length, 3, target)
    t.equal(answers[0]?.status, status, target)
    for (const each of answers) t.same(comparable(each), comparable(answers[0] as RawAnswer), target)
  }
  const [overlong, padding] = ['x'.repeat(100), 'x'.repeat(3000)]
  const targets = [
    '/v1/products?brand=M\xc3\xbcller',
    '/v1/products?q=M\xc3\xbcller\xe2\x82\xac\xf0\x9f\x98\x80',
    `/v1/products?brand=${overlong},M\xc3\xbcller`,
    `/v1/products?brand=${padding},M\xc3\xbcller`,
    '/v1/products?M\xc3\xbcller=1',
    '/v1/products/M\xc3\xbcller',
    '/v1/products?brand=M\xfcller',
    '/v1/products?brand=M\xc3',
    '/v1/products?brand=\xed\xa0\x80',
    '/v1/products?\xff=1',
    '/v1/products/\xff',
    '/\x80',
  ]
  for (const raw of targets) {
    // Puts the escaped target into memory.
    const escaped = raw.replace(/[\x80-\xff]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)
    const isFound = escaped.endsWith('brand=M%c3%bcller')
    if (isFound) for (let n = 0; n < 3; n++) expectSame(await askAll(escaped), 200, escaped)
    const answers = await askAll(raw)
    expectSame(answers, 400, escaped)
    t.match(answers[0]?.body, /"code":"malformed_request","detail":"Write every character beyond ASCII/)
    for (const { headers, body } of answers) t.same(listProblemFaults(400, headers, body), [], escaped)
  }
})

t.test('HSTS includes subdomains only if configured', async (t) => {
  const https = { authorization, 'x-forwarded-proto': 'https' }
  const hstsWith = async (env: Record<string, string>, url: string) => {
    const behind = await createTestApp(database, { env: { TRUSTED_PROXIES: '127.0.0.9', ...env } })
    const answer = await behind.inject({ url, headers: https, remoteAddress: '127.0.0.9' })
    await behind.close()
    return [answer.statusCode, answer.headers['strict-transport-security']]
  }
  for (const [url, status] of [
    ['/v1/me', 200],
    ['/nothing', 404],
  ] as const) {
    const whole = [status, 'max-age=31536000; includeSubDomains']
    t.same(await hstsWith({ HSTS_INCLUDE_SUBDOMAINS: 'on' }, url), whole, url)
    t.same(await hstsWith({ HSTS_INCLUDE_SUBDOMAINS: 'off' }, url), [status, 'max-age=31536000'], url)
    t.same(await hstsWith({}, url), [status, 'max-age=31536000'], url)
  }
})

t.test('a method without a route gets 405 over both protocols, and is logged by its name', async (t) => {
  lines.length = 0
  const methods = ['PROPFIND', 'DELETE', 'PUT', 'M-SEARCH']
  for (const method of methods) {
    for (const [path, allow] of [
      ['/v1/me', 'GET, HEAD, OPTIONS'],
      ['/health/live', 'GET, HEAD, OPTIONS'],
      ['/v1/auth/login', 'POST, OPTIONS'],
    ] as const) {
      const over2 = await http2.ask({ authorization, ':path': path, ':method': method })
      t.same([over2.status, over2.headers.allow], [405, allow], `${method} ${path}, HTTP/2`)
      const [over1] = await sendBytes(securePort, `${line(path, method)}Host: x\r\n${auth}${end}`, true)
      t.same([over1?.status, over1?.headers.allow], [405, allow], `${method} ${path}, HTTP/1`)
    }
    t.equal((await http2.ask({ ':path': '/v1/me', ':method': method })).status, 401, 'who asks comes first')
    t.equal((await http2.ask({ authorization, ':path': '/v1/nothing', ':method': method })).status, 404)
  }
  const countLogged = (method: string) =>
    lines.filter((text) => text.includes(`"method":"${method}"`) && text.includes('"answered"')).length
  for (const method of methods)
    await until(`8 answers to ${method} are logged`, () => countLogged(method) === 8)
})

t.test('HTTP/2 keeps the limits, times and refusals of HTTP/1.1', async (t) => {
  const server = secure.server as unknown as { requestTimeout: number; keepAliveTimeout: number }
  t.same([server.requestTimeout, server.keepAliveTimeout], [30_000, 72_000])
  const large = await http2.ask({ authorization, ':path': '/v1/me', x: 'x'.repeat(17_000) })
  t.same([large.status, listProblemFaults(431, large.headers, large.body)], [431, []])
  const unknown = await http2.ask({ authorization, ':path': '/v1/me', ':method': 'FOO' })
  t.same([unknown.status, listProblemFaults(405, unknown.headers, unknown.body)], [405, []])
  t.equal(unknown.headers.allow, 'GET, HEAD, OPTIONS')
  t.equal((await http2.ask({ authorization, ':path': '/v1/me', expect: 'tea' })).status, 200)
  const connected = await http2.ask({ ':method': 'CONNECT', ':authority': 'example.com:443' })
  t.same([connected.status, listProblemFaults(405, connected.headers, connected.body)], [405, []])
  const [tunnel] = await sendBytes(securePort, `${line('example.com:443', 'CONNECT')}Host: x\r\n\r\n`, true)
  expectProblem(t, tunnel as RawAnswer, 'method_not_allowed', 405, 'CONNECT over TLS')
  t.same([connected.headers.allow, tunnel?.headers.allow], Array(2).fill('GET, HEAD, OPTIONS, POST'))
})

t.test('KEEP_ALIVE_SECONDS is the time of idle connections, also in answers of the edge', async (t) => {
  const patient = await createTestApp(database, { env: { KEEP_ALIVE_SECONDS: '620' } })
  t.teardown(() => patient.close())
  const origin = await patient.listen({ host: '127.0.0.1', port: 0 })
  t.equal(patient.server.keepAliveTimeout, 620_000)
  for (let n = 0; n < 4; n += 1) {
    const answer = await fetch(`${origin}/v1/products?limit=2`, { headers: { authorization } })
    await answer.text()
    t.equal(answer.headers.get('keep-alive'), 'timeout=620')
  }
  if (process.env.TEST_EDGE !== 'off') t.ok(patient.edgeAnswers > 0)
})

t.test('plain HTTP is refused unless a trusted proxy reports TLS', async (t) => {
  const strict = await createTestApp(database, {
    env: { ALLOW_HTTP: 'false', TRUSTED_PROXIES: '10.1.0.0/16,127.0.0.9' },
  })
  const from = (remoteAddress: string, headers: Record<string, string> = {}, url = '/v1/me') =>
    strict.inject({ url, headers: { authorization, ...headers }, remoteAddress })
  const https = { 'x-forwarded-proto': 'https' }
  for (const answer of [
    await from('127.0.0.1'),
    await from('127.0.0.1', https),
    await from('192.0.2.1', https),
    await from('10.2.0.1', https),
    await from('10.1.2.3'),
    await from('10.1.2.3', { 'x-forwarded-proto': 'http' }),
    await from('10.1.2.3', { 'x-forwarded-proto': 'https, http' }),
    await from('192.0.2.1', { ...https, 'x-forwarded-for': '10.1.2.3' }),
    await from('192.0.2.1', { forwarded: 'proto=https' }),
    await from('127.0.0.1', { authorization: 'Bearer x' }),
    await from('127.0.0.1', {}, '/v1/nothing'),
    await from('127.0.0.1', {}, '/nothing'),
  ]) {
    expectProblem(t, answer, 'tls_required', 403)
    t.match(answer.json().detail, 'Revoke any token or key in it')
    t.notOk(answer.headers['strict-transport-security'])
  }
  for (const answer of [
    await from('10.1.2.3', https),
    await from('::ffff:10.1.2.3', https),
    await from('127.0.0.9', https),
    await from('10.1.2.3', { 'x-forwarded-proto': 'http, https' }),
    await from('10.1.2.3', { 'x-forwarded-proto': 'HTTPS' }),
    await from('10.1.2.3', { 'x-forwarded-proto': 'http,Https ' }),
  ]) {
    t.equal(answer.statusCode, 200)
    t.match(answer.headers['strict-transport-security'], /max-age/)
  }
  t.equal((await from('192.0.2.1', {}, '/health/live')).statusCode, 200, 'but for probes')
  await strict.close()
  const loose = await createTestApp(database, { env: { TRUSTED_PROXIES: '127.0.0.9' } })
  const local = (remoteAddress: string, headers: Record<string, string> = {}) =>
    loose.inject({ url: '/v1/me', headers: { authorization, ...headers }, remoteAddress })
  t.equal((await local('127.0.0.1')).statusCode, 200, 'from this machine itself, where that is allowed')
  t.equal((await local('::1')).statusCode, 200)
  t.equal((await local('192.0.2.1')).statusCode, 403)
  t.equal(
    (await local('127.0.0.9', { 'x-forwarded-proto': 'http' })).statusCode,
    403,
    'not for a proxy on it',
  )
  await loose.close()
})

t.test('CORS allows only the configured origins, and exposes the headers that clients need', async (t) => {
  const origin = 'https://erp.example'
  const open = await createTestApp(database, { env: { CORS_ORIGINS: `${origin},https://two.example` } })
  const from = (
    headers: Record<string, string>,
    method: 'GET' | 'OPTIONS' = 'GET',
    url = '/v1/products?limit=1',
  ) => open.inject({ method, url, headers: { authorization, ...headers } })
  for (const each of [origin, 'https://two.example']) {
    for (const answer of [
      await from({ origin: each }),
      await from({ origin: each }, 'GET', '/v1/products?limit=0'),
    ]) {
      t.equal(answer.headers['access-control-allow-origin'], each)
      t.equal(answer.headers.vary, 'Authorization, Accept, Accept-Encoding, Origin')
      t.equal(answer.headers['access-control-expose-headers'], '*')
      t.notOk(answer.headers['access-control-allow-credentials'])
      t.same(listHeaderFaults(answer.headers), [])
    }
  }
  const strangers = 'https://evil.example null https://erp.example.evil http://erp.example *'.split(' ')
  for (const each of strangers) {
    const answer = await from({ origin: each })
    t.same([answer.statusCode, answer.headers['access-control-allow-origin']], [200, undefined], each)
    t.equal(answer.headers.vary, 'Authorization, Accept, Accept-Encoding, Origin')
  }
  const preflight = {
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  }
  const allowed = await from({ origin, ...preflight, authorization: '' }, 'OPTIONS')
  t.equal(allowed.statusCode, 204)
  t.equal(allowed.headers['access-control-allow-origin'], origin)
  t.match(allowed.headers['access-control-allow-methods'], /GET/)
  t.match(allowed.headers['access-control-allow-headers'], /authorization/i)
  const denied = await from({ origin: 'https://evil.example', ...preflight, authorization: '' }, 'OPTIONS')
  t.notOk(denied.headers['access-control-allow-origin'])
  const tagged = await from({ origin })
  t.equal((await from({ origin, 'if-none-match': String(tagged.headers.etag) })).statusCode, 304)
  t.equal(
    (await get('/v1/products?limit=1', { origin })).headers['access-control-allow-origin'],
    undefined,
    'none unless configured',
  )
  for (const page of ['/', '/docs/guides'])
    t.equal((await from({ origin }, 'GET', page)).headers.vary, 'Origin, Accept-Encoding', page)
  t.equal((await from({ origin }, 'OPTIONS', '/v1/unknown')).statusCode, 404)
  const options = await open.inject({ method: 'OPTIONS', url: '/v1/products' })
  t.same([options.statusCode, options.headers.allow], [204, 'GET, HEAD, OPTIONS'], 'not a preflight')
  await open.close()
})

t.test('pages can read every refusal, also those before the first route', async (t) => {
  const origin = 'https://erp.example'
  const many = { CORS_ORIGINS: `https://two.example,${origin}` }
  const proxied = { TRUSTED_PROXIES: '10.0.0.1' }
  const own = `Origin: ${origin}\r\n`
  const get = (target: string, fields = own) => `${line(target)}Host: x\r\n${auth}${fields}${end}`
  const post = (fields: string, body = '') =>
    `${line('/v1/auth/login', 'POST')}Host: x\r\n${own}${fields}Connection: close\r\n\r\n${body}`
  const long = `/v1/products?brand=${'x'.repeat(9000)}`
  const refusals: Record<string, [status: number, bytes: string]> = {
    'no Host': [400, `${line('/v1/me')}${own}${end}`],
    'a broken escape': [400, get('/v1/products/%zz')],
    'a raw byte': [400, get('/v1/products?tags=\xff')],
    'a token in the address': [400, get('/v1/me?access_token=x')],
    'a broken field': [400, get('/v1/me', `${own}a b: c\r\n`)],
    'a wrong length': [400, post('Content-Length: x\r\n')],
    'no credentials': [401, `${line('/v1/me')}Host: x\r\n${own}${end}`],
    'an unknown path': [404, get('/nothing')],
    'an unknown method': [405, `FOO /v1/me HTTP/1.1\r\nHost: x\r\n${own}${end}`],
    'no such type': [406, get('/v1/products', `${own}Accept: image/png\r\n`)],
    'a long body': [
      413,
      post('Content-Type: application/json\r\nContent-Length: 70000\r\n', 'x'.repeat(70_000)),
    ],
    'a long address': [414, get(long)],
    'another type': [415, post('Content-Type: text/plain\r\nContent-Length: 1\r\n', 'x')],
    'long fields': [431, get('/v1/me', `X: ${'x'.repeat(20_000)}\r\n${own}`)],
    'fields that the parser refuses': [431, get('/v1/me', `${own}X: ${'x'.repeat(50_000)}\r\n`)],
    'a coding': [501, post('Transfer-Encoding: gzip, chunked\r\n')],
    'HTTP/3.0': [505, `GET /v1/me HTTP/3.0\r\nHost: x\r\n${own}${end}`],
    'HTTP/9.9': [505, `GET /v1/me HTTP/9.9\r\nHost: x\r\n${own}${end}`],
  }
  const open = await createTestApp(database, { env: { ...many, ...proxied } })
  t.teardown(() => open.close())
  const at = Number(new URL(await open.listen({ host: '127.0.0.1', port: 0 })).port)
  for (const [name, [status, bytes]] of Object.entries(refusals)) {
    const [answer] = await sendBytes(at, bytes)
    t.equal(answer?.status, status, name)
    t.equal(answer?.headers['access-control-allow-origin'], origin, name)
    t.equal(answer?.headers['access-control-expose-headers'], '*', name)
    t.match(answer?.headers.vary, 'Origin', name)
    const strange = bytes.replace(own, 'Origin: https://evil.example\r\n')
    const [refused] = await sendBytes(at, strange)
    t.same([refused?.status, refused?.headers['access-control-allow-origin']], [status, undefined], name)
  }
  const plain = await open.inject({ url: '/v1/me', headers: { origin }, remoteAddress: '192.0.2.1' })
  t.same([plain.statusCode, plain.headers['access-control-allow-origin']], [403, origin], 'no TLS')
  const preflight = {
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  }
  for (const url of [long, '/v1/me?access_token=x', '/v1/nothing', '/nothing']) {
    const answer = await open.inject({ method: 'OPTIONS', url, headers: preflight })
    t.same(
      [answer.statusCode, answer.headers['access-control-allow-origin']],
      [204, origin],
      url.slice(0, 30),
    )
    t.equal(answer.headers['access-control-allow-headers'], 'authorization')
    t.same(listHeaderFaults(answer.headers), [])
  }
  const names = { ...preflight, 'access-control-request-headers': 'x-a,'.repeat(1_000) }
  const all = await open.inject({ method: 'OPTIONS', url: '/v1/me', headers: names })
  t.equal(all.headers['access-control-allow-headers'], '*, Authorization')

  const slow = connect(at, '127.0.0.1').setEncoding('latin1')
  t.teardown(() => slow.destroy())
  slow.write(`${line('/v1/me')}Host: x\r\n${own}X: ${'x'.repeat(10_000)}\r\n`)
  // In one packet, the test would pass with less.
  await delay(50)
  slow.write(`Y: ${'x'.repeat(10_000)}\r\n${end}`)
  const [text] = await once(slow, 'data')
  t.match(text, /^HTTP\/1\.1 431 /)
  t.match(text, `access-control-allow-origin: ${origin}`, 'in two packets')

  const impatient = await createTestApp(database, { env: { CORS_ORIGINS: origin } })
  t.teardown(() => impatient.close())
  Object.assign(impatient.server, {
    requestTimeout: 100,
    headersTimeout: 100,
    connectionsCheckingInterval: 20,
  })
  const late = Number(new URL(await impatient.listen({ host: '127.0.0.1', port: 0 })).port)
  for (const bytes of [
    'GET /v1/me HT',
    `${line('/v1/me')}Host: x\r\n${own}`,
    post('Content-Type: application/json\r\nContent-Length: 9\r\n', '{"a'),
  ]) {
    const [answer] = await sendBytes(late, bytes)
    t.same([answer?.status, answer?.headers['access-control-allow-origin']], [408, origin])
  }
  const body = post('Content-Type: application/json\r\nContent-Length: 9\r\n', '{"a')
  const [strange] = await sendBytes(late, body.replace(own, 'Origin: https://evil.example\r\n'))
  t.same([strange?.status, strange?.headers['access-control-allow-origin']], [408, undefined])
})

t.test('pages can read that the service still starts', async (t) => {
  const origin = 'https://erp.example'
  const port = await freePort()
  const config = parseConfig({ CORS_ORIGINS: origin, NODE_ENV: 'test' })
  const early = await listenEarly({ config, port, publicUrl: `http://127.0.0.1:${port}` })
  t.teardown(() => early.close())
  const answer = await fetch(`http://127.0.0.1:${port}/v1/products`, { headers: { origin } })
  t.same([answer.status, answer.headers.get('access-control-allow-origin')], [503, origin])
  const preflight = { origin, 'access-control-request-method': 'GET' }
  const asked = await fetch(`http://127.0.0.1:${port}/v1/products`, { method: 'OPTIONS', headers: preflight })
  t.same([asked.status, asked.headers.get('access-control-allow-origin')], [204, origin])
})
