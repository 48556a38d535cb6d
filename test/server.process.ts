import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { addCustomer, closeAfter, createTestDatabase, secretKey, until } from './helper.ts'
import { freePort, makeDataFolder, testPostgres, testRedis } from './servers.ts'
import { logInTo, type Service, startService, untilReady } from './service.ts'
import { createSeverable } from './severable.ts'

/** The promise on a quiet machine: 5 s with the bundled database. 2 s with an existing one, doubled here. */
const secondStartMs = 5_000
const configuredStartMs = 4_000
/** One fast start of three is enough, because the suite shares its cores. */
const tries = 3
/** Time to load the code on a quiet machine. */
const usualLoadMs = 1_000

const start = async (env: Record<string, string>): Promise<Service> => {
  const service = await startService(env)
  t.teardown(() => service.stop('SIGKILL'))
  return service
}

/** Current time to load the code as a multiple of the usual time, at least 1. */
const measureSlowness = async (): Promise<number> => {
  const startedAt = Date.now()
  const program = `await import('./app/main/serve.ts')`
  const options = { cwd: join(import.meta.dirname, '..'), stdio: 'ignore' } as const
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], options)
  t.equal((await once(child, 'close'))[0], 0)
  return Math.max(1, (Date.now() - startedAt) / usualLoadMs)
}

/** Returns the first start that is ready in time, or the last one. The limit grows with the slowness. */
const startWithin = async (usualLimitMs: number, env: Record<string, string>) => {
  for (let count = 1; ; count += 1) {
    const limitMs = usualLimitMs * (await measureSlowness())
    const startedAt = Date.now()
    const service = await start(env)
    await untilReady(service)
    const tookMs = Date.now() - startedAt
    const isInTime = tookMs < limitMs
    if (isInTime || count === tries) return { service, isInTime, said: `${tookMs} of ${limitMs} ms` }
    await service.stop()
  }
}

const temporaryFolder = () => {
  const folder = makeDataFolder('server')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

t.test('a start on a used port fails and leaves no bundled PostgreSQL behind', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => void taken.close())
  await once(taken, 'listening')
  const dataDir = join(temporaryFolder(), 'data')
  const service = await start({
    DATA_DIR: dataDir,
    METRICS_PORT: String((taken.address() as AddressInfo).port),
  })
  const [code] = await once(service.child, 'close')
  t.equal(code, 1)
  t.match(service.output(), /address already in use .*set PORT/)
  t.ok(existsSync(join(dataDir, 'postgres', 'PG_VERSION')), 'it was made')
  t.notOk(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), 'and has ended')
})

/** Two tests use the same bundled database, because creating it takes seconds. */
const dataDir = join(temporaryFolder(), 'data')

t.test('without configuration the service creates and keeps example data and a key', async (t) => {
  const first = await start({ DATA_DIR: dataDir })
  await first.printed('/v1/auth/login -H')
  const banner = first.output()
  t.match(banner, first.base)
  t.match(banner, dataDir, 'with the folder that commands in other terminals need')
  t.match(banner, /curl -g '.+\[/, 'a ready curl, with -g for its brackets')
  const curl = /curl -g '([^']+)' -H 'Authorization: ([^']+)'/.exec(banner) as RegExpExecArray
  const page = await fetch(curl[1] as string, { headers: { authorization: curl[2] as string } })
  t.equal(page.status, 200)
  t.ok(((await page.json()) as { data: unknown[] }).data.length > 0, 'the curl that it prints shows data')

  const key = /cda_live_\w+/.exec(banner)?.[0] as string
  const headers = await logInTo(first, key)
  const me = await fetch(`${first.base}/v1/me`, { headers })
  t.match(await me.json(), { data: { customer: 'local', plan: 'premium' } })
  const own = await fetch(`${first.base}/v1/certificates`, { headers })
  t.match(await own.json(), { data: [] }, 'a live token sees no example data')
  t.equal(statSync(join(dataDir, 'local-customer.key')).mode & 0o777, 0o600)
  t.equal(await first.stop(), 0, 'SIGTERM ends it cleanly')

  const { service: second, isInTime, said } = await startWithin(secondStartMs, { DATA_DIR: dataDir })
  t.ok(isInTime, `a second start is soon ready: ${said}`)
  await second.printed(key)
  t.ok(await logInTo(second, key))
  t.equal(await second.stop('SIGINT'), 0, 'Ctrl-C ends it cleanly')
})

t.test('the bundled PostgreSQL is started again when it was killed', async (t) => {
  const service = await start({ DATA_DIR: dataDir })
  await untilReady(service)
  const pid = () => Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  const killed = pid()
  process.kill(killed, 'SIGKILL')
  await service.printed('it was started again')
  await untilReady(service)
  t.not(pid(), killed)
  t.equal(await service.stop(), 0)
  t.notOk(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), 'and ends with the service')
})

t.test('a signal during the start also stops the bundled PostgreSQL', async (t) => {
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  for (const WEB_CONCURRENCY of ['1', '2']) {
    const service = await start({ DATA_DIR: dataDir, WEB_CONCURRENCY })
    await until('PostgreSQL starts', () => existsSync(pidFile))
    t.equal(await service.stop(), 0)
    t.notOk(existsSync(pidFile))
  }
})

t.test('is ready within seconds on an existing, migrated database', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.close())
  const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey }
  const { service, isInTime, said } = await startWithin(configuredStartMs, env)
  t.ok(isInTime, said)
  t.equal(await service.stop(), 0)
})

