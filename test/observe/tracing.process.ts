import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { findTraceId } from '../../app/observe/access-log.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { addCustomer, createTestDatabase, secretKey, until } from '../helper.ts'
import { freePort, testRedis } from '../servers.ts'
import { type Service, startService, untilReady } from '../service.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const apiKey = await addCustomer(database, 'acme')

/** Prints each module of OpenTelemetry that the process loads, except its API, which prom-client loads. */
const spy = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (/@opentelemetry\\/(?!api\\/)/.test(url)) process.stdout.write('LOADED ' + url + '\\n')
    return next(url, context)
  } })`)}`

const start = async (env: Record<string, string> = {}): Promise<Service> => {
  const common = { DATABASE_URL: database.url, SECRET_KEY: secretKey }
  const service = await startService({ ...common, ...env }, { execArgv: ['--import', spy] })
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  return service
}
const logIn = async ({ base }: Service) => {
  const body = JSON.stringify({ api_key: apiKey })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${base}/v1/auth/login`, { method: 'POST', headers, body })
  return ((await answer.json()) as { access_token: string }).access_token
}
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
const listLines = ({ output }: Service) =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

t.test('reads a valid traceparent and ignores a malformed one', async (t) => {
  t.equal(findTraceId(traceparent), traceId)
  t.equal(findTraceId(`cc-${traceId}-00f067aa0ba902b7-01-what-comes`), traceId, 'a later version')
  const bad = [
    undefined,
    '',
    `${traceparent}, ${traceparent}`,
    `${traceparent}-more`,
    `ff-${traceId}-00f067aa0ba902b7-01`,
    `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-00f067aa0ba902b7-1`,
  ]
  for (const header of bad) t.equal(findTraceId(header), undefined, String(header))
})

t.test(
  'without a collector or when disabled, OpenTelemetry is not loaded, and log lines have the trace of the caller',
  async (t) => {
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_SDK_DISABLED: 'true',
    })
    await fetch(`${service.base}/v1/products`, { headers: { traceparent } })
    await fetch(`${service.base}/v1/projects`, { headers: { traceparent: 'nonsense' } })
    await service.printed('"route":"/v1/projects"')
    const [first, second] = ['/v1/products', '/v1/projects'].map((route) =>
      listLines(service).find((line) => line.route === route),
    )
    t.equal(first?.trace_id, traceId)
    t.notOk('trace_id' in (second ?? {}))
    t.equal(await service.stop(), 0)
    t.notMatch(service.output(), 'LOADED')
  },
)

/** As if the packages of OpenTelemetry, except its API, were not installed. */
const without = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ resolve(specifier, context, next) {
    if (/^@opentelemetry\\/(?!api$)/.test(specifier))
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    return next(specifier, context)
  } })`)}`

t.test('without the packages of OpenTelemetry, the start names the command that installs them', async (t) => {
  const service = await startService(
    { DATABASE_URL: database.url, SECRET_KEY: secretKey, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    { execArgv: ['--import', without] },
  )
  const [code] = await once(service.child, 'exit')
  t.equal(code, 1)
  const peers = Object.entries(packageJson.peerDependencies).map(([name, version]) => `${name}@${version}`)
  t.match(service.output(), `Run: npm install --no-save --omit=dev ${peers.join(' ')}\n`)
})

t.test('a collector receives requests and their statements as one trace', async (t) => {
  const bodies: string[] = []
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    bodies.push(gunzipSync(Buffer.concat(chunks)).toString())
    t.match(request, { url: '/own/path', headers: { 'x-tenant': 'one' } })
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  t.teardown(() => collector.close())
  const { port } = collector.address() as AddressInfo
  const redis = await testRedis()
  t.teardown(() => redis?.stop())
  const service = await start({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/own/path`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/does/not/exist.pem',
    OTEL_SERVICE_NAME: 'another-name',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    ...(redis ? { REDIS_URL: redis.url } : {}),
  })
  const authorization = `Bearer ${await logIn(service)}`
  const url = `${service.base}/v1/products?name[prefix]=Secret`
  t.equal((await fetch(url, { headers: { authorization, traceparent } })).status, 200)
  const wrong = `${service.base}/v1/products?number[below]=Secret&valid_until=Secret`
  t.equal((await fetch(wrong, { headers: { authorization, traceparent } })).status, 400)
  await fetch(`${service.base}/v1/countries`, { headers: { authorization } })
  await service.printed('"route":"/v1/countries"')
  for (let count = 0; count < 3; count += 1) {
    await fetch(`${service.base}/v1/approvals`, { headers: { authorization, traceparent } })
  }
  const line = listLines(service).find(({ route }) => route === '/v1/countries')
  t.match(line?.trace_id, /^[\da-f]{32}$/, 'a new trace if the caller has none')
  t.equal(await service.stop(), 0, 'pending spans are sent before the end')
  t.match(service.output(), 'LOADED')

  type Span = {
    traceId: string
    spanId: string
    parentSpanId?: string
    name: string
    attributes: unknown[]
    status: unknown
  }
  type Sent = { resourceSpans: { resource: unknown; scopeSpans: { spans: Span[] }[] }[] }
  const sent = bodies.flatMap((body) => (JSON.parse(body) as Sent).resourceSpans)
  t.match(JSON.stringify(sent[0]?.resource), '"deployment.environment.name"')
  t.match(JSON.stringify(sent[0]?.resource), '"another-name"')
  t.match(service.output(), 'OpenTelemetry ignores a setting: Failed to read root certificate file')
  const spans = sent
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans))
    .filter((span) => span.traceId === traceId)
  const root = spans.find(({ name }) => name === 'GET /v1/products')
  t.equal(root?.parentSpanId, '00f067aa0ba902b7')
  t.match(JSON.stringify(root?.attributes), '"database"', 'source of the data')
  const sources = spans
    .filter(({ name }) => name === 'GET /v1/approvals')
    .map(({ attributes }) => /"(database|memory)"/.exec(JSON.stringify(attributes))?.[1])
  t.same(sources, ['database', 'memory', 'memory'], 'also cached answers, which do not reach the router')
  const children = JSON.stringify(spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId))
  t.match(children, 'postgresql')
  if (redis) t.match(children, '"redis"')
  const refused = spans.find(({ attributes }) => JSON.stringify(attributes).includes('"intValue":400'))
  t.match(refused, { name: 'GET /v1/products', status: { code: 0 } }, 'a bad request is not a failure')
  t.notMatch(bodies.join(), /Secret|cda_live/, 'no values')
})

