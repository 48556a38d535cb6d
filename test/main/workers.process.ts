import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, createTestDatabase, lockProducts, secretKey, until } from '../helper.ts'
import { freePort, isAlive } from '../servers.ts'
import { logInTo, type Service, startService, untilReady } from '../service.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const apiKey = await addCustomer(database, 'acme')
const token = 'who-measures-has-this'

const start = async (env: Record<string, string> = {}): Promise<Service> => {
  const common = { DATABASE_URL: database.url, SECRET_KEY: secretKey, WEB_CONCURRENCY: '2' }
  const service = await startService({ ...common, METRICS_TOKEN: token, ...env })
  t.teardown(() => service.stop('SIGKILL'))
  return service
}
const listWorkers = ({ child }: Service): number[] =>
  execFileSync('sh', ['-c', `ps -o pid= --ppid ${child.pid} || true`], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number)
let asked = 0
/** Each request has a new connection. The primary gives connections to workers in turn. */
const ask = async ({ base }: Service, times: number): Promise<number[]> => {
  const statuses: number[] = []
  asked += times
  for (let n = 0; n < times; n += 1) {
    const sent = get(`${base}/v1/products`, { agent: new Agent() })
    const [response] = await once(sent, 'response')
    response.resume()
    await once(response, 'end')
    statuses.push(response.statusCode)
  }
  return statuses
}
const bothListen = async (service: Service) => {
  const count = () => service.output().split('a worker listens').length - 1
  await until('both listen', () => count() === 2, 60_000)
}
const refused = /^certdata_http_requests_total\{route="\/products",plan="none",status="401"\} (\d+)$/m
const countRefused = async (url: string): Promise<number> => {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  return Number(refused.exec(await answer.text())?.[1] ?? 0)
}

t.test('two workers share the port and report common figures', async (t) => {
  const metricsPort = await freePort()
  const service = await start({ METRICS_PORT: String(metricsPort) })
  await bothListen(service)
  asked = 0
  await until('both answer', async () => {
    t.same(new Set(await ask(service, 4)), new Set([401]))
    const pids = new Set(
      service
        .output()
        .split('\n')
        .filter((line) => line.includes('"status":401'))
        .map((line) => JSON.parse(line).pid as number),
    )
    return pids.size === 2
  })
  await ask(service, 10)
  // A busy worker may be left out once.
  const tellsAll = async (url: string) => (await countRefused(url)) === asked
  await until('the sum of both', () => tellsAll(`http://127.0.0.1:${metricsPort}/metrics`))
  for (let n = 0; n < 3; n += 1) {
    await until('the sum, whichever worker is asked', () => tellsAll(`${service.base}/metrics`))
  }

  const [victim = 0] = listWorkers(service)
  process.kill(victim, 'SIGKILL')
  await service.printed('a worker has ended and is replaced')
  await until('there are two again', () => {
    const now = listWorkers(service)
    return now.length === 2 && !now.includes(victim)
  })
  t.same(new Set(await ask(service, 6)), new Set([401]))
  t.equal(await service.stop(), 0)
  t.same(listWorkers(service), [])
})

t.test('an interrupt of the whole process group ends in order', async (t) => {
  const service = await start()
  await bothListen(service)
  for (const pid of listWorkers(service)) process.kill(pid, 'SIGINT')
  t.equal(await service.stop('SIGINT'), 0)
})

t.test('a second signal ends all processes immediately', async (t) => {
  const service = await start({ DRAIN_SECONDS: '10' })
  await untilReady(service)
  const workers = listWorkers(service)
  const startedAt = Date.now()
  service.child.kill('SIGTERM')
  await until('draining', async () => (await fetch(`${service.base}/health/ready`)).status === 503)
  // An earlier signal would count as the echo of the first.
  await delay(600)
  t.not(await service.stop('SIGTERM'), 0)
  t.ok(Date.now() - startedAt < 9_000, 'not after the time for load balancers')
  await until('workers are gone', () => !workers.some(isAlive))
})

t.test('workers answer their requests and end if the primary is killed', async (t) => {
  const service = await start({ DRAIN_SECONDS: '3' })
  await bothListen(service)
  const headers = await logInTo(service, apiKey)
  const read = async (path: string, options: RequestOptions = {}) => {
    const sent = get(service.base + path, { agent: new Agent(), headers, ...options })
    const [response] = await once(sent, 'response')
    return { status: response.statusCode as number, body: await text(response) }
  }
  const authorization = { headers: { authorization: `Bearer ${token}` } }
  // After the loss, the answer on a connection closes it.
  const [scraper, second] = [1, 2].map(() => ({
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    ...authorization,
  }))
  await read('/metrics', scraper)
  const unlock = await lockProducts(database)
  t.teardown(unlock)
  const slow = read('/v1/products?name=slow')
  await until('a read waits', async () => {
    const { rows } = await sql`
      select from pg_locks where not granted and relation = 'products'::regclass`.execute(database.operator)
    return rows.length === 1
  })
  await read('/metrics', second)
  const workers = listWorkers(service)
  t.equal(workers.length, 2)
  service.child.kill('SIGKILL')
  await service.printed(/(?:the primary process has ended[\s\S]*){2}/)
  t.equal((await read('/health/ready', scraper)).status, 503, 'on a connection of before')
  t.match(await read('/metrics', second), { status: 200, body: '' })
  await unlock()
  t.match(await slow, { status: 200 })
  await until('the workers end', () => !workers.some(isAlive))
  const again = await start({ PORT: String(service.port) })
  await untilReady(again)
  t.equal(await again.stop(), 0)
})

t.test('a worker that cannot start ends the service', async (t) => {
  const service = await start({ SECRET_KEY: 'another secret than the database was sealed with' })
  const [code] = await once(service.child, 'close')
  t.equal(code, 1)
  t.match(service.output(), /The service cannot start/)
})
