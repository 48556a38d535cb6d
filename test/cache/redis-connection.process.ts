import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { createRedisCache, type RedisCacheOptions } from '../../app/cache/redis.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { after } from '../../app/overload/timer.ts'
import { createDoor } from '../door.ts'
import { until } from '../helper.ts'
import { freePort, testRedis } from '../servers.ts'
import { createEntry } from './entry.ts'

const redis = await testRedis()
if (!redis) t.test('the connection to Redis', { skip: 'no redis-server here: NOT tested' }, async () => {})

const open = (t: Test, url: string, options: Partial<RedisCacheOptions> = {}) => {
  const warnings: string[] = []
  const cache = createRedisCache({
    url,
    secrets: createSecrets(['a secret of the tests, longer than thirty-two characters']),
    epoch: () => 'e',
    ttlSeconds: 60,
    warn: (message) => warnings.push(message),
    ...options,
  })
  t.teardown(() => cache.close())
  return { cache, warnings }
}

if (redis) {
  t.teardown(redis.stop)

  t.test('refused writes are reported once, and so is their end', async (t) => {
    const admin = new Redis(redis.url)
    t.teardown(() => admin.disconnect())
    const { cache, warnings } = open(t, redis.url)
    const write = (n: number) => cache.set(createEntry('x', { key: `key ${n}` }))
    await admin.config('SET', 'maxmemory', '1')
    // Nothing is written before the connection is ready.
    await until('the refusal is reported', () => {
      write(0)
      return warnings.length > 0
    })
    for (let n = 1; n < 10; n++) write(n)
    // Redis answers commands of a connection in order.
    await cache.get('acme', 'key 0', ['products'])
    t.match(warnings, [/^Redis refuses commands/])
    t.equal(warnings.length, 1)
    await admin.config('SET', 'maxmemory', '0')
    await until('the end is reported', () => warnings.length > 1)
    t.equal(warnings[1], 'Redis accepts writes again')
  })

  t.test('a closed cache tries no more writes', async (t) => {
    const admin = new Redis(redis.url)
    t.teardown(() => admin.disconnect())
    const tries: (() => void)[] = []
    const { cache, warnings } = open(t, redis.url, {
      after(ms, call) {
        if (ms < 1_000) return after(ms, call)
        tries.push(call)
        return () => {}
      },
    })
    const tryAgain = async () => {
      const before = tries.length
      tries.at(-1)?.()
      await until('it waits for the next try', () => tries.length > before)
    }
    await admin.config('SET', 'maxmemory', '1')
    await until('the refusal is reported', () => {
      cache.set(createEntry('x', { key: 'key' }))
      return warnings.length > 0
    })
    await tryAgain()
    await cache.close()
    const before = tries.length
    tries.at(-1)?.()
    // A command on the closed connection fails within the same turn.
    for (let turn = 0; turn < 20; turn++) await delay(0)
    t.equal(tries.length, before)
    await admin.config('SET', 'maxmemory', '0')
  })

  t.test('an unreachable Redis is reported once, and so is its return', async (t) => {
    const port = await freePort()
    const { warnings } = open(t, `redis://127.0.0.1:${port}`)
    await until('it is reported', () => warnings.length > 0)
    const started = await testRedis(port)
    t.teardown(() => started?.stop())
    await until('the return is reported', () => warnings.length > 1)
    t.match(warnings, [/^Redis is unreachable/, /^Redis is reachable again/])
    t.equal(warnings.length, 2)
    await started?.stop()
    await until('it is reported again', () => warnings.length > 2)
    t.match(warnings[2], /^Redis is unreachable/)
  })

  t.test('a connection is replaced once it has hung for more than 5 s', async (t) => {
    const door = await createDoor(() => connect(redis.port, '127.0.0.1'))
    t.teardown(door.close)
    let nowMs = 0
    let commands = 0
    const { cache } = open(t, `redis://127.0.0.1:${door.port}`, {
      now: () => nowMs,
      after(ms, call) {
        commands += 1
        return after(ms, call)
      },
    })
    await until('the connection is ready', () => cache.figures?.().isUp === true)
    door.holdOpen()
    await until('Redis is bypassed', async () => {
      await cache.get('acme', 'key', ['products'])
      return cache.figures?.().isBreakerOpen === true
    })
    nowMs = 5_000
    const enough = commands + 3
    await until('the hanging connection is probed', () => commands >= enough)
    t.equal(door.accepted, 1)
    nowMs += 1
    await until('Redis is used again', () => cache.figures?.().isBreakerOpen === false)
    t.equal(door.accepted, 2)
    const before = commands
    for (let n = 0; n < 10; n++) await cache.get('acme', 'key', ['products'])
    t.equal(commands - before, 10, 'the probes have ended')
  })
}
