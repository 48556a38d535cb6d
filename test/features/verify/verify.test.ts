import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { listCases } from '../../../app/features/verify/cases.ts'
import type { World } from '../../../app/features/verify/check.ts'
import { readQuotas } from '../../../app/features/verify/quotas.ts'
import { type PromiseOutcome, verifyService } from '../../../app/features/verify/verify.ts'
import { features } from '../../../app/features.ts'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { contract } from '../../api/contract.ts'
import { seedCountries, seedCustomer } from '../../api/world.ts'
import { run } from '../../command-line.ts'
import { addCustomer, createTestApp, createTestDatabase, type TestClock } from '../../helper.ts'

type Answer = { path: string; status: number; headers: IncomingHttpHeaders; body: string | Buffer }

const today = new Date().toISOString().slice(0, 10)
const database = await createTestDatabase()
const apiKey = await addCustomer(database, 'acme', { scopes: ['*', 'account:read'] })
const countries = await seedCountries(database, today)
await seedCustomer(database, 'acme', { seed: 1, today, countries })
await loadExampleData(database.operator, today)

/** Changes answers of the service, which is behind a proxy. */
let fault: (answer: Answer) => void = () => {}
let answers: Answer[] = []
let port = 0
const proxy = createServer(async (incoming, response) => {
  const { url: path = '', method, headers } = incoming
  const sent = request({ host: '127.0.0.1', port, path, method, headers })
  sent.end(await buffer(incoming))
  const [received] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers: fields } = received
  const answer: Answer = { path, status, headers: fields, body: await buffer(received) }
  fault(answer)
  if (answer.status === 0) return void response.destroy()
  answers.push(answer)
  if (answer.body.length > 0) {
    delete answer.headers['transfer-encoding']
    answer.headers['content-length'] = String(Buffer.byteLength(answer.body))
  }
  response.writeHead(answer.status, answer.headers).end(answer.body)
}).listen(0, 'localhost')
await once(proxy, 'listening')
const origin = `http://localhost:${(proxy.address() as AddressInfo).port}`
const clock: TestClock = { offsetMs: 0 }
const env = { LIMIT_DEMO_BURST: '20', LIMIT_DEMO_MINUTE: '60' }
const app = await createTestApp(database, { origin, clock, env })
port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
t.teardown(async () => {
  proxy.close()
  await app.close()
  await database.close()
})
t.afterEach(() => {
  fault = () => {}
  answers = []
})

const cli = (words: string, input = '') =>
  run(['verify', ...words.split(' ')], { env: { CERTDATA_API_KEY: input ? undefined : apiKey }, input })

const json = await cli(`${origin} --key - --json`, `${apiKey}\n`)
const { promises, ...summary } = JSON.parse(json.stdout)
for (const { section, promise, outcome, failures } of promises as PromiseOutcome[]) {
  t.test(`section ${section}: ${promise}`, async (t) => t.same([outcome, failures], ['kept', []]))
}

t.test('--json has a summary, and exit code 0 if every promise is kept', async (t) => {
  t.same([json.code, json.stderr], [0, ''])
  t.same(summary, { ok: true, url: origin, kept: promises.length, broken: 0, skipped: 0 })
  t.ok(promises.length > 80)
})

t.test('every resource of the contract has promises', async (t) => {
  const named = (promises as PromiseOutcome[]).map(({ promise }) => promise)
  for (const { name } of contract)
    t.equal(named.filter((promise) => promise.split(' ').includes(name)).length, 3, name)
})

t.test('config lists the variable with the API key', async (t) => {
  t.match((await run(['config'])).stdout, /^CERTDATA_API_KEY\n {4}.*only for certdata verify/m)
})

t.test('the demo shows most promises with at most half of its quota', async (t) => {
  const pause = async (ms: number) => {
    clock.offsetMs += ms
  }
  const credentials = { demoToken: 'cda_demo_public' }
  const verdicts: PromiseOutcome[] = []
  for await (const verdict of verifyService({ origin, credentials, features, pause })) verdicts.push(verdict)
  t.same(
    verdicts.flatMap(({ failures }) => failures),
    [],
  )
  t.ok(verdicts.filter(({ outcome }) => outcome === 'kept').length > 60)
  const quotas = answers.flatMap(({ headers }) => readQuotas(headers as Record<string, string>))
  t.ok(quotas.length > 100)
  t.same(
    quotas.filter(({ quota, remaining }) => remaining < quota / 2),
    [],
  )
  t.ok(clock.offsetMs > 30_000 && clock.offsetMs < 90_000, `waited ${clock.offsetMs} ms`)
})

t.test('the demo also checks a promise whose cases all learn a value', async (t) => {
  const promise = { promise: 'tags', cases: [{ path: '/v1/lab', learn: { tag: { header: 'etag' } } }] }
  const folder = t.testdir({ '04-tags.json': JSON.stringify([promise]) })
  const check = listCases([pathToFileURL(`${folder}/`)]).at(-1)
  const ask = async () => Promise.reject(new Error('asked'))
  await t.rejects(check?.run({ ask, isDemo: true, values: {} } as unknown as World) as Promise<void>, /asked/)
})

