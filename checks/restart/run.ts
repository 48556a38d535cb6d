import { sql } from 'kysely'
import { startHaproxy } from '../../test/haproxy.ts'
import { addCustomer, createTestDatabase, secretKey, until } from '../../test/helper.ts'
import { freePort } from '../../test/servers.ts'
import { type Service, startService, untilReady } from '../../test/service.ts'
import { quantile } from '../overload/load.ts'
import { startLoad } from './load.ts'

/**
 * Restarts two instances in turn, behind haproxy and under load over keep-alive connections. No request may
 * fail. Runs with and without haproxy's retries, so that the result does not depend on them.
 */

const rounds = Number(process.env.ROUNDS ?? 5)
const perSecond = 500
const drainSeconds = 2

const print = (text: string) => process.stdout.write(`${text}\n`)

const database = await createTestDatabase()
const apiKey = await addCustomer(database, 'acme', { plan: 'enterprise' })
await sql`insert into products (customer_id, id, name)
  select 'acme', 'p' || n, 'product ' || n from generate_series(0, 49) n`.execute(database.operator)

const start = async (port: number): Promise<Service> => {
  const service = await startService({
    PORT: String(port),
    PUBLIC_URL: 'http://localhost:1',
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    DRAIN_SECONDS: String(drainSeconds),
    LIMIT_ENTERPRISE_BURST: '1000000',
    LIMIT_ENTERPRISE_MINUTE: '1000000000',
    LOG_LEVEL: 'warn',
  })
  await untilReady(service)
  return service
}

const logIn = async (port: number): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** A page, one record, and a request that is rarely repeated. */
const path = (n: number) => {
  if (n % 3 === 0) return '/v1/products'
  return n % 3 === 1 ? `/v1/products/p${n % 50}` : `/v1/products?name[prefix]=${n}`
}

const run = async (retries: number): Promise<boolean> => {
  const ports = [await freePort(), await freePort()]
  const services = await Promise.all(ports.map(start))
  const haproxy = await startHaproxy({ instances: ports, retries })
  await until('haproxy sees both', async () => (await haproxy.countUp()) === ports.length)
  const authorization = `Bearer ${await logIn(haproxy.port)}`
  const load = startLoad({ port: haproxy.port, perSecond, headers: { authorization }, path })
  const exits: (number | null)[] = []
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, port] of ports.entries()) {
      exits.push(await (services[index] as Service).stop())
      services[index] = await start(port)
      await until('haproxy sees it', async () => (await haproxy.countUp()) === ports.length, 60_000)
    }
    print(`retries ${retries}, round ${round} of ${rounds}`)
  }
  const { sent, outcomes, latencies } = await load.stop()
  await haproxy.stop()
  for (const service of services) exits.push(await service.stop())
  const isGood = outcomes[200] === sent && exits.every((code) => code === 0)
  print(
    `retries ${retries}: ${sent} requests, ${JSON.stringify(outcomes)}, p50 ${quantile(latencies, 0.5).toFixed(1)} ms, ` +
      `p99 ${quantile(latencies, 0.99).toFixed(1)} ms, exit codes ${[...new Set(exits)].join()}: ` +
      (isGood ? 'no request failed' : 'FAILED'),
  )
  return isGood
}

const results: boolean[] = []
for (const retries of [3, 0]) results.push(await run(retries))
await database.close()
process.exitCode = results.every(Boolean) ? 0 : 1
