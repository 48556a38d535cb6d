import { readFileSync } from 'node:fs'
import os from 'node:os'
import { sql } from 'kysely'
import { type Spent, watchLoop, watchSteal } from '../../bench/lib/machine.ts'
import { createTestDatabase, secretKey } from '../helper.ts'
import { percentile } from '../load.ts'
import { startService, untilReady } from '../service.ts'
import { addCustomers, logInAt } from './customers.ts'
import { type FloodOptions, type FloodResult, flood } from './flood.ts'

/**
 * Measures, in one run: how much of the peak is still answered when two, three and five times as much is asked,
 * all of it uncached; how soon the rest is refused, with and without the time that a new connection waits to be taken
 * and the lateness of this client; and what answers of each kind cost. Client, service and database share the machine:
 * read the ratios, and how long the event loops of service and client waited for a core while they had work. All of it
 * a second time with the database at the lowest priority: it takes most of the cores, and is on another machine where
 * it matters how soon the service looks at what arrives.
 */

const seconds = Number(process.env.ROUND_SECONDS ?? 4)
/** For each factor, until the machine was not taken away meanwhile. */
const attempts = Number(process.env.ATTEMPTS ?? 4)
/** Of all cores' time. */
const tolerated = 0.02
const metricsToken = 'who-measures-has-this'

const print = (text: string) => process.stdout.write(`${text}\n`)
const database = await createTestDatabase()
const { keys, noisyKey } = await addCustomers(database)

const service = await startService(
  {
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    LIMIT_ENTERPRISE_BURST: '1000000',
    LIMIT_ENTERPRISE_MINUTE: '1000000000',
    // Over the minute's quota and far from the second's: a refusal that is sent at once.
    LIMIT_PREMIUM_BURST: '1000000',
    LOG_LEVEL: 'warn',
    // As it is by default: a late event loop sheds as well.
    OVERLOAD_LAG_MS: process.env.OVERLOAD_LAG_MS ?? '75',
    METRICS_TOKEN: metricsToken,
  },
  { isMeasured: true },
)
await untilReady(service)
const tokens = await Promise.all(keys.map((key) => logInAt(service.base, key)))
const noisy = await logInAt(service.base, noisyKey)
let asked = 0
/** A question that nobody asked before. */
const uncached = () => {
  asked += 1
  return {
    path: `/v1/products?limit=50&updated_at[gte]=2020-01-01T00:00:00.${String(asked).padStart(6, '0')}Z`,
    authorization: tokens[asked % tokens.length] ?? '',
  }
}
const { port } = service
const rateOf = ({ inTime, seconds: during }: FloodResult, status: string) => (inTime[status] ?? 0) / during
const shown = (value: number | undefined) => (value ?? Number.NaN).toFixed(1)

/** Says so where the machine was taken away. */
const tell = (stolen: number) =>
  stolen <= tolerated ? '' : `; the machine was taken away for ${shown(100 * stolen)} % of the time`

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
    const stolen = watchSteal()
    const rate = rateOf(await flood({ port, seconds, connections, request: uncached }), '200')
    print(`${connections} connections, one request after another: ${shown(rate)} answers/s${tell(stolen())}`)
    peak = Math.max(peak, rate)
  }
  return peak
}

const showSpent = ({ running, waiting }: Spent) =>
  `${shown(100 * running)} % running, ${shown(100 * waiting)} % waiting for a core`

const quantiles = (values: readonly number[] = []) =>
  values.length === 0
    ? 'none'
    : `${values.length}: p50 ${shown(percentile(values, 0.5))}, p99 ${shown(percentile(values, 0.99))} ms`

/** Returns what was stolen meanwhile. */
const overload = async (peak: number, factor: number): Promise<number> => {
  const stolen = watchSteal()
  const [before, own] = [await usedMicroseconds(), process.cpuUsage()]
  const [serviceLoop, ownLoop] = [watchLoop(service.child.pid ?? 0), watchLoop(process.pid)]
  const result = await flood({
    ...{ port, seconds, perSecond: peak * factor, connections: 2_000, request: uncached },
  })
  const loops = `event loops: service ${showSpent(serviceLoop())}; client ${showSpent(ownLoop())}`
  const { user, system } = process.cpuUsage(own)
  const served = (await usedMicroseconds()) - before
  const taken = stolen()
  const cores = (microseconds: number) => `${shown(microseconds / seconds / 1e4)} %`
  print(
    `${factor} times the peak: ${shown((100 * rateOf(result, '200')) / peak)} % of it answered, ` +
      `p99 ${shown(percentile(result.latencies[200] ?? [], 0.99))} ms; ${JSON.stringify(result.counts)}; ` +
      `of a core: service ${cores(served)}, client ${cores(user + system)}${tell(taken)}\n` +
      `  refused, from when it was due ${quantiles(result.latencies[503])}\n` +
      `  of these on kept connections, from when it was written ${quantiles(result.onKept[503])}\n` +
      `  of these on new ones, with the connection ${quantiles(result.onNew[503])}\n` +
      `  this client wrote late by ${quantiles(result.lateness)}; ${loops}`,
  )
  return taken
}

const measureOverload = async (peak: number) => {
  for (const factor of [2, 3, 5]) {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if ((await overload(peak, factor)) <= tolerated) break
    }
  }
}

/** Connections that are opened from now on get what is left of the cores. */
const yieldDatabase = async (): Promise<void> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.operator)
  const [, parent] = readFileSync(`/proc/${rows[0]?.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  os.setPriority(Number(parent), os.constants.priority.PRIORITY_LOW)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()
    and backend_type = 'client backend'`.execute(database.operator)
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
await yieldDatabase()
print('The database at the lowest priority, as if it were elsewhere')
await measureOverload(await measurePeak())
await service.stop()
await database.close()