/** One fault for each kind of promise, and the promises that it breaks. */
const faults: [promise: string, path: RegExp, change: (answer: Answer) => void][] = [
  [
    'a matching If-None-Match gets 304 with ETag, Cache-Control and Vary',
    /products\/[^/?]+$/,
    ({ headers }) => delete headers.etag,
  ],
  ['the 404 of a misspelt path explains the mistake', /certificats/, (answer) => (answer.status = 410)],
  ['errors are problem documents with their status', /certificats/, () => {}],
  [
    'pages by cursor return each record once and in order, with a link to the next',
    /fields=id&limit=\d+&cursor/,
    (answer) => (answer.body = String(answer.body).replace(/\{"id":"[^"]*"\},/, '')),
  ],
  [
    'RateLimit and /v1/me report the same quotas',
    /^\/v1\/me$/,
    ({ headers }) => (headers['ratelimit-policy'] = '"burst";q=9;w=1, "minute";q=60;w=60'),
  ],
  [
    'filters of projects return exactly the matching records',
    /projects.*ne%5D/,
    (answer) => (answer.body = '{"data":[]}'),
  ],
  [
    'records of projects contain all fields, even if null',
    /projects\?limit=1$/,
    (answer) => (answer.body = String(answer.body).replace('"classification"', '"other"')),
  ],
  [
    'approvals are sorted by bytes, with null as the greatest value',
    /approvals\?sort=-/,
    (answer) => {
      const page = JSON.parse(String(answer.body))
      answer.body = JSON.stringify({ ...page, data: page.data.toReversed() })
    },
  ],
  [
    'every answer has security headers, and no Server or X-Powered-By',
    /^\/v1\/lab/,
    ({ headers }) => (headers.server = 'nginx'),
  ],
  [
    'every data answer has Data-As-Of, including 304',
    /^\/v1\/lab/,
    ({ headers }) => delete headers['data-as-of'],
  ],
  [
    'an API key gets a token by JSON and HTTP Basic',
    /auth.login/,
    (answer) => {
      if (answer.status !== 200) return
      answer.status = 201
      answer.body = ` ${answer.body}`
    },
  ],
  [
    'a token is signed by a published key and names its issuer and client',
    /jwks/,
    (answer) => (answer.body = '{"keys":[]}'),
  ],
  [
    'an address of 7 KiB gets an answer with its link to the next page',
    /id\[nin\]=.{6000}/,
    (answer) => {
      answer.status = 502
      answer.body = '<html>502 Bad Gateway</html>'
    },
  ],
  [
    'security.txt has an expiry date, and the API catalog is a linkset',
    /security\.txt/,
    // Cuts the connection.
    (answer) => (answer.status = 0),
  ],
]

t.test('a fault is reported with its promise, request, and expected and seen values', async (t) => {
  fault = (answer) => {
    for (const [, path, change] of faults) if (path.test(answer.path)) change(answer)
  }
  const { code, stdout } = await cli(origin)
  t.equal(code, 1)
  const broken = stdout.split('\n').filter((line) => line.endsWith('  BROKEN'))
  t.same(
    broken.map((line) => line.replace(/^§\d+ | +BROKEN$/g, '')).sort(),
    faults.map(([promise]) => promise).sort(),
  )
  t.match(stdout, /GET \/v1\/certificats\n +expected status 404\n +seen +status 410 "code":"not_found"\n/)
  t.match(stdout, /all requests\n +expected answers as in the contract\n +seen +socket hang up\n/)
  t.notMatch(stdout, apiKey)
  t.notMatch(stdout, /eyJ|authorization: [^…]/, 'nor a token or a password')
})

t.test('exit code 2 names the next step if the service or the account cannot be used', async (t) => {
  await addCustomer(database, 'simple', { plan: 'basic' })
  const cases: [words: string, says: RegExp][] = [
    ['http://localhost:1', /does not answer: .*ECONNREFUSED.*Check the address/],
    ['localhost', /expected an address such as https/],
    [`${origin}/v1`, /without a path/],
    [`${origin} --key cda_live_x`, /login is refused with status 401: The API key is not valid/],
    [`${origin} --key ${await addCustomer(database, 'simple', { plan: 'basic' })}`, /status 403/],
    [`${origin} --key x --demo`, /cannot be used with/],
  ]
  for (const [words, says] of cases) {
    const { code, stderr } = await cli(words)
    t.equal(code, 2, words)
    t.match(stderr, says)
  }
  t.match(await run(['verify', origin], { env: {} }), { code: 2, stderr: /set CERTDATA_API_KEY/ })
  fault = ({ path }) => path.endsWith('/login') && proxy.closeAllConnections()
  t.match(await cli(origin), { code: 2, stderr: /does not answer: .*Check the address/ }, 'at the login')
  fault = (answer) => (answer.body = '{}')
  t.match(await cli(origin), { code: 2, stderr: /is not this service/ })
  const refusal = JSON.stringify({ code: 'tls_required', detail: 'The request was not encrypted' })
  fault = (answer) => Object.assign(answer, { status: 403, body: refusal })
  const unencrypted = /status 403 tls_required: The request was not encrypted\. Give the https address/
  t.match(await cli(origin), { code: 2, stderr: unencrypted })
  t.match(await cli(`${origin} --latency`), { code: 2, stderr: unencrypted })
  fault = (answer) => Object.assign(answer, { status: 503, body: '{}' })
  const starting = {
    code: 2,
    stderr: /status 503: the service starts.*Try again when .*health\/ready answers 200/,
  }
  t.match(await cli(origin), starting)
  fault = (answer) => {
    if (answer.path === '/openapi.json') answer.body = '{}'
  }
  t.match(await cli(origin), { code: 2, stderr: /describes no lists of records/ })
})
