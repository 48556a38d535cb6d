import { sql } from 'kysely'
import { addCustomer, createTestDatabase, secretKey, until } from '../helper.ts'
import { startService, untilReady } from '../service.ts'
import { flood } from './flood.ts'

/**
 * Processor time of a cached and an uncached page with one process and with two workers, in turn, by the services' own
 * figures. With the same load for each process, what it costs to be two is what is left; with all that they can answer,
 * client, database and a second worker also crowd each other out of two cores.
 */

const seconds = 3
const rounds = 3
/** A fifth of what one can answer, so that two of them, the client and the database have room. */
const perSecondOfEach = { cached: 3_000, uncached: 100 }
const metricsToken = 'who-measures-has-this'

const database = await createTestDatabase()
const apiKey = await addCustomer(database, 'acme', { plan: 'enterprise' })
await sql`insert into products (customer_id, id, name)
  select 'acme', 'p' || n, 'product ' || n from generate_series(1, 200) n`.execute(database.operator)

let asked = 0
const paths = {
  cached: () => '/v1/products?limit=50',
  uncached: () => {
    asked += 1
    return `/v1/products?limit=50&updated_at[gte]=2020-01-01T00:00:00.${String(asked).padStart(6, '0')}Z`
  },
}
/** Microseconds for each answer. */
const measure = async (workers: number) => {
  const service = await startService({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    LIMIT_ENTERPRISE_BURST: '1000000',
    LIMIT_ENTERPRISE_MINUTE: '1000000000',
    OVERLOAD_LAG_MS: '10000',
    LOG_LEVEL: 'warn',
    METRICS_TOKEN: metricsToken,
    WEB_CONCURRENCY: String(workers),
  })
  await untilReady(service)
  const login = await fetch(`${service.base}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  const authorization = `Bearer ${((await login.json()) as { access_token: string }).access_token}`
  const read = async (figure: RegExp) => {
    const headers = { authorization: `Bearer ${metricsToken}` }
    const text = await (await fetch(`${service.base}/metrics`, { headers })).text()
    return Number(figure.exec(text)?.[1])
  }
  const used = async () => 1e6 * (await read(/^process_cpu_seconds_total (\S+)/m))
  // What a worker's own start costs is not what its answers do.
  const connections = /^certdata_database_connections_max\{pool="primary"\} (\d+)/m
  await until('all are there', async () => (await read(connections)) === 10 * workers, 60_000)
  const run = async (kind: keyof typeof paths, perSecond?: number) => {
    const request = () => ({ path: paths[kind](), authorization })
    const pace = perSecond === undefined ? {} : { perSecond: perSecond * workers, tickMs: 1 }
    const options = { port: service.port, connections: 32 * workers, request, ...pace }
    await flood({ ...options, seconds: 2 })
    const before = await used()
    const { counts } = await flood({ ...options, seconds })
    return ((await used()) - before) / (counts[200] ?? 0)
  }
  const result = {
    'cached, the same load for each': await run('cached', perSecondOfEach.cached),
    'uncached, the same load for each': await run('uncached', perSecondOfEach.uncached),
    'cached, all that can be answered': await run('cached'),
    'uncached, all that can be answered': await run('uncached'),
  }
  await service.stop()
  return result
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const one: Awaited<ReturnType<typeof measure>>[] = []
const two: typeof one = []
for (let round = 0; round < rounds; round += 1) {
  one.push(await measure(1))
  two.push(await measure(2))
}
for (const kind of Object.keys(one[0] ?? {}) as (keyof (typeof one)[number])[]) {
  const [single, both] = [one, two].map((list) => median(list.map((each) => each[kind]))) as [number, number]
  const ratio = both / single
  process.stdout.write(
    `${kind}: ${single.toFixed(0)} µs with one process, ${both.toFixed(0)} µs with two workers: ${ratio.toFixed(2)}\n`,
  )
}
await database.close()
