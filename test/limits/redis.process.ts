import { once } from 'node:events'
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { toRedisTag } from '../../app/db/redis.ts'
import { createConcurrency, leaseMs, renewEveryMs } from '../../app/limits/concurrency.ts'
import { createLimiter, type PlanPolicy } from '../../app/limits/limiter.ts'
import { createRedisLimits } from '../../app/limits/redis.ts'
import type { LimitStore } from '../../app/limits/store.ts'
import { after } from '../../app/overload/timer.ts'
import { testRedis } from '../servers.ts'
import { close, createEnding, holdMany } from './holding.ts'
import { connectStore, demand, newName, policies } from './redis-stores.ts'
import { until } from './until.ts'

const server = await testRedis()
t.teardown(() => server?.stop())
const skip = server ? false : 'there is no redis-server'
const url = server?.url ?? ''

const connect = (t: Test, to = url, warn?: (message: string) => void) => connectStore(t, to, warn)

const getSum = (settlements: Awaited<ReturnType<LimitStore['exchange']>>) =>
  settlements?.[0]?.counts.reduce((sum, [, units]) => sum + units, 0)

t.test('instances count together and never grant more than the quota', { skip }, async (t) => {
  const [a, b] = [await connect(t), await connect(t)]
  const name = newName()
  const first = await a.exchange(name, demand(100, 400))
  t.equal(first?.[0]?.granted, 400)
  const second = await b.exchange(name, demand(50, 200))
  t.equal(second?.[0]?.granted, 50)
  t.equal(getSum(second), 600)
  const third = await a.exchange(name, demand(5, 1))
  t.same([third?.[0]?.granted, getSum(third)], [0, 605], 'what was spent counts whatever the quota')
  t.equal(getSum(await b.exchange(name, demand(-10, 0))), 595, 'and so does what is given back')
  t.equal((await b.exchange(newName(), demand(0, 600)))?.[0]?.granted, 600, 'others have their own')
})

t.test('demands on two policies are granted in the same proportion', { skip }, async (t) => {
  const store = await connect(t)
  const both = (wanted: number) => policies.map((policy) => ({ policy, spent: 0, wanted }))
  const name = newName()
  t.same(
    (await store.exchange(name, both(60)))?.map(({ granted }) => granted),
    [60, 60],
  )
  t.same(
    (await store.exchange(name, both(80)))?.map(({ granted }) => granted),
    [40, 40],
  )
})

t.test('with Redis 300 ms late, each admitted request is charged exactly once', { skip }, async (t) => {
  const wayMs = 150
  const makeLate = (store: LimitStore): LimitStore => ({
    get isDown() {
      return store.isDown
    },
    get isRefused() {
      return store.isRefused ?? false
    },
    get instances() {
      return store.instances
    },
    async exchange(...given) {
      await delay(wayMs)
      const settlements = await store.exchange(...given)
      await delay(wayMs)
      return settlements
    },
    close: () => store.close(),
  })
  const direct = await connect(t)
  const stores = [makeLate(await connect(t)), makeLate(await connect(t))]
  const now = () => performance.now()
  // With 20, an instance has no lease, so that requests wait for a grant.
  for (const quota of [100_000, 200, 20]) {
    const plan = [{ name: 'minute', quota, windowSeconds: 60 }] as const
    const name = newName()
    const accounts = stores.map((store) => createLimiter<'minute'>({ store, now, after }).account(name, plan))
    let admitted = 0
    const take = async (account: (typeof accounts)[number]) => {
      const { violated } = await account.take({ minute: 1 })
      if (violated.length === 0) admitted += 1
    }
    const requests: Promise<void>[] = []
    for (let round = 0; round < 60; round += 1) {
      for (const account of accounts) for (let n = 0; n < 4; n += 1) requests.push(take(account))
      await delay(15)
    }
    await Promise.all(requests)
    const getCharged = async () =>
      getSum(await direct.exchange(name, [{ policy: plan[0], spent: 0, wanted: 0 }]))
    await until(async () => (await getCharged()) === admitted)
    await delay(2 * wayMs)
    t.equal(await getCharged(), admitted, `quota ${quota}`)
    t.ok(admitted >= Math.min(quota, 480))
  }
})