t.test('a start without a database names it, listens and retries until a signal', async (t) => {
  const port = await freePort()
  for (const WEB_CONCURRENCY of ['1', '2']) {
    const service = await start({
      WEB_CONCURRENCY,
      SECRET_KEY: secretKey,
      DATABASE_URL: `postgresql://someone@127.0.0.1:${port}/nowhere`,
    })
    await service.printed(
      /PostgreSQL at 127\.0\.0\.1:\d+\/nowhere \(DATABASE_URL\) does not answer: the service retries every/,
    )
    t.equal((await fetch(`${service.base}/health/live`)).status, 200)
    t.equal((await fetch(`${service.base}/health/ready`)).status, 503)
    t.equal(await service.stop(), 0)
    t.notMatch(service.output(), /someone@/, 'no credentials in the log')
  }
})

t.test('while the database is unreachable, the service is live and refuses all other requests', async (t) => {
  const database = await createTestDatabase()
  const line = await createSeverable(database.url)
  closeAfter(t, line, database)
  line.sever()
  const service = await start({ DATABASE_URL: line.url, SECRET_KEY: secretKey, HOST: 'localhost' })
  const ask = (path: string) => fetch(service.base + path)
  await service.printed('does not answer: the service retries')
  const live = await ask('/health/live')
  t.equal(live.status, 200)
  t.match(await live.json(), { status: 'live' })
  t.match(live.headers.get('x-content-type-options'), 'nosniff')
  for (const path of ['/health/ready', '/v1/products', '/products/1', '/v1/auth/login']) {
    const answer = await ask(path)
    t.equal(answer.status, 503, path)
    t.equal(answer.headers.get('retry-after'), '1')
    t.match(await answer.json(), { code: 'unavailable', status: 503 })
  }
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some((each) => each.address === '::1'),
  )
  const hosts = ['127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])]
  const askAll = (path: string) =>
    Promise.all(hosts.map(async (host) => (await fetch(`http://${host}:${service.port}${path}`)).status))
  t.same(
    await askAll('/health/live'),
    hosts.map(() => 200),
    'IPv4 and IPv6',
  )
  await line.mend()
  await untilReady(service)
  t.same(
    await askAll('/health/ready'),
    hosts.map(() => 200),
  )
  t.equal((await ask('/v1/products')).status, 401)
  t.equal(await service.stop(), 0)
})

t.test('a database without the schema names the command', async (t) => {
  const database = await testPostgres()
  t.teardown(() => database.stop())
  const service = await start({ DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(32) })
  const [code] = await once(service.child, 'close')
  t.equal(code, 1)
  t.match(service.output(), /npx --no certdata migrate/)
})

t.test('the service starts on a newer schema, so that a release can be rolled back', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.close())
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  await owner.query(`insert into kysely_migration values ('9999-of-a-later-version', '2026-11-22T00:00:00Z')`)
  await owner.end()
  const service = await start({ DATABASE_URL: database.url, SECRET_KEY: secretKey })
  await untilReady(service)
  t.equal(await service.stop(), 0)
})

t.test('a login that may not use the serving role names the grant', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.close())
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  t.teardown(() => owner.end())
  const login = `web_${process.pid}`
  await owner.query(`create role ${login} login password 'web'`)
  // As parameters, because the address of a socket has no place for a user.
  const url = `${database.url}${database.url.includes('?') ? '&' : '?'}user=${login}&password=web`
  const env = { DATABASE_URL: url, SECRET_KEY: secretKey }
  const refused = await start(env)
  const [code] = await once(refused.child, 'close')
  t.equal(code, 1)
  t.match(refused.output(), /grant certdata_reader to/)
  t.notMatch(refused.output(), /migrate/, 'which would not help')

  await owner.query(`grant certdata_reader to ${login}`)
  const service = await start(env)
  await untilReady(service)
  t.equal(await service.stop(), 0)
  await owner.query(`drop role ${login}`)
})

t.test('an unreachable Redis is a warning, and is used as soon as it answers', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.close())
  const apiKey = await addCustomer(database, 'acme')
  const port = await freePort()
  const service = await start({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    REDIS_URL: `redis://127.0.0.1:${port}`,
  })
  await service.printed('Redis is unreachable')
  await untilReady(service)
  const headers = await logInTo(service, apiKey)
  const ask = () => fetch(`${service.base}/v1/products`, { headers })
  t.equal((await ask()).status, 200, 'it serves without')
  const redis = await testRedis(port)
  if (!redis) {
    return t.pass('uses Redis again', { skip: 'redis-server is not installed' })
  }
  t.teardown(() => redis.stop())
  await service.printed('Redis is reachable again')
  t.equal((await ask()).status, 200)
  t.equal(await service.stop(), 0)
})

t.test('a start in production names the missing variables of the house', async (t) => {
  const database = await createTestDatabase()
  closeAfter(t, database)
  const service = await start({
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://api.example',
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    TRUSTED_PROXIES: '127.0.0.1',
    OPERATOR_NAME: 'House',
  })
  await service.printed('whose service this is: set IMPRINT_URL, PRIVACY_URL')
  t.equal(await service.stop(), 0)
})

t.test('bad configuration stops the start with one message', async (t) => {
  const service = await start({ NODE_ENV: 'production' })
  const [code] = await once(service.child, 'close')
  t.equal(code, 1)
  for (const name of ['PUBLIC_URL', 'DATABASE_URL', 'SECRET_KEY']) t.match(service.output(), name)
})
