import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import t from 'tap'
import { addCustomer, createTestDatabase, secretKey, until } from '../helper.ts'
import { testRedis } from '../servers.ts'
import { logInTo, type Service, type ServiceOptions, startService, untilReady } from '../service.ts'
import { createSeverable } from '../severable.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const apiKey = await addCustomer(database, 'acme')

const start = async (env: Record<string, string> = {}, options: ServiceOptions = {}): Promise<Service> => {
  const common = { DATABASE_URL: database.url, SECRET_KEY: secretKey }
  const service = await startService({ ...common, ...env }, options)
  t.teardown(() => service.stop('SIGKILL'))
  return service
}
const ask = async ({ base }: Service, count = 1, headers: Record<string, string> = {}): Promise<number[]> => {
  const statuses: number[] = []
  for (let n = 0; n < count; n += 1) {
    const answer = await fetch(`${base}/v1/products`, { headers })
    await answer.arrayBuffer()
    statuses.push(answer.status)
  }
  return statuses
}
const count = (text: string, { output }: Service) => output().split(text).length - 1

t.test('the start waits for a database, and logs this once', async (t) => {
  const line = await createSeverable(database.url)
  t.teardown(() => line.close())
  line.sever()
  const service = await start({ DATABASE_URL: line.url })
  await service.printed('does not answer: the service retries')
  await delay(2_500)
  await line.mend()
  await untilReady(service)
  t.same(await ask(service), [401])
  t.equal(count('does not answer', service), 1)
  t.equal(count('PostgreSQL answers', service), 1)
  t.equal(await service.stop(), 0)
})

t.test('a full disk loses only the log', async (t) => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const service = await start({}, { stdout: full })
  await untilReady(service)
  t.same(await ask(service, 3), [401, 401, 401])
  await service.printed('the log cannot be written')
  t.equal(count('the log cannot be written', service), 1, 'said once, where it still can be')
  t.equal(await service.stop(), 0)
})

t.test('the service survives the end of its log reader', async (t) => {
  const service = await start()
  await untilReady(service)
  service.child.stdout?.destroy()
  t.same(await ask(service, 5), [401, 401, 401, 401, 401])
  await until('noticed', async () => {
    await ask(service)
    return count('the log cannot be written', service) === 1
  })
  t.same(await ask(service, 5), [401, 401, 401, 401, 401])
  t.equal(count('the log cannot be written', service), 1)
  t.equal(await service.stop(), 0)
})

t.test('a blocked log reader delays no answer and receives the whole log later', async (t) => {
  const service = await start({ LIMIT_PREMIUM_MINUTE: '1000000', LIMIT_PREMIUM_BURST: '1000000' })
  await untilReady(service)
  service.child.stdout?.pause()
  // More than a pipe holds, and less than the log stream keeps. Not 401, which would be delayed.
  const lines = 3_500
  const headers = await logInTo(service, apiKey)
  const statuses = await Promise.all(Array.from({ length: 10 }, () => ask(service, lines / 10, headers)))
  t.same(new Set(statuses.flat()), new Set([200]))
  t.equal(statuses.flat().length, lines)
  t.ok(count('"msg":"answered"', service) < lines, 'the pipe is full')
  service.child.stdout?.resume()
  await until('all is read', () => count('"route":"/v1/products"', service) === lines)
  t.equal(count('the log cannot be written', service), 0)
  t.equal(await service.stop(), 0)
})

t.test('a signal after an uncaught error does not close the process twice', async (t) => {
  const program = `import { endBySignal } from './app/main/end.ts'
    endBySignal(10_000, async ({ err }) => {
      console.log('closing', err?.message)
      setImmediate(() => process.kill(process.pid, 'SIGTERM'))
      await new Promise((resolve) => process.once('SIGTERM', () => setImmediate(resolve)))
    })
    setImmediate(() => { throw new Error('planted') })`
  const args = ['--input-type=module', '-e', program]
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  t.same([stdout, status], ['closing planted\n', 1])
})

t.test('a refused Redis password is logged once, after any earlier fault', async (t) => {
  const first = await testRedis()
  if (!first) return t.pass('serves without', { skip: 'redis-server is not installed' })
  await first.stop()
  const service = await start({ REDIS_URL: `redis://:wrong@127.0.0.1:${first.port}` })
  await service.printed('Redis is unreachable')
  t.notMatch(service.output(), /WRONGPASS|NOAUTH/)
  const redis = await testRedis(first.port, ['--requirepass', 'right'])
  t.teardown(() => redis?.stop())
  await service.printed('Redis refuses the user or password of REDIS_URL')
  t.match(service.output(), /WRONGPASS|NOAUTH/)
  await delay(1_000)
  t.equal(count('Redis refuses', service), 1)
  t.equal(await service.stop(), 0)
})

