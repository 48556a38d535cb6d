import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { addCustomer, createTestDatabase, secretKey, until } from '../helper.ts'
import { startService, untilReady } from '../service.ts'
import { flood } from './flood.ts'

/**
 * Processor time of a cached and an uncached page with one process, with two workers, and with two services of one
 * process each, in turn, by the services' own figures. Each process has the same load in all three. Two that are
 * busy at once are slower on machines whose cores share something (caches, and a physical core between two threads
 * of it): two services, which share nothing, say how much of it is the machine's. What workers cost beside them is
 * theirs. Without a pace, client, database and a second process also crowd each other out of two cores.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    'with-peaks': { type: 'boolean', default: false },
  },
})
const seconds = Number(options.seconds)
const rounds = Number(options.rounds)
/** At full speed: until code is compiled, in every process. */
const warmSeconds = 3
/** Of two workers beside two services. */
const mostRatio = 1.1
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
type Kind = keyof typeof paths

/** A service with so many workers, who may ask it, and the processor time that it has used in microseconds. */
const start = async (workers: number) => {
  const service = await startService(
    {
      DATABASE_URL: database.url,
      SECRET_KEY: secretKey,
      LIMIT_ENTERPRISE_BURST: '1000000',
      LIMIT_ENTERPRISE_MINUTE: '1000000000',
      OVERLOAD_LAG_MS: '10000',
      LOG_LEVEL: 'warn',
      METRICS_TOKEN: metricsToken,
      WEB_CONCURRENCY: String(workers),
    },
    { isMeasured: true },
  )
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
  // What a worker's own start costs is not what its answers do.
  const connections = /^certdata_database_connections_max\{pool="primary"\} (\d+)/m
  await until('all are there', async () => (await read(connections)) === 10 * workers, 60_000)
  const used = async () => 1e6 * (await read(/^process_cpu_seconds_total (\S+)/m))
  return { service, authorization, workers, used }
}

type Started = Awaited<ReturnType<typeof start>>

const floodAll = async (
  all: readonly Started[],
  kind: Kind,
  perSecond: number | undefined,
  length: number,
) => {
  const results = await Promise.all(
    all.map(({ service, authorization, workers }) => {
      const request = () => ({ path: paths[kind](), authorization })
      const pace = perSecond === undefined ? {} : { perSecond: perSecond * workers, tickMs: 1 }
      return flood({ port: service.port, connections: 32 * workers, request, seconds: length, ...pace })
    }),
  )
  return results.reduce((sum, { counts }) => sum + (counts[200] ?? 0), 0)
}

/** Microseconds for each answer, with services of so many workers at once. */
const measure = async (workersOfEach: readonly number[]): Promise<Record<string, number>> => {
  const all: Started[] = []
  for (const workers of workersOfEach) all.push(await start(workers))
  const used = async () =>
    (await Promise.all(all.map((each) => each.used()))).reduce((sum, each) => sum + each, 0)
  const run = async (kind: Kind, perSecond?: number) => {
    await floodAll(all, kind, undefined, warmSeconds)
    const before = await used()
    const answers = await floodAll(all, kind, perSecond, seconds)
    return ((await used()) - before) / answers
  }
  const result: Record<string, number> = {}
  for (const kind of ['cached', 'uncached'] as const) {
    result[`${kind}, the same load for each`] = await run(kind, perSecondOfEach[kind])
    if (options['with-peaks']) result[`${kind}, all that can be answered`] = await run(kind)
  }
  for (const { service } of all) await service.stop()
  return result
}

const arrangements = { 'one process': [1], 'two workers': [2], 'two services': [1, 1] } as const
type Arrangement = keyof typeof arrangements
const names = Object.keys(arrangements) as Arrangement[]

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const measured: Record<Arrangement, Record<string, number>[]> = {
  'one process': [],
  'two workers': [],
  'two services': [],
}
for (let round = 0; round < rounds; round += 1) {
  // Another one goes first each time: what disturbs the machine favours none.
  for (let turn = 0; turn < names.length; turn += 1) {
    const name = names[(round + turn) % names.length] as Arrangement
    measured[name].push(await measure(arrangements[name]))
  }
}
for (const kind of Object.keys(measured['one process'][0] ?? {})) {
  const of = (name: Arrangement) => median(measured[name].map((each) => each[kind] ?? Number.NaN))
  const [one, workers, apart] = [of('one process'), of('two workers'), of('two services')]
  process.stdout.write(
    `${kind}: ${one.toFixed(0)} µs with one process, ${workers.toFixed(0)} µs with two workers (${(workers / one).toFixed(2)}), ${apart.toFixed(0)} µs with two services (${(apart / one).toFixed(2)}); workers beside services: ${(workers / apart).toFixed(2)}\n`,
  )
  // Without a pace what is measured is also who gets the cores.
  if (kind.endsWith('the same load for each') && workers / apart > mostRatio) process.exitCode = 1
}
await database.close()
