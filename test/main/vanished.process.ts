import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { createDatabaseDoor, createDoor } from '../door.ts'
import { addCustomer, createTestDatabase, secretKey, until } from '../helper.ts'
import { testRedis } from '../servers.ts'
import { logInTo, type Service, startService, untilReady } from '../service.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const apiKey = await addCustomer(database, 'acme', { plan: 'enterprise' })
await sql`insert into products (customer_id, id, name, model)
  select 'acme', 'p' || n, 'p' || n, '0' from generate_series(1, 40) n`.execute(database.operator)
const token = 'who-measures-has-this'
// These tests mostly wait.
t.jobs = 4

const start = async (env: Record<string, string>): Promise<Service> => {
  const common = { DATABASE_URL: database.url, SECRET_KEY: secretKey, METRICS_TOKEN: token }
  const service = await startService({ ...common, ...env })
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  return service
}
const logIn = async (service: Service) => {
  const login = await logInTo(service, apiKey)
  return async (path: string) => {
    const sentAt = performance.now()
    const { status, headers } = await fetch(service.base + path, { headers: login })
    return { status, cacheStatus: headers.get('cache-status') ?? '', ms: performance.now() - sentAt }
  }
}
const figures = async ({ base }: Service, name: string) => {
  const text = await (
    await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  ).text()
  return [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d)$`, 'gm'))].map(([, value]) => Number(value))
}
const toHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')
/** Whether Linux runs a keep-alive timer for a connection. */
const isKeptAlive = (localPort: number, remotePort?: number): boolean => {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  return rows
    .map((row) => row.trim().split(/\s+/))
    .some(
      ([, local = '', remote = '', , , timer = '']) =>
        local.endsWith(`:${toHex(localPort)}`) &&
        (remotePort === undefined || remote.endsWith(`:${toHex(remotePort)}`)) &&
        timer.startsWith('02:'),
    )
}

t.test('a lost database makes answers stale or refused in time, and connections recover', async (t) => {
  const line = await createDatabaseDoor(database.url)
  t.teardown(() => line.close())
  const service = await start({ DATABASE_URL: line.url, DATABASE_POOL: '4', QUEUE_SECONDS: '10' })
  const ask = await logIn(service)
  t.match(await ask('/v1/products?limit=3'), { status: 200 })
  // Opens every connection of the pool.
  await Promise.all(Array.from({ length: 12 }, (_, n) => ask(`/v1/products/p${n + 1}`)))

  line.hold()
  const [cached, ...uncached] = await Promise.all([
    ask('/v1/products?limit=3'),
    ...Array.from({ length: 8 }, (_, n) => ask(`/v1/products/p${n + 21}`)),
  ])
  t.equal(cached.status, 200)
  const isStale = async () => /ttl=-/.test((await ask('/v1/products?limit=3')).cacheStatus)
  await until('what is known is given as stale', isStale)
  t.same(new Set(uncached.map(({ status }) => status)), new Set([503]), 'what is not known is refused')
  t.ok(
    uncached.every(({ ms }) => ms < 60_000),
    'and nobody waits for a quarter of an hour, until the system gives up',
  )
  t.equal((await fetch(`${service.base}/health/ready`)).status, 503)

  line.releaseNew()
  await until('ready', async () => (await fetch(`${service.base}/health/ready`)).status === 200)
  const back = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(`/v1/products?name=p${n + 1}`)))
  t.same(new Set(back.map(({ status }) => status)), new Set([200]), 'no dead connection is asked again')
  await until('what is known is fresh', async () => !(await isStale()))
  t.equal(await service.stop(), 0)
})

t.test('a database that accepts connections at the start without answering is retried', async (t) => {
  const line = await createDatabaseDoor(database.url)
  t.teardown(() => line.close())
  line.hold()
  const service = await startService({ DATABASE_URL: line.url, SECRET_KEY: secretKey })
  t.teardown(() => service.stop('SIGKILL'))
  await service.printed('does not answer: the service retries')
  line.releaseNew()
  await untilReady(service)
  t.equal(await service.stop(), 0)
})

t.test('an unreachable Redis costs a few milliseconds and is used again when it returns', async (t) => {
  const redis = await testRedis()
  if (!redis) return t.pass('is used again', { skip: 'redis-server is not installed' })
  t.teardown(() => redis.stop())
  const line = await createDoor(() => connect(redis.port, '127.0.0.1'))
  t.teardown(() => line.close())
  const service = await start({ REDIS_URL: `redis://127.0.0.1:${line.port}` })
  const ask = await logIn(service)
  const isShared = async () => (await figures(service, 'certdata_redis_breaker_open')).every((open) => !open)
  await until('both use it', async () => (await ask('/v1/products/p1')).status === 200 && (await isShared()))

  line.hold()
  for (let n = 1; n < 10; n += 1) t.match(await ask(`/v1/products/p${n}`), { status: 200 })
  await until('both have noticed', async () => {
    await ask(`/v1/products/p${Math.ceil(Math.random() * 40)}`)
    return (await figures(service, 'certdata_redis_breaker_open')).every((open) => open === 1)
  })
  line.releaseNew()
  await until('both use it again', isShared)
  t.equal(await service.stop(), 0)
})

t.test('idle connections are checked with keep-alive probes', async (t) => {
  if (!existsSync('/proc/net/tcp')) return t.pass('are asked', { skip: 'no Linux' })
  const line = await createDatabaseDoor(database.url)
  t.teardown(() => line.close())
  const linePort = line.port
  const service = await start({ DATABASE_URL: line.url })
  const client = connect(service.port, 'localhost')
  t.teardown(() => client.destroy())
  await once(client, 'connect')
  await until('the client', () => isKeptAlive(service.port, client.localPort))
  client.destroy()
  await logIn(service)
  const poolPorts = () =>
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((row) => row.trim().split(/\s+/))
      .filter(([, , remote = '']) => remote.endsWith(`:${toHex(linePort)}`))
      .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16))
  await until('the database', () => poolPorts().some((port) => isKeptAlive(port, linePort)))
  t.equal(await service.stop(), 0)
})