t.test('a refund takes back units of the part in which they were counted', { skip }, async (t) => {
  const store = await connect(t)
  const name = newName()
  const policy = { name: 'minute', quota: 60, windowSeconds: 10 } as const
  const exchange = (spent: number, refunds: readonly (readonly [number, number])[] = []) =>
    store.exchange(name, [{ policy, spent, refunds, wanted: 0 }])
  const startedMs = performance.now()
  const getAge = () => performance.now() - startedMs
  await exchange(10)
  // Two parts of the window.
  await until(() => getAge() > 400)
  const refunded = await exchange(3, [
    [getAge(), 9],
    [0, 2],
  ])
  t.same(refunded?.[0]?.counts.map(([, units]) => units).sort(), [1, 1])
  t.equal(getSum(await exchange(0, [[10_000, 1]])), 2, 'units that have left are not taken back')
  t.equal(getSum(await store.exchange(newName(), [{ policy, spent: 0, refunds: [[5, 9]], wanted: 0 }])), 0)
})

t.test('a malformed count is ignored, and affects only one account', { skip }, async (t) => {
  const store = await connect(t)
  const redis = new Redis(url)
  t.teardown(() => redis.disconnect())
  const [odd, wrong] = [newName(), newName()]
  const far = String(Date.now() + 3_600_000)
  await redis.hset(`certdata:${toRedisTag(odd.tag)}:limits:minute`, {
    x: '5',
    y: 'nonsense',
    z: '1e9/1',
    future: `600/${far}`,
    past: '600/1',
  })
  t.equal((await store.exchange(odd, demand(0, 600)))?.[0]?.granted, 600)
  await redis.set(`certdata:${toRedisTag(wrong.tag)}:limits:minute`, 'a text')
  t.equal(await store.exchange(wrong, demand(1, 1)), undefined)
  t.notOk(store.isDown)
  t.equal((await store.exchange(newName(), demand(0, 1)))?.[0]?.granted, 1)
})

t.test('more counts than a window has parts are ignored', { skip }, async (t) => {
  const store = await connect(t)
  const redis = new Redis(url)
  t.teardown(() => redis.disconnect())
  const exchangeWith = async (counts: number) => {
    const name = newName()
    const fields = Array.from({ length: counts }, (_, n) => [`part ${n}`, `1/${Date.now() - 1_000}`])
    await redis.hset(`certdata:${toRedisTag(name.tag)}:limits:minute`, Object.fromEntries(fields))
    return getSum(await store.exchange(name, demand(0, 0)))
  }
  t.equal(await exchangeWith(52), 52)
  t.equal(await exchangeWith(53), undefined)
  t.notOk(store.isDown)
})

type Way = { lateByMs: number; change: (answer: string) => string }

