import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { toRedisTag } from '../../app/db/redis.ts'
import { createLimiter, type PlanPolicy, planPolicies } from '../../app/limits/limiter.ts'
import { after } from '../../app/overload/timer.ts'
import { connectStore, demand, newName, policies } from '../../test/limits/redis-stores.ts'
import { until } from '../../test/limits/until.ts'
import { testRedis } from '../../test/servers.ts'

const server = await testRedis()
t.teardown(() => server?.stop())
const skip = server ? false : 'there is no redis-server'
const url = server?.url ?? ''

const connect = (t: Test, to = url, warn?: (message: string) => void) => connectStore(t, to, warn)

t.test('units leave a window one window length after they entered it', { skip }, async (t) => {
  const store = await connect(t)
  const name = newName()
  const burst = (wanted: number) => store.exchange(name, [{ policy: policies[0] as never, spent: 0, wanted }])
  const startedMs = performance.now()
  t.equal((await burst(100))?.[0]?.granted, 100)
  await until(async () => ((await burst(1))?.[0]?.granted ?? 0) > 0)
  const tookMs = performance.now() - startedMs
  t.ok(tookMs >= 998 && tookMs < 1500, `${tookMs}`)
})

t.test('an instance is known while it lives', { skip }, async (t) => {
  const [a, b] = [await connect(t), await connect(t)]
  await until(() => a.instances === 2 && b.instances === 2)
  await b.close()
  await until(() => a.instances === 1)
  t.pass()
})

t.test('Redis deletes counts after one window length', { skip }, async (t) => {
  const store = await connect(t)
  const redis = new Redis(url)
  t.teardown(() => redis.disconnect())
  const name = newName()
  await store.exchange(name, demand(1, 0))
  const ttl = await redis.pttl(`certdata:${toRedisTag(name.tag)}:limits:minute`)
  t.ok(ttl > 0 && ttl <= 60_000)
})

t.test('a Redis that hangs loses its connection after 5 s, and is used again', { skip }, async (t) => {
  const own = await testRedis()
  if (!own) return
  t.teardown(() => own.stop())
  const warnings: string[] = []
  const store = await connect(t, own.url, (message) => void warnings.push(message))
  process.kill(own.pid, 'SIGSTOP')
  const startedMs = performance.now()
  t.equal(await store.exchange(newName(), demand(1, 0)), undefined)
  t.ok(performance.now() - startedMs < 6_000)
  await until(() => store.isDown)
  process.kill(own.pid, 'SIGCONT')
  await until(() => !store.isDown)
  t.equal((await store.exchange(newName(), demand(0, 1)))?.[0]?.granted, 1)
  t.equal(warnings.length, 2, 'the log has one line for each change')
})

t.test('a Redis that restarts is used again', { skip }, async (t) => {
  const own = await testRedis()
  if (!own) return
  const store = await connect(t, own.url)
  await own.stop()
  await until(() => store.isDown)
  t.equal(await store.exchange(newName(), demand(1, 0)), undefined)
  const back = await testRedis(own.port)
  t.teardown(() => back?.stop())
  await until(() => !store.isDown)
  t.equal((await store.exchange(newName(), demand(0, 1)))?.[0]?.granted, 1)
})

t.test('instances on one Redis let a flood have its quota and no more', { skip }, async (t) => {
  const name = newName()
  const deps = { now: () => performance.now(), after, maxAccounts: 10 }
  const stores = [await connect(t), await connect(t), await connect(t)]
  await until(() => stores.every(({ instances }) => instances === 3))
  const generous = planPolicies({ burst: 100, minute: 1_000_000 })
  const flooded = stores.map((store) => createLimiter<PlanPolicy>({ ...deps, store }).account(name, generous))
  let admitted = 0
  const startedMs = performance.now()
  const done = () => performance.now() - startedMs >= 2_500
  await Promise.all(
    flooded.map(async (account, index) => {
      // The first instance sends five times as many requests as the others.
      while (!done()) {
        for (let i = 0; i < (index === 0 ? 5 : 1); i++) {
          if ((await account.take({ burst: 1, minute: 1 })).violated.length === 0) admitted++
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
    }),
  )
  t.ok(admitted >= 270 && admitted <= 330, `${admitted} in two and a half windows of 100`)
})
