import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { createRedisLimits } from '../../app/limits/redis.ts'
import { after } from '../../app/overload/timer.ts'
import { addCustomer, createTestApp, createTestDatabase, logIn } from '../../test/helper.ts'
import { until } from '../../test/limits/until.ts'
import { testRedis } from '../../test/servers.ts'

const probe = await testRedis()
await probe?.stop()
const skip = probe ? false : 'there is no redis-server'

const database = await createTestDatabase()
t.teardown(() => database.close())

/** Starts services that share one database and one Redis. */
const createInstances = async (t: Test, env: Record<string, string>, count = 2) => {
  const redis = await testRedis()
  if (!redis) throw new Error('there is no redis-server')
  t.teardown(() => redis.stop())
  const stores = Array.from({ length: count }, () =>
    createRedisLimits({ url: redis.url, view: () => '', after, warn: () => {} }),
  )
  const apps = await Promise.all(stores.map((limitStore) => createTestApp(database, { env, limitStore })))
  t.teardown(async () => {
    for (const app of apps) await app.close()
    for (const store of stores) await store.close()
  })
  await until(() => stores.every(({ isDown, instances }) => !isDown && instances === count))
  return { redis, stores, apps }
}

let customers = 0
const newToken = async (app: FastifyInstance) => {
  const { token, get } = await logIn(app, await addCustomer(database, `customer-${++customers}`))
  t.equal((await get('/v1/products')).statusCode, 200)
  return token
}

type Asked = { atMs: number; tookMs: number; status: number }

/** Sends requests from this many concurrent clients to one instance until `isOver`. */
const flood = async (app: FastifyInstance, token: string, clients: number, isOver: () => boolean) => {
  const asked: Asked[] = []
  const client = async () => {
    while (!isOver()) {
      const atMs = performance.now()
      const headers = { authorization: `Bearer ${token}` }
      const { statusCode: status } = await app.inject({ url: '/v1/products', headers })
      // Lets sockets be read, as happens between real requests.
      await turn()
      asked.push({ atMs, tookMs: performance.now() - atMs, status })
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return asked
}

const admitted = (asked: readonly Asked[]) => asked.filter(({ status }) => status === 200).length
const runFor = (ms: number) => {
  const endMs = performance.now() + ms
  return () => performance.now() >= endMs
}
const whileAsking = (left: number) => {
  let rest = left
  return () => rest-- <= 0
}

for (const [sentence, clients] of [
  ['evenly', [4, 4]],
  ['unevenly', [9, 1]],
  ['on one of them only', [6, 0]],
] as const) {
  t.test(
    `two instances flooded ${sentence} let the quota through, window after window`,
    { skip },
    async (t) => {
      const { apps } = await createInstances(t, { LIMIT_PREMIUM_BURST: '100' })
      const token = await newToken(apps[0] as FastifyInstance)
      const isOver = runFor(3_500)
      const asked = (
        await Promise.all(apps.map((app, index) => flood(app, token, clients[index] as number, isOver)))
      ).flat()
      const total = admitted(asked)
      // Four windows begin in that time. A busy machine may be late for the last one.
      t.ok(total >= 0.9 * 300 && total <= 1.1 * 400, `${total} in 3.5 s, 400 can be, of ${asked.length}`)
      t.same([...new Set(asked.map(({ status }) => status))].sort(), [200, 429])
    },
  )
}

t.test('a minute quota is one quota over two instances', { skip }, async (t) => {
  const { apps } = await createInstances(t, { LIMIT_PREMIUM_MINUTE: '600' })
  const token = await newToken(apps[0] as FastifyInstance)
  const asked = await Promise.all(apps.map((app) => flood(app, token, 5, whileAsking(600))))
  const total = admitted(asked.flat())
  t.ok(total >= 595 && total <= 660, `${total} of 600`)
})

t.test('when Redis dies, each instance enforces the quota alone, without delays', { skip }, async (t) => {
  const { apps, redis, stores } = await createInstances(t, { LIMIT_PREMIUM_MINUTE: '300' })
  const token = await newToken(apps[0] as FastifyInstance)
  const before = (await Promise.all(apps.map((app) => flood(app, token, 3, whileAsking(50))))).flat()
  t.equal(admitted(before), before.length)
  await redis.stop()
  const after = await Promise.all(apps.map((app) => flood(app, token, 3, whileAsking(400))))
  t.ok(stores.every(({ isDown }) => isDown))
  for (const asked of after) {
    const own = admitted(asked)
    t.ok(own >= 300 - before.length - 10 && own <= 300, `${own} of 300 by itself`)
  }
  t.same(
    after.flat().filter(({ tookMs }) => tookMs > 500),
    [],
  )
})

t.test('a hanging Redis delays no request', { skip }, async (t) => {
  const { apps, redis, stores } = await createInstances(t, {})
  const token = await newToken(apps[0] as FastifyInstance)
  process.kill(redis.pid, 'SIGSTOP')
  const asked = (await Promise.all(apps.map((app) => flood(app, token, 3, runFor(300))))).flat()
  t.equal(admitted(asked), asked.length)
  t.ok(asked.length > 200, `${asked.length} answers in 300 ms`)
  process.kill(redis.pid, 'SIGCONT')
  await until(() => stores.every(({ isDown }) => !isDown))
})
