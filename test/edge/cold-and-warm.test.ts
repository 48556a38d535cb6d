import { connect } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, closeAfter, createTestDatabase, listenTestApp, logIn } from '../helper.ts'

const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)
const { token, get } = await logIn(app, await addCustomer(database, 'acme'))
await sql`insert into products (customer_id, id, name, brand, tags)
  select 'acme', 'p-' || n, 'N ' || n, repeat('ü', 40), array['a', 'b,c'] from generate_series(1, 30) n`.execute(
  database.operator,
)
await sql`insert into products (customer_id, id, name) values ('acme', '~', 'T'), ('acme', 'a.b', 'D')`.execute(
  database.operator,
)

const { port } = new URL(origin)
const last = 'GET /health/live HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'

/** After such a request the server closes the connection. */
const isLast = /^Connection: .*close| HTTP\/1\.0\r\n(?!.*keep-alive)/ims

/** Returns all bytes until the server closes. A last request makes it close, if the first does not. */
const send = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), 'localhost')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.setTimeout(60_000, () => {
      socket.destroy()
      reject(new Error(`no end of ${bytes.slice(0, 200)}`))
    })
    socket.write(Buffer.from(isLast.test(bytes) ? bytes : bytes + last, 'latin1'))
  })

const ofTheMoment =
  /^(?:request-id|data-as-of|server-timing|ratelimit|date|cache-status): .*\r\n|"request_id":"[^"]*"/gim
/** Removes fields that differ between requests, and sorts the others. */
const lasting = (received: string): string => {
  const kept = received.replace(ofTheMoment, '')
  const end = kept.indexOf('\r\n\r\n')
  const [line, ...fields] = kept.slice(0, end).split('\r\n')
  return [line, ...fields.sort(), kept.slice(end)].join('\n')
}

/** Makes cached answers about products outdated. */
const forget = async () => {
  await sql`update products set brand = case brand when 'x' then 'y' else 'x' end where customer_id = 'acme' and id = 'p-15'`.execute(
    database.operator,
  )
  await get('/v1/products?limit=499')
}

const words = (text: string) => text.trim().split(/\s+/)
const choices = (text: string) => text.split(' | ')

type Nasty = { target?: string; fields?: string; method?: string; version?: string; bearer?: string | null }
const list = '/v1/products?limit=3'
const readEtag = async (target: string) => String((await get(target)).headers.etag)

const getRequest = ({ target = list, fields = '', method = 'GET', version = '1.1', bearer }: Nasty) => {
  const authorization = bearer === null ? '' : `Authorization: ${bearer ?? `Bearer ${token}`}\r\n`
  return `${method} ${target} HTTP/${version}\r\nHost: here\r\n${authorization}${fields}\r\n`
}

const field = (name: string, value: string): Nasty => ({ fields: `${name}: ${value}\r\n` })
const manyTags = Array.from({ length: 1_000 }, (_, n) => `"${n}"`).join(', ')

const targets = [
  ...words(`
    /v1/products //v1/products /v1//products /v1/products/ /v1/products/?limit=3 /V1/products
    /v1/products/%2e%2e /v1/products/.. /v1/products/. /v1/./products /v1/x/../products
    /v1/%70roducts?limit=3 /v1/products/p-1 /v1/products/%70-1 /v1/products/p%2D1 /v1/products/p-1%2F
    /v1/products/p%2Fp-1 /v1/products/p-1%00 /v1/products/p-1\0 /v1/products/p-1;v=1 /v1/products/~
    /v1/products/%7E /v1/products/%7e /v1/products/a.b /v1/products/% /v1/products/%zz /v1/products/%ff
    /v1/products/é /v1/products/\xff /v1/products/p-1#f /v1/products/p-1? /v1/products? /v1/products?&
    /v1/products?&&limit=3& /v1/products??limit=3 /v1/products?%6cimit=3 /v1/products?limit=%33
    /v1/products?limit=3&limit=3 /v1/products?limit=3&%6cimit=3 /v1/products?name%5Bprefix%5D=N&limit=3
    /v1/products?name[prefix]=N&limit=3 /v1/products?name[prefix]=N+1&limit=3 /v1/products?name=%00
    /v1/products?name=%ED%A0%80 /v1/products?name=é /v1/products?brand=\xe9
    /v1/products?tags=b%5C,c&limit=3 /v1/products?format=json&limit=3 /v1/products?f%6frmat=json&limit=3
    /v1/products?access_token=x /v1/products?acc%65ss_token=x http://elsewhere.test/v1/products?limit=3
    HTTP://elsewhere.test/products?limit=3 http://elsewhere.test//v1/products http://elsewhere.test *
    v1/products /products?limit=3 /products/p-1 /webapi/v1/api.php/products?limit=3
    /webapi/v1/api.php/products/p-1 /webapi/v1/api.php?limit=3 /v1/nothing /nothing`),
  `/v1/products?${Array.from({ length: 10_000 }, (_, n) => `a${n % 10}`).join('&')}`.slice(0, 8_000),
  `/v1/products?${'&'.repeat(7_000)}limit=3`,
  `/v1/products?id=${'x,'.repeat(201)}`,
  `/v1/products/${'x'.repeat(64)}`,
  `/v1/products/${'x'.repeat(65)}`,
  `/v1/products/${'x'.repeat(8_200)}`,
]