t.test(
  'a Redis that refuses the password counts as unreachable, is logged once, and is used once it accepts it',
  async (t) => {
    const redis = await testRedis()
    if (!redis) return t.pass('serves without', { skip: 'redis-server is not installed' })
    t.teardown(() => redis.stop())
    const client = new Redis(redis.url)
    t.teardown(() => client.disconnect())
    await client.config('SET', 'requirepass', 'right')
    const service = await start({ REDIS_URL: `redis://:wrong@127.0.0.1:${redis.port}` })
    await untilReady(service)
    t.same(await ask(service, 3), [401, 401, 401])
    await service.printed(/WRONGPASS|NOAUTH/)
    await service.printed('Redis is unreachable')
    await service.printed('Redis does not answer')
    await delay(1_500)
    // A busy machine may cause other warnings.
    t.equal(count('Redis is unreachable', service), 1, 'the cache says it once')
    t.equal(count('Redis does not answer', service), 1, 'and so do the limits')
    await client.config('SET', 'requirepass', 'wrong')
    await service.printed('Redis is reachable again')
    await service.printed('Redis answers again')
    t.equal(await service.stop(), 0)
    t.notMatch(service.output(), /wrong@/, 'without the password')
  },
)

// Redis 7.0 and 7.2 have different texts.
const notPermitted = /NOPERM|ACL failure|can't run this command/
const setUser = ['acl', 'setuser', 'default']
const metricsToken = 'who-measures-has-this'

t.test('a Redis that refuses writes shows in the metrics, and the log gives the reason', async (t) => {
  const redis = await testRedis()
  if (!redis) return t.pass('refuses', { skip: 'no redis-server is installed' })
  const admin = new Redis(redis.url)
  t.teardown(async () => {
    admin.disconnect()
    await redis.stop()
  })
  const service = await start({
    REDIS_URL: redis.url,
    METRICS_TOKEN: metricsToken,
    LIMIT_PREMIUM_BURST: '10000',
    LIMIT_PREMIUM_MINUTE: '100000',
  })
  await untilReady(service)
  const headers = await logInTo(service, apiKey)
  let asked = 0
  const read = async () => {
    await fetch(`${service.base}/v1/products?name=n${asked++}`, { headers })
    const metrics = await fetch(`${service.base}/metrics`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    })
    return [...(await metrics.text()).matchAll(/^certdata_redis_up\{use="(\w+)"\} (\d)$/gm)].map(
      ([, , up]) => up,
    )
  }
  const untilUp = (up: string) =>
    until(`both are ${up}`, async () => {
      const found = await read()
      return found.length === 2 && found.every((each) => each === up)
    })
  await untilUp('1')
  const refusals = [
    { begin: ['config', 'set', 'maxmemory', '1'], end: ['config', 'set', 'maxmemory', '0'] },
    { begin: ['replicaof', '127.0.0.1', '1'], end: ['replicaof', 'no', 'one'] },
    { begin: [...setUser, '-@write'], end: [...setUser, '+@write'] },
    { begin: [...setUser, '-@read'], end: [...setUser, '+@read'] },
    // Neither the heartbeat of the limits nor a write of the cache needs these.
    { begin: [...setUser, '-hset', '-get'], end: [...setUser, '+hset', '+get'] },
  ]
  for (const { begin, end } of refusals) {
    await admin.call(...(begin as [string]))
    await untilUp('0')
    await admin.call(...(end as [string]))
    await untilUp('1')
  }
  // ioredis logs this with `console`.
  await admin.call('acl', 'setuser', 'default', '-info')
  await admin.call('client', 'kill', 'type', 'normal', 'skipme', 'yes')
  await service.printed('INFO command fails')
  t.equal(await service.stop(), 0)
  const lines = service
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string; reason?: string })
  const countLines = (text: string) => lines.filter(({ msg }) => msg.startsWith(text)).length
  const refusalsOfCache = countLines('Redis refuses commands: answers are not shared')
  t.equal(countLines('Redis accepts writes again'), refusalsOfCache, 'a recovery follows a logged refusal')
  for (const code of [/^OOM/, /^READONLY/, notPermitted]) {
    const found = lines.filter(({ msg, reason = '' }) => /^Redis refuses/.test(msg) && code.test(reason))
    const kinds = found.map(({ msg, reason = '' }) => `${msg} ${reason.split(' ')[0]}`)
    t.equal(new Set(found.map(({ msg }) => msg)).size, 2, `the cache and the limits give the reason ${code}`)
    t.equal(new Set(kinds).size, kinds.length, 'each kind of reason once a minute')
  }
})
