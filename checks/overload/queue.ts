import { sql } from 'kysely'
import { addCustomer, createTestDatabase, secretKey } from '../../test/helper.ts'
import { startService, untilReady } from '../../test/service.ts'
import { clientCore, moveTo, serviceCore } from './cores.ts'
import { formatMs, judge, say } from './judge.ts'
import { type LoadOptions, type LoadResult, load, quantile } from './load.ts'
import { slowDown } from './slow-database.ts'

/** Duration of every read of the slow database. The bottleneck is then connections, not the processor. */
const slowMs = 50
const seconds = Number(process.env.SECONDS ?? 8)
/** 240 requests. With 80, the slowest one alone would be the p99. */
const neighbourSeconds = 3 * seconds
/** The deadline of the queue, `Retry-After` for a connection that repeats sooner, and a tolerance for a busy machine. */
const refusedWithinMs = 1_000 + 1_000 + 250
const leastGoodput = 0.85
const mostNeighbour = 2

const getRate = ({ times, seconds: lasted }: LoadResult, status: string) =>
  (times[status]?.length ?? 0) / lasted
const listCounts = ({ times }: LoadResult) =>
  Object.entries(times)
    .map(([status, each]) => `${each.length} × ${status}`)
    .join(', ')

moveTo(serviceCore)
const database = await createTestDatabase()
const names = ['flood', 'quiet', 'c0', 'c1', 'c2', 'c3']
const keys = await Promise.all(names.map((name) => addCustomer(database, name, { plan: 'enterprise' })))
await sql`insert into products (customer_id, id, name)
  select c.customer_id, 'p' || n, 'product ' || n from customers c, generate_series(1, 200) n`.execute(
  database.operator,
)

/** Starts the service on the database as it is now. Returns a function that sends it uncached requests. */
const open = async () => {
  moveTo(serviceCore)
  const service = await startService(
    {
      DATABASE_URL: database.url,
      SECRET_KEY: secretKey,
      LIMIT_ENTERPRISE_BURST: '1000000',
      LIMIT_ENTERPRISE_MINUTE: '100000000',
      LOG_LEVEL: 'warn',
    },
    { isMeasured: true },
  )
  await untilReady(service)
  moveTo(clientCore)
  const tokens = await Promise.all(
    keys.map(async (api_key) => {
      const answer = await fetch(`${service.base}/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ api_key }),
      })
      return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`
    }),
  )
  let asked = 0
  const coldPage = (owners: readonly number[]) => () => {
    asked += 1
    return {
      path: `/v1/products?limit=50&updated_at[gte]=2020-01-01T00:00:00.${String(asked).padStart(6, '0')}Z`,
      authorization: tokens[owners[asked % owners.length] as number] as string,
    }
  }
  const ask = (owners: readonly number[], pace: LoadOptions['pace'], lasting = seconds) =>
    load({ port: service.port, seconds: lasting, request: coldPage(owners), pace })
  await ask([0, 1, 2, 3, 4, 5], { clients: 8 }, 3)
  return { ask, stop: () => service.stop() }
}
type Subject = Awaited<ReturnType<typeof open>>

const [flood, quiet] = [[0], [1]]
const everybody = [2, 3, 4, 5]

const checkColdConnections = async ({ ask }: Subject) => {
  for (const clients of [32, 64, 100]) {
    const result = await ask(flood, { clients })
    const isGood = Object.keys(result.times).join() === '200'
    judge(`${clients} cold connections of one customer: ${listCounts(result)}`, isGood)
  }
}

const checkNeighbour = async ({ ask }: Subject, where: string) => {
  const askQuietly = () => ask(quiet, { perSecond: 10 }, neighbourSeconds)
  const alone = await askQuietly()
  const [, beside] = await Promise.all([ask(flood, { clients: 64 }, neighbourSeconds), askQuietly()])
  const [without, with64] = [alone, beside].map(({ times }) => quantile(times['200'], 0.99)) as [
    number,
    number,
  ]
  const figures = `p99 ${formatMs(without)} alone, ${formatMs(with64)} beside 64 connections; ${listCounts(beside)}`
  const isAnswered = Object.keys(beside.times).join() === '200'
  judge(`neighbour at 10 requests/s, ${where}: ${figures}`, isAnswered && with64 <= mostNeighbour * without)
}

const checkSaturation = async ({ ask }: Subject) => {
  const peak = getRate(await ask(everybody, { clients: 64 }), '200')
  const times3 = await ask(everybody, { perSecond: 3 * peak })
  const goodput = getRate(times3, '200') / peak
  const refusals = times3.times['503'] ?? []
  const share = `${(100 * goodput).toFixed(1)} % of ${peak.toFixed(0)} answers/s`
  judge(`goodput at 3 times the peak: ${share}; ${listCounts(times3)}`, goodput >= leastGoodput)
  const [half, last] = [quantile(refusals, 0.5), refusals.at(-1) ?? 0]
  judge(`refusals: half within ${formatMs(half)}, the last after ${formatMs(last)}`, last <= refusedWithinMs)
}

say(`Each load lasts ${seconds} s; the service and PostgreSQL have one core, the clients the other.`)
const plain = await open()
await checkColdConnections(plain)
await checkNeighbour(plain, 'database at full speed')
await plain.stop()

await slowDown(database, slowMs)
const slow = await open()
await checkNeighbour(slow, `every read ${slowMs} ms`)
await checkSaturation(slow)
await slow.stop()
await database.close()
