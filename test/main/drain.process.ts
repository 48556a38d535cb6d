import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { listEntries } from '../../app/audit/list.ts'
import { addCustomer, createTestDatabase, lockProducts, secretKey, until } from '../helper.ts'
import { freePort } from '../servers.ts'
import { logInTo, type Service, startService, untilReady } from '../service.ts'
import { createSeverable } from '../severable.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const apiKey = await addCustomer(database, 'acme')
// These tests mostly wait.
t.jobs = 3

const start = async (env: Record<string, string> = {}): Promise<Service> => {
  const service = await startService({ DATABASE_URL: database.url, SECRET_KEY: secretKey, ...env })
  t.teardown(() => service.stop('SIGKILL'))
  return service
}

/** Not with fetch, which hides the `Connection` header. */
const ask = async (agent: Agent, url: string, headers: Record<string, string> = {}) => {
  const sent = request(url, { agent, headers }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode as number, connection: response.headers.connection as string }
}

const untilItListensNoMore = ({ base }: Service) =>
  until('it does not listen any more', async () => {
    const answer = await fetch(`${base}/health/live`).catch(() => undefined)
    return answer === undefined
  })

t.test('SIGTERM reports not ready, closes connections after a delay and exits with 0', async (t) => {
  const drainSeconds = 5
  const service = await start({ DRAIN_SECONDS: String(drainSeconds) })
  await untilReady(service)
  const { base } = service
  const headers = await logInTo(service, apiKey)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.match(await ask(agent, `${base}/v1/countries`, headers), { status: 200, connection: 'keep-alive' })
  const startedAt = Date.now()
  const stopped = service.stop()
  await until('not ready', async () => (await fetch(`${base}/health/ready`)).status === 503)
  t.equal((await fetch(`${base}/health/live`)).status, 200, 'alive all the same')
  t.match(await ask(agent, `${base}/v1/countries`, headers), { status: 200, connection: 'close' })
  t.match(await ask(agent, `${base}/v1/countries`, headers), { status: 200 }, 'new connections are taken')
  await untilItListensNoMore(service)
  t.ok(Date.now() - startedAt >= drainSeconds * 1_000 - 100, 'after the time for load balancers')
  t.equal(await stopped, 0)
})

t.test(
  'after SIGTERM, requests in flight are answered without a listener, and their reads are recorded',
  async (t) => {
    const service = await start()
    await untilReady(service)
    const headers = await logInTo(service, apiKey)
    const unlock = await lockProducts(database)
    const slow = fetch(`${service.base}/v1/products?name=slow`, { headers })
    await until('the slow one waits', async () => {
      const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_locks where not granted and relation = 'products'::regclass
        and database = (select oid from pg_database where datname = current_database())`.execute(
        database.operator,
      )
      return rows[0]?.n === 1
    })
    const stopped = service.stop()
    await untilItListensNoMore(service)
    await unlock()
    t.equal((await slow).status, 200)
    t.equal(await stopped, 0)
    const entries = await listEntries(database.operator, { limit: 50 })
    const products = entries.filter(
      ({ action, details }) => action === 'reads' && details?.resource === 'products',
    )
    t.equal(products.length, 1, 'the read that was in flight is in the audit trail')
  },
)

t.test('cuts requests that do not end, and exits cleanly', async (t) => {
  const service = await start()
  await untilReady(service)
  const headers = await logInTo(service, apiKey)
  const agent = new Agent({ keepAlive: true })
  // Its body is never sent.
  const hanging = request(`${service.base}/v1/auth/login`, {
    agent,
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': '1000',
      expect: '100-continue',
    },
  })
  hanging.on('error', () => {})
  hanging.write('{')
  await once(hanging, 'continue')
  t.equal(await service.stop(), 0)
  t.match(service.output(), /requests did not end in time/)
  t.match(
    service.output(),
    /the service stops[\s\S]*the service has stopped/,
    'and the log tells an end from a crash',
  )
})

t.test('a second signal ends the process immediately', async (t) => {
  const service = await start({ DRAIN_SECONDS: '10' })
  await untilReady(service)
  const startedAt = Date.now()
  service.child.kill('SIGTERM')
  await until('draining', async () => (await fetch(`${service.base}/health/ready`)).status === 503)
  // An earlier signal would count as the echo of the first.
  await delay(600)
  t.not(await service.stop('SIGTERM'), 0)
  t.ok(Date.now() - startedAt < 9_000, 'not after the time for load balancers')
})

t.test('a repeated signal for one stop still ends in order, with and without npm', async (t) => {
  const service = await start({ DRAIN_SECONDS: '1' })
  await untilReady(service)
  // Both signals arrive while it is stopped.
  for (const signal of ['SIGSTOP', 'SIGTERM', 'SIGINT'] as const) service.child.kill(signal)
  t.equal(await service.stop('SIGCONT'), 0)

  const port = await freePort()
  const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, PORT: String(port) }
  const npm = spawn('npm', ['start', '--silent'], { env: { ...process.env, ...env }, stdio: 'ignore' })
  t.teardown(() => npm.kill('SIGKILL'))
  const isThere = () =>
    fetch(`http://localhost:${port}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('it is there', isThere, 60_000)
  npm.kill('SIGTERM')
  await once(npm, 'exit')
  t.notOk(await isThere(), 'who is told to end npm ends the service, and before npm')
})

t.test('readiness depends on the database, liveness does not', async (t) => {
  const line = await createSeverable(database.url)
  t.teardown(() => line.close())
  const service = await start({ DATABASE_URL: line.url })
  await untilReady(service)
  const readStatus = async (path: string) => (await fetch(service.base + path)).status
  const said = (text: string) => service.output().split(text).length - 1
  const lost = () => said('the change log cannot be read')
  const found = () => said('the database is reachable again')
  // If the machine stalls, the database is lost for a moment.
  await until('it is there', () => lost() === found())
  const before = lost()
  line.sever()
  await until('not ready', async () => (await readStatus('/health/ready')) === 503)
  t.equal(await readStatus('/health/live'), 200)
  for (let count = 0; count < 20; count += 1) t.equal(await readStatus('/health/ready'), 503)
  t.same([lost(), found()], [before + 1, before], 'said once')
  await line.mend()
  await until('ready again', async () => (await readStatus('/health/ready')) === 200)
  await until('said', () => found() > before)
  t.equal(await service.stop(), 0)
  t.equal(said('"level":"error"'), 0, 'and not with every request')
})
