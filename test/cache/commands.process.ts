import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import t from 'tap'
import { createRedisCache } from '../../app/cache/redis.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { connectRedis, toRedisTag } from '../../app/db/redis.ts'
import { until } from '../helper.ts'
import { testRedis } from '../servers.ts'

const redis = await testRedis()
if (redis) await testCommands(redis)
else t.test('commands of one turn', { skip: 'no redis-server here: NOT tested' }, async () => {})

async function testCommands({ port, stop }: NonNullable<typeof redis>) {
  /** `pieces`: from the client. While `isHeld`, responses of the server wait. */
  const line = { pieces: [] as string[], isHeld: false }
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    client.on('data', (piece) => line.pieces.push(piece.toString('latin1')))
    client.pipe(server)
    const waiting: Buffer[] = []
    server.on('data', async (answer) => {
      waiting.push(answer)
      await until('answers go on', () => !line.isHeld)
      for (const each of waiting.splice(0)) client.write(each)
    })
    for (const each of [client, server]) each.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cache = createRedisCache({
    url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    secrets: createSecrets(['a secret of the tests, longer than thirty-two characters']),
    epoch: () => 'e',
    ttlSeconds: 60,
    warn: () => {},
    // A stalled machine ends no wait.
    after: () => () => {},
  })
  t.teardown(async () => {
    await cache.close()
    proxy.close()
    await stop()
  })
  await until('connected', () => cache.figures?.().isUp === true)

  t.test('commands to Redis of one turn are sent in one piece', async (t) => {
    line.pieces = []
    await Promise.all(Array.from({ length: 50 }, (_, n) => cache.get('acme', `k${n}`, [])))
    t.equal(line.pieces.length, 1)
    t.equal(line.pieces.join('').split(toRedisTag('acme')).length - 1, 50)
  })

  t.test('commands with a deadline from the call, as for limits, are sent immediately', async (t) => {
    const limits = connectRedis(`redis://127.0.0.1:${port}`, {}) as Redis
    t.teardown(() => limits.disconnect())
    await once(limits, 'ready')
    const asked = limits.ping()
    t.equal(limits.stream.writableLength, 0)
    await asked
  })

  t.test('a later command does not wait for the answer of an earlier one', async (t) => {
    line.isHeld = true
    line.pieces = []
    const asked = [cache.get('acme', 'before', [])]
    await turn()
    asked.push(cache.get('acme', 'after', []))
    await until('both are sent', () => /before.*after/s.test(line.pieces.join('')))
    line.isHeld = false
    t.same(await Promise.all(asked), [undefined, undefined])
  })
}