t.test(
  'every request gets the same answer from the database, from memory and without the router',
  async (t) => {
    const etag = await readEtag(list)
    const nasty: Nasty[] = [
      ...targets.map((target) => ({ target })),
      ...words('HEAD OPTIONS POST PUT DELETE TRACE PROPFIND QUERY').map((method) => ({ method })),
      { version: '1.0' },
      { version: '1.0', fields: 'Connection: keep-alive\r\n' },
      { target: '/v1/products/p-1', method: 'HEAD' },
      ...[
        ...choices(
          'br;q=0 | gzip;q=0 | *;q=0 | identity;q=0 | identity;q=0, *;q=0 | * | gzip, br | , | GZIP',
        ),
        ...choices('gzip;q=0.5, *;q=0.1 | x-gzip | br;q=2 | br;q= | br;level=11 | zstd'),
        '',
      ].map((value) => ({ ...field('Accept-Encoding', value), target: '/v1/products' })),
      ...[
        ...choices(
          '*/* | */*;q=0 | application/json;q=0 | application/json;q=0, */* | application/* | , | "',
        ),
        ...choices('text/csv;q=0.1, application/json;q=0 | application/json; charset=utf-8'),
        ...choices('application/json; charset=latin1 | application/json;q="1" | application/problem+json'),
        '',
        'a'.repeat(8_000),
      ].map((value) => field('Accept', value)),
      ...[
        ...choices('* | "*" | " | W/ | \xff'),
        etag,
        etag.slice(2),
        etag.replace('W/', 'w/'),
        ' * ',
        manyTags,
        `${manyTags}, ${etag}`,
        `${etag},${etag}`,
        `"x${etag}`,
        '',
        `"\xff", ${etag}`,
      ].map((value) => field('If-None-Match', value)),
      ...[etag, '*', '""'].map((value) => field('If-Match', value)),
      field('If-Modified-Since', 'Sun, 22 Nov 2037 00:00:00 GMT'),
      field('If-Unmodified-Since', 'Sun, 22 Nov 1987 00:00:00 GMT'),
      { fields: `If-None-Match: ${etag}\r\nIf-None-Match: "x"\r\n` },
      { fields: `If-None-Match: ${etag}\r\nIf-Modified-Since: x\r\n` },
      { fields: `If-None-Match: ${etag}\r\nRange: bytes=0-1\r\n` },
      ...['bytes=0-1', 'bytes=-1', 'items=0-', 'bytes=999999-'].map((value) => field('Range', value)),
      { fields: `Range: bytes=0-1\r\nIf-Range: ${etag}\r\n` },
      ...choices(
        'max-age=1 | only-if-cached | no-store | max-stale | no-cache="x" | x-no-cache | max-age=00 | min-fresh=1000',
      ).map((value) => field('Cache-Control', value)),
      ...['100-continue', 'nonsense', ''].map((value) => field('Expect', value)),
      ...choices('close | keep-alive | x | Authorization | close, te | Upgrade').map((value) =>
        field('Connection', value),
      ),
      {
        fields:
          'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n',
      },
      {
        fields:
          'Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n',
      },
      { fields: 'Content-Length: 0\r\n' },
      { fields: 'Content-Length: 2\r\n\r\n{}\r\n' },
      {
        fields:
          'Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\nX: y\r\n',
      },
      { fields: 'Content-Type: application/json\r\n' },
      { fields: 'Host: elsewhere\r\n' },
      { fields: `Authorization: Bearer ${token}\r\n` },
      { fields: `AUTHORIZATION: Bearer x\r\n` },
      { fields: 'a:\r\n'.repeat(1_900) },
      { fields: 'a:\r\n'.repeat(2_100) },
      { fields: `X: ${'x'.repeat(15_000)}\r\n` },
      { fields: 'X: a\r\n b\r\n' },
      { fields: 'X : a\r\n' },
      { fields: 'X\r\n' },
      { fields: 'X: \xff\r\n' },
      { fields: 'X: \0\r\n' },
      { fields: 'X-HTTP-Method-Override: DELETE\r\nX-Original-URL: /v1/me\r\nX-Rewrite-URL: /v1/me\r\n' },
      {
        fields:
          'X-Forwarded-Proto: http\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: evil.test\r\nForwarded: proto=http\r\n',
      },
      { fields: 'X-Forwarded-Proto: http\r\nX-Forwarded-Proto: https\r\n' },
      ...words('Origin Pragma Cookie Request-Id X-Request-Id Traceparent Tracestate Prefer TE').map((name) =>
        field(name, 'x'),
      ),
      ...[
        null,
        '',
        'Bearer',
        'Bearer ',
        `bearer ${token}`,
        `BEARER    ${token}`,
        `Bearer\t${token}`,
        `Bearer ${token} `,
        `Bearer ${token},`,
        `Bearer ${token} x`,
        `Bearer "${token}"`,
        `Bearer ${token}=`,
        `Bearer ${token}.`,
        'Basic eDp5',
        'Bearer \xff',
        `Bearer ${'x'.repeat(14_000)}`,
        `Bearer${' '.repeat(14_000)}${token}`,
        'Bearer cda_demo_public',
        token,
      ].map((bearer) => ({ bearer })),
    ]
    const before = app.edgeAnswers
    for (const each of nasty) {
      const name = JSON.stringify(each).replaceAll(token, 'TOKEN').slice(0, 160)
      const bytes = getRequest(each)
      await forget()
      const cold = await send(bytes)
      const known = await send(bytes)
      const warm = await send(bytes)
      t.match(cold, /^HTTP\/1\.1 [1234]\d\d /, name)
      t.equal(lasting(known), lasting(cold), `${name} from memory`)
      t.equal(lasting(warm), lasting(cold), `${name} without the router`)
    }
    t.ok(app.edgeAnswers - before > 60, 'a good part of them did without it')
  },
)