t.test(
  'an unreachable collector delays no request, and each outage and recovery is logged once',
  async (t) => {
    const port = await freePort()
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    })
    const ask = () => fetch(`${service.base}/health/live`).then((answer) => answer.arrayBuffer())
    const list = (words: string) => listLines(service).filter(({ msg }) => String(msg).startsWith(words))
    const untilLogged = (words: string, count: number) =>
      until(`${words}, ${count} times`, async () => {
        await ask()
        return list(words).length >= count
      })
    const startCollector = async () => {
      let received = 0
      const collector = createServer((request, response) => {
        received += 1
        request.resume().on('end', () => response.end('{}'))
      }).listen(port, '127.0.0.1')
      await once(collector, 'listening')
      return {
        untilMore: (count: number) =>
          until('more spans arrive', async () => {
            await ask()
            return received >= count
          }),
        stop: () => {
          collector.closeAllConnections()
          return new Promise((resolve) => collector.close(resolve))
        },
      }
    }
    await untilLogged('traces cannot be delivered', 1)
    for (let count = 0; count < 10; count += 1) await ask()
    t.equal(list('traces cannot be delivered').length, 1)
    t.match(
      list('traces cannot')[0]?.reason,
      new RegExp(`^connect ECONNREFUSED 127\\.0\\.0\\.1:${port}, at http://127\\.0\\.0\\.1:${port}$`),
    )
    const collector = await startCollector()
    await untilLogged('traces are delivered again', 1)
    await collector.untilMore(3)
    t.equal(list('traces are delivered again').length, 1)
    await collector.stop()
    await untilLogged('traces cannot be delivered', 2)
    t.equal(await service.stop(), 0)
    t.equal(list('traces cannot be delivered').length, 2)
  },
)

t.test('spans that the collector accepts and refuses are counted', async (t) => {
  let status = 200
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end('{}'))
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  t.teardown(() => collector.close())
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    METRICS_TOKEN: 'metrics-of-the-tests',
  })
  const readCounts = async () => {
    const headers = { authorization: 'Bearer metrics-of-the-tests' }
    const text = await (await fetch(`${service.base}/metrics`, { headers })).text()
    const find = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
    const [sent, lost] = ['sent', 'lost'].map((each) => find(`certdata_trace_spans_total{outcome="${each}"}`))
    return { ended: find('certdata_trace_spans_ended_total'), sent: Number(sent), lost: Number(lost) }
  }
  await until('spans are sent', async () => (await readCounts()).sent > 0)
  t.equal((await readCounts()).lost, 0)
  status = 400
  await until('spans are lost', async () => (await readCounts()).lost > 0)
  const { ended, sent, lost } = await readCounts()
  t.ok(ended >= sent + lost, `${ended} ended, ${sent} sent, ${lost} lost`)
})
