import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { addCustomer, createTestDatabase, secretKey } from '../helper.ts'
import { percentile } from '../load.ts'
import { startService, untilReady } from '../service.ts'
import type { FloodResult } from './flood.ts'
import type { Order } from './flooder.ts'

/**
 * Measures, in one run, what others notice of somebody who asks fifty times as often as they may, and of floods
 * without a good token: their p99 with and without, in turn. Each load comes from a process of its own; with service
 * and database they share the machine, so what the flood's own process takes is in it, too.
 */

const rounds = Number(process.env.ROUNDS ?? 8)
const seconds = Number(process.env.SECONDS ?? 2)
const customers = 10
const metricsToken = 'who-measures-has-this'

const print = (text: string) => process.stdout.write(`${text}\n`)
const database = await createTestDatabase()
const names = Array.from({ length: customers }, (_, n) => `c${n}`)
const keys = await Promise.all(names.map((name) => addCustomer(database, name, { plan: 'enterprise' })))
const noisyKey = await addCustomer(database, 'noisy')
await sql`insert into products (customer_id, id, name)
  select c.customer_id, 'p' || n, 'product ' || n
  from customers c, generate_series(1, 200) n`.execute(database.operator)
const folder = mkdtempSync(join(tmpdir(), 'certdata-neighbour-'))
const log = openSync(join(folder, 'log'), 'w')
const service = await startService(
  { DATABASE_URL: database.url, SECRET_KEY: secretKey, METRICS_TOKEN: metricsToken },
  { stdout: log },
)
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
const { port } = service

const start = async (order: Omit<Order, 'port' | 'seconds'>): Promise<FloodResult> => {
  const child = fork(join(import.meta.dirname, 'flooder.ts'))
  child.send({ ...order, port, seconds } satisfies Order)
  const [result] = (await once(child, 'message')) as [FloodResult]
  child.kill()
  return result
}
const repeated = '/v1/products?limit=50'
const unique = '/v1/products?limit=50&updated_at[gte]=2020-01-01T00:00:00.{n}Z'
/** Four of five questions were asked before. */
const others = () =>
  start({
    perSecond: 200,
    tickMs: 1,
    connections: 100,
    requests: tokens.flatMap((authorization, n) => [
      { path: n % 5 === 0 ? unique : repeated, authorization },
    ]),
  })
const usedSeconds = async (): Promise<number> => {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${service.base}/metrics`, { headers })).text()
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1])
}
const p99 = (results: readonly FloodResult[]) =>
  percentile(
    results.flatMap(({ latencies }) => latencies[200] ?? []).sort((a, b) => a - b),
    0.99,
  )

const measure = async (what: string, perSecond: number, request: Order['requests'][number]) => {
  const [alone, beside]: [FloodResult[], FloodResult[]] = [[], []]
  let [used, refused] = [0, 0]
  for (let round = 0; round < rounds; round += 1) {
    const before = await usedSeconds()
    alone.push(await others())
    const between = await usedSeconds()
    const noise = start({ perSecond, tickMs: 1, connections: 200, requests: [request] })
    beside.push(await others())
    const { counts } = await noise
    used += (await usedSeconds()) - between - (between - before)
    refused += Object.values(counts).reduce((sum, count) => sum + count, 0)
  }
  const each = (results: FloodResult[]) => results.map((result) => p99([result]).toFixed(1)).join(' ')
  print(
    `${what}, ${perSecond}/s (${((1e6 * used) / refused).toFixed(0)} µs each): others' p99 ` +
      `${p99(alone).toFixed(2)} → ${p99(beside).toFixed(2)} ms (${(100 * (p99(beside) / p99(alone) - 1)).toFixed(0)} %); ` +
      `rounds ${each(alone)} → ${each(beside)}`,
  )
}

// Until everything is compiled that will run.
await others()
await Promise.all([
  others(),
  start({ perSecond: 3_000, connections: 100, requests: [{ path: repeated, authorization: noisy }] }),
])
const only = process.env.ONLY
const cases: [string, number, Order['requests'][number]][] = [
  ['fifty times the minute of premium', 500, { path: repeated, authorization: noisy }],
  ['fifty times its burst', 5_000, { path: repeated, authorization: noisy }],
  ['the same, no question twice', 5_000, { path: unique, authorization: noisy }],
  ['tokens that are none', 5_000, { path: repeated, authorization: 'Bearer nobody' }],
  ['no token', 5_000, { path: repeated }],
]
for (const [index, each] of cases.entries()) if (!only || only.includes(String(index))) await measure(...each)
await service.stop()
await database.close()
rmSync(folder, { recursive: true })