/** A proxy that delays and changes the answers of Redis. */
const connectThrough = async (
  t: Test,
  { lateByMs = 0, change = (answer: string) => answer }: Partial<Way> = {},
) => {
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connectTo(server?.port ?? 0, '127.0.0.1')
    client.pipe(upstream)
    upstream.on('data', (answer) => setTimeout(() => client.write(change(answer.toString())), lateByMs))
    upstream.on('close', () => client.destroy())
    for (const socket of [client, upstream]) socket.on('error', () => {})
    sockets.add(client)
  }).listen(0, '127.0.0.1')
  t.teardown(() => proxy.close())
  await once(proxy, 'listening')
  return { url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`, sockets }
}

t.test('a grant below 0 or above the demand is ignored', { skip }, async (t) => {
  let granted = 3
  const { url } = await connectThrough(t, {
    change: (answer) => answer.replace(':3\r\n', `:${granted}\r\n`),
  })
  const store = await connect(t, url)
  const exchange = async () => (await store.exchange(newName(), demand(0, 3)))?.[0]?.granted
  t.equal(await exchange(), 3)
  granted = 4
  t.equal(await exchange(), undefined)
  granted = -1
  t.equal(await exchange(), undefined)
  t.notOk(store.isDown)
})

t.test('a Redis that answers after 30 ms counts every request once', { skip }, async (t) => {
  const slow = await connectThrough(t, { lateByMs: 30 })
  const [store, direct] = [await connect(t, slow.url), await connect(t)]
  const name = newName()
  const limiter = createLimiter<PlanPolicy>({ store, now: () => performance.now(), after, maxAccounts: 1 })
  const account = limiter.account(name, policies)
  for (let i = 0; i < 60; i++) {
    const admission = await account.take({ burst: 1, minute: 1 })
    t.same(admission.violated, [])
    const next = performance.now() + 12
    await until(() => performance.now() > next)
  }
  const counted = async () => getSum(await direct.exchange(name, demand(0, 0))) ?? 0
  await until(async () => (await counted()) >= 60)
  // The next request reports the remaining units.
  account.charge({ burst: 1, minute: 1 })
  await until(async () => (await counted()) >= 61)
  t.equal(await counted(), 61)
  t.equal(account.use()[1]?.remaining, 600 - 61)
})

t.test('a connection that is reset leaves the process running', { skip }, async (t) => {
  // Between an error and the close of its connection, a ready client rejects every command synchronously.
  const { url, sockets } = await connectThrough(t)
  const store = await connect(t, url)
  for (const socket of sockets) socket.resetAndDestroy()
  await until(() => store.isDown)
  await until(() => !store.isDown)
})

t.test('a store without a listener counts as down and can be closed', async (t) => {
  const store = createRedisLimits({ url: 'redis://127.0.0.1:1', view: () => '', after, warn: () => {} })
  t.ok(store.isDown)
  t.equal(await store.exchange(newName(), demand(1, 1)), undefined)
  await store.close()
})

t.test('a closed store leaves no timer behind', async (t) => {
  const waiting = new Set<object>()
  const countedAfter = (ms: number, call: () => void) => {
    const timer = {}
    waiting.add(timer)
    const cancel = after(ms, () => {
      waiting.delete(timer)
      call()
    })
    return () => {
      waiting.delete(timer)
      cancel()
    }
  }
  const options = { url: 'redis://127.0.0.1:1', view: () => '', warn: () => {} }
  const store = createRedisLimits({ ...options, after: countedAfter })
  t.equal(waiting.size, 1)
  await store.close()
  t.equal(waiting.size, 0)
})

/** Waits for Redis as long as it takes: an instance that has no answer in time judges by itself. */
const patiently = (ms: number, call: () => void) => after(ms < 100 ? 60_000 : ms, call)

const openInstance = async (t: Test) => {
  const store = createRedisLimits({ url, view: () => '', after: patiently, warn: () => {} })
  t.teardown(() => store.close())
  await until(() => !store.isDown)
  return createConcurrency({ store, after })
}

t.test('instances share slots, and the end of a holder frees its slot', { skip }, async (t) => {
  const [a, b] = [await openInstance(t), await openInstance(t)]
  const account = { tag: 'shared', name: '' }
  const [first, second] = [createEnding(), createEnding()]
  await a.hold(account, 'exports', first)
  await b.hold(account, 'exports', second)
  for (const { hold } of [a, b]) t.equal(await holdMany(() => hold(account, 'exports', createEnding()), 3), 0)
  const closedAt = performance.now()
  close(first)
  await until(async () => (await holdMany(() => b.hold(account, 'exports', createEnding()), 1)) === 1)
  t.ok(performance.now() - closedAt < leaseMs - renewEveryMs, 'by its end, not by that of its lease')
  t.equal(await holdMany(() => a.hold(account, 'exports', createEnding()), 3), 0)
  t.equal(
    await holdMany(() => a.hold({ tag: 'bolt', name: '' }, 'exports', createEnding()), 3),
    2,
    'others have their own',
  )
})

t.test('the slots of a dead instance are released when their leases end', { skip }, async (t) => {
  const { hold } = await openInstance(t)
  const redis = new Redis(url)
  t.teardown(() => redis.disconnect())
  const key = `certdata:${toRedisTag('left')}:running:exports`
  const left = { tag: 'left', name: '' }
  const [seconds = '0'] = await redis.time()
  const now = Number(seconds) * 1_000
  await redis.zadd(key, now + leaseMs, 'of-the-living', now - 1, 'of-the-dead')
  t.equal(await holdMany(() => hold(left, 'exports', createEnding()), 3), 1)
  const expires = await redis.pttl(key)
  t.ok(expires > 0 && expires <= leaseMs, 'and the key itself goes with the last of them')
  await redis.set(`certdata:${toRedisTag('odd')}:running:exports`, 'a text')
  const odd = { tag: 'odd', name: '' }
  t.equal(await holdMany(() => hold(odd, 'exports', createEnding()), 3), 2, 'what is spoilt is not believed')
})
