import { sql } from 'kysely'
import { addCustomer, createTestDatabase, secretKey } from '../helper.ts'
import { percentile } from '../load.ts'
import { startService, untilReady } from '../service.ts'
import { type FloodOptions, type FloodResult, flood } from './flood.ts'

/**
 * Measures, in one run: how much of the peak is still answered when two, three and five times as much is asked,
 * all of it uncached; how soon the rest is refused; and what answers of each kind cost. Client, service and database
 * share the machine: read the ratios.
 */

const seconds = Number(process.env.SECONDS ?? 4)
const customers = 10
const rows = 200
const metricsToken = 'who-measures-has-this'

const print = (text: string) => process.stdout.write(`${text}\n`)
const database = await createTestDatabase()
const names = Array.from({ length: customers }, (_, n) => `c${n}`)
const keys = await Promise.all(names.map((name) => addCustomer(database, name, { plan: 'enterprise' })))
const noisyKey = await addCustomer(database, 'noisy')
await sql`insert into products (customer_id, id, name)
  select c.customer_id, 'p' || n, 'product ' || n
  from customers c, generate_series(1, ${rows}::int) n`.execute(database.operator)

const service = await startService({
  DATABASE_URL: database.url,
  SECRET_KEY: secretKey,
  LIMIT_ENTERPRISE_BURST: '1000000',
  LIMIT_ENTERPRISE_MINUTE: '1000000000',
  LOG_LEVEL: 'warn',
  // As it is by default: a late event loop sheds as well.
  OVERLOAD_LAG_MS: process.env.OVERLOAD_LAG_MS ?? '75',
  METRICS_TOKEN: metricsToken,
})
await untilReady(service)
const logIn = async (apiKey: string) => {
  const answer = await fetch(`${service.base}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`
}
const tokens = await Promise.all(keys.map(logIn))
const noisy = await logIn(noisyKey)
let asked = 0
/** A question that nobody asked before. */
const uncached = () => {
  asked += 1
  return {
    path: `/v1/products?limit=50&updated_at[gte]=2020-01-01T00:00:00.${String(asked).padStart(6, '0')}Z`,
    authorization: tokens[asked % customers] ?? '',
  }
}
const { port } = service
const rateOf = ({ inTime, seconds: during }: FloodResult, status: string) => (inTime[status] ?? 0) / during
const shown = (value: number | undefined) => (value ?? Number.NaN).toFixed(1)

/** Processor time that the service has used, in microseconds: tells what it costs, whoever else is on the machine. */
const usedMicroseconds = async (): Promise<number> => {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${service.base}/metrics`, { headers })).text()
  return 1e6 * Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1])
}
/** What an answer with this status costs where there are hardly others. */
const measureCost = async (what: string, status: string, options: Omit<FloodOptions, 'port' | 'seconds'>) => {
  const before = await usedMicroseconds()
  const result = await flood({ ...options, port, seconds })
  const used = (await usedMicroseconds()) - before
  print(`${what}: ${shown(used / (result.counts[status] ?? 0))} µs each; ${JSON.stringify(result.counts)}`)
  return result
}

const measurePeak = async () => {
  await flood({ port, seconds: 2, connections: 32, request: uncached })
  let peak = 0
  for (const connections of [16, 32, 64]) {
    const rate = rateOf(await flood({ port, seconds, connections, request: uncached }), '200')
    print(`${connections} connections, one request after another: ${shown(rate)} answers/s`)
    peak = Math.max(peak, rate)
  }
  return peak
}

const measureOverload = async (peak: number) => {
  for (const factor of [2, 3, 5]) {
    const perSecond = peak * factor
    const [before, own] = [await usedMicroseconds(), process.cpuUsage()]
    const result = await flood({ port, perSecond, seconds, connections: 2_000, request: uncached })
    const { user, system } = process.cpuUsage(own)
    const served = (await usedMicroseconds()) - before
    const refused = result.latencies[503] ?? []
    print(
      `${factor} times the peak: ${shown((100 * rateOf(result, '200')) / peak)} % of it answered, ` +
        `p99 ${shown(percentile(result.latencies[200] ?? [], 0.99))} ms; refused within p50 ` +
        `${shown(percentile(refused, 0.5))}, p99 ${shown(percentile(refused, 0.99))} ms; ` +
        `of a core: service ${shown(served / seconds / 1e4)} %, client ${shown((user + system) / seconds / 1e4)} %; ${JSON.stringify(result.counts)}`,
    )
  }
}

const peak = await measurePeak()
await measureCost('an uncached page', '200', { connections: 32, request: uncached })
const repeated = () => ({ path: '/v1/products?limit=50', authorization: tokens[0] ?? '' })
await measureCost('a cached page', '200', { connections: 32, request: repeated })
const overQuota = () => ({ path: '/v1/products?limit=50', authorization: noisy })
await measureCost('a refusal over the quota', '429', { connections: 32, request: overQuota })
// Room for 80: nearly all of 2,000 at once are refused.
await measureCost('a refusal of too much', '503', { connections: 2_000, request: uncached })
await measureOverload(peak)
await service.stop()
await database.close()
