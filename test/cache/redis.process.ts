import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import t from 'tap'
import type { StoredEntry } from '../../app/cache/entry.ts'
import { createRedisCache, type SharedCache } from '../../app/cache/redis.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { toRedisTag } from '../../app/db/redis.ts'
import { regainTrust } from '../../app/db/trust.ts'
import { after as timer } from '../../app/overload/timer.ts'
import {
  addCustomer,
  connectOwner,
  createTestApp,
  createTestDatabase,
  logIn,
  startTestFence,
  withoutTriggers,
} from '../helper.ts'
import { testRedis } from '../servers.ts'
import { createEntry } from './entry.ts'

const redis = await testRedis()
if (!redis) t.test('instances share entries', { skip: 'no redis-server here: NOT tested' }, async () => {})
else await testShared(redis)

async function testShared({ url, port, pid, stop }: NonNullable<typeof redis>) {
  const secrets = createSecrets(['a secret of the tests, longer than thirty-two characters'])
  const now = () => performance.now()
  const opened: SharedCache[] = []
  /** Ends the waits for Redis. They have no timer, so that a busy machine ends none. Longer pauses have one. */
  const waits = new Set<() => void>()
  let longestMs = 0
  const after = (ms: number, call: () => void) => {
    if (ms >= 1_000) return timer(ms, call)
    longestMs = Math.max(longestMs, ms)
    waits.add(call)
    return () => waits.delete(call)
  }
  /** Until `work` is over. */
  const endWaits = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false
    const note = () => {
      isOver = true
    }
    work.then(note, note)
    await until(() => {
      for (const end of waits) end()
      waits.clear()
      return isOver
    })
    return work
  }
  const openCache = (using = secrets) => {
    const cache = createRedisCache({
      url,
      secrets: using,
      epoch: () => epoch,
      ttlSeconds: 60,
      warn: () => {},
      after,
    })
    opened.push(cache)
    return cache
  }
  const database = await createTestDatabase()
  const { fence, poller } = await startTestFence(database.url)
  await poller.close()
  const epoch = fence.last?.epoch as string
  const key = await addCustomer(database, 'acme')
  await sql`insert into products (customer_id, id, name)
    select 'acme', 'p' || n, 'product ' || n from generate_series(1, 50) n`.execute(database.operator)
  const [a, b] = [await open(), await open()]
  let client = new Redis(url, { maxRetriesPerRequest: null })
  let running = { pid, stop }
  t.teardown(async () => {
    for (const each of [a, b]) await each.app.close()
    for (const each of opened) await each.close()
    client.disconnect()
    await running.stop()
    await database.close()
  })

  /** Creates an instance of the service that shares Redis. `get` sends no `no-cache`. */
  async function open(shared = openCache()) {
    const app = await createTestApp(database, { shared })
    const { get: confirm } = await logIn(app, key)
    return { app, shared, confirm, get: (path: string) => confirm(path, { 'cache-control': '' }) }
  }

  const until = async (condition: () => Promise<unknown> | unknown, limitMs = 30_000): Promise<number> => {
    const start = now()
    while (!(await condition())) {
      if (now() - start > limitMs) throw new Error('it does not come')
      await delay(5)
    }
    return now() - start
  }
  const listKeys = (text: string) => client.keys(`certdata:${toRedisTag('acme')}:*${text}*`)
  /** Reads a path on the first instance, and waits until Redis has the answer. `mark`: a part of its name there. */
  const share = async (path: string, mark: string) => {
    await connected()
    const answer = await a.get(path)
    await until(async () => (await listKeys(mark)).length > 0)
    return answer
  }
  const connected = () =>
    until(() =>
      [a, b].every(({ shared }) => shared.figures?.().isUp && shared.figures?.().isBreakerOpen === false),
    )
  const getStatus = ({ headers }: Awaited<ReturnType<typeof share>>) => headers['cache-status']

  const dependsOn = ['products']
  const getEntry = (customerId: string, key: string, text: string, snapshot = '1:2:') =>
    createEntry(text, {
      customerId,
      key,
      epoch,
      snapshot: parseSnapshot(snapshot),
      at: '2026-01-01T00:00:00.000000Z',
      rows: 1,
      next: '/v1/products?cursor=x',
    })
  /** Stores an entry and reads its envelope from Redis. */
  const readSealed = async (
    cache: SharedCache,
    entry: StoredEntry,
  ): Promise<{ name: string; sealed: Buffer }> => {
    let name = ''
    await until(async () => {
      cache.set(entry)
      const names = await client.keys('certdata:*')
      const prefix = `certdata:${toRedisTag(entry.customerId)}:`
      name = names.find((each) => each.startsWith(prefix) && each.endsWith(`:${entry.key}`)) ?? ''
      return name !== ''
    })
    return { name, sealed: (await client.getBuffer(name)) as Buffer }
  }
  const shown = (entry: StoredEntry | undefined) =>
    entry && { ...entry, body: entry.body.toString(), encoded: undefined, fill: undefined }

  t.test('an answer of one instance is a hit in Redis for another, the same to the byte', async (t) => {
    const path = '/v1/products?limit=7&sort=-name'
    const first = await share(path, 'sort=-name')
    t.equal(getStatus(first), 'certdata; fwd=uri-miss; stored')
    const second = await b.get(path)
    t.equal(getStatus(second), 'certdata; hit; detail=redis')
    t.same(
      [second.body, second.headers.etag, second.headers.link],
      [first.body, first.headers.etag, first.headers.link],
    )
    t.equal(getStatus(await b.get(path)), 'certdata; hit', 'then from memory')
    const record = await share('/v1/products/p7', 'products/p7')
    const other = await b.get('/webapi/v1/api.php/products/p7')
    t.same(
      [getStatus(other), other.body],
      ['certdata; hit; detail=redis', record.body],
      'another form of the path',
    )
    const [name] = (await client.keys('*products/p7*')) as [string]
    t.ok(name.startsWith(`certdata:${toRedisTag('acme')}:`))
    t.ok((await client.pttl(name)) > 0, 'and it ends')
  })

  t.test('rejects an envelope with one changed byte', async (t) => {
    const cache = openCache()
    const entry = getEntry('acme', 'k', 'the body')
    const { name, sealed } = await readSealed(cache, entry)
    const find = () => cache.get('acme', 'k', dependsOn)
    t.same(shown(await find()), shown(entry))
    const accepted: number[] = []
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at)
      await client.set(name, changed, 'PX', 60_000)
      if (await cache.get('acme', 'k', dependsOn)) accepted.push(at)
    }
    t.same(accepted, [])
    const cut = [0, 1, 4, 35, 36, sealed.length - 32, sealed.length - 1].map((end) => sealed.subarray(0, end))
    for (const bytes of [
      ...cut,
      Buffer.concat([sealed, Buffer.of(0)]),
      Buffer.alloc(500),
      Buffer.from('garbage'),
    ]) {
      await client.set(name, bytes, 'PX', 60_000)
      t.equal(await cache.get('acme', 'k', dependsOn), undefined, `${bytes.length} bytes`)
    }
    await client.del(name)
    await client.lpush(name, 'a list')
    t.equal(await cache.get('acme', 'k', dependsOn), undefined, 'another type')
    await client.del(name)
    await client.set(name, sealed, 'PX', 60_000)
    t.ok(await find(), 'unchanged it is one again')
  })

  t.test('rejects an envelope under another key, customer or secret', async (t) => {
    const cache = openCache()
    const { name, sealed } = await readSealed(cache, getEntry('acme', 'products ?a', 'of acme'))
    const { sealed: twin } = await readSealed(cache, getEntry('acme', 'products ?b', 'of acme, b'))
    await client.set(name.replace('?a', '?b'), sealed, 'PX', 60_000)
    await client.set(name.replace('{acme}', '{bolt}'), sealed, 'PX', 60_000)
    await client.set(name, twin, 'PX', 60_000)
    t.equal(await cache.get('acme', 'products ?b', dependsOn), undefined, 'another key')
    t.equal(await cache.get('acme', 'products ?a', dependsOn), undefined, 'swapped')
    t.equal(await cache.get('bolt', 'products ?a', dependsOn), undefined, 'another customer')
    const stranger = openCache(createSecrets(['a secret that is another one, and long enough as well']))
    await readSealed(cache, getEntry('acme', 'k2', 'text'))
    await until(async () => (await cache.get('acme', 'k2', dependsOn)) !== undefined)
    t.equal(await stranger.get('acme', 'k2', dependsOn), undefined, 'another secret')
    // These two have the same name in Redis, if names are only concatenated.
    await readSealed(cache, getEntry('acme', 'x}:y', 'text'))
    t.equal(await cache.get('acme}:x', 'y', dependsOn), undefined)
  })

  t.test('a foreign value in Redis is removed, so that the next answer can be kept', async (t) => {
    const cache = openCache()
    const { name } = await readSealed(cache, getEntry('acme', 'tainted', 'text'))
    await client.set(name, `${'9'.repeat(100)} poison`, 'PX', 60_000)
    await until(async () => {
      t.equal(await cache.get('acme', 'tainted', dependsOn), undefined)
      return (await client.exists(name)) === 0
    })
    await until(async () => {
      cache.set(getEntry('acme', 'tainted', 'text'))
      return (await cache.get('acme', 'tainted', dependsOn)) !== undefined
    })
  })

  t.test('an older answer never replaces a newer one', async (t) => {
    const cache = openCache()
    // As doubles, the largest numbers would be equal.
    const ascending = [
      '9:10:',
      '10:12:10,11',
      '10:12:10',
      '12:12:',
      '9007199254740989:9007199254740990:9007199254740989',
      '9007199254740990:9007199254740990:',
      '9007199254740991:9007199254740991:',
    ]
    await readSealed(cache, getEntry('acme', 'cas', 'text'))
    const wrong: object[] = []
    for (const [older, first] of ascending.entries()) {
      for (const [newer, second] of ascending.entries()) {
        const key = `cas ${older} ${newer}`
        cache.set(getEntry('acme', key, first, first))
        cache.set(getEntry('acme', key, second, second))
        // Redis answers commands of a connection in order.
        const kept = (await cache.get('acme', key, dependsOn))?.body.toString()
        if (kept !== ascending[Math.max(older, newer)]) wrong.push({ first, second, kept })
      }
    }
    t.same(wrong, [])
  })

  t.test('a poisoned Redis only loses the hit', async (t) => {
    const path = '/v1/products?limit=2&sort=name'
    const first = await share(path, 'limit=2')
    const [name] = (await listKeys('limit=2')) as [string]
    const sealed = (await client.getBuffer(name)) as Buffer
    const forged = Buffer.from(sealed.toString('latin1').replace('product 1', 'PRODUCT 1'), 'latin1')
    t.notOk(forged.equals(sealed))
    await client.set(name, forged, 'PX', 60_000)
    const answer = await b.get(path)
    t.same([answer.headers['cache-status'], answer.body], ['certdata; fwd=uri-miss; stored', first.body])
  })

  let rounds = 0
  /** Requests cached and new paths. Returns the wrong answers. */
  const askAround = async () => {
    rounds += 1
    const wrong: string[] = []
    for (let n = 1; n <= 12; n++) {
      const { get } = n % 2 ? a : b
      const answer = await get(`/v1/products/p${n}?fields=name&format=json`)
      const list = await get(`/v1/products?name[prefix]=product%20${n}&model[ne]=${rounds}`)
      if (answer.json().data?.name !== `product ${n}` || list.statusCode !== 200) wrong.push(answer.body)
    }
    return wrong
  }

  t.test('a full Redis refuses further answers', async (t) => {
    const cache = openCache()
    await readSealed(cache, getEntry('acme', 'before it is full', 'x'))
    await client.config('SET', 'maxmemory', '1')
    cache.set(getEntry('acme', 'while it is full', 'x'))
    // Redis answers commands of a connection in order.
    await cache.get('acme', 'while it is full', dependsOn)
    t.same(await client.keys('*while it is full'), [])
    await client.config('SET', 'maxmemory', '0')
    await readSealed(cache, getEntry('acme', 'once there is room', 'x'))
  })

  t.test(
    'only the first request of an instance waits for a paused Redis, and none for a stopped or full Redis',
    async (t) => {
      await connected()
      t.same(await askAround(), [])
      process.kill(running.pid, 'SIGSTOP')
      const first = [a, b].map(({ get }) => get('/v1/products/p50'))
      for (const answer of await endWaits(Promise.all(first))) t.equal(answer.json().data.name, 'product 50')
      t.equal(longestMs, 25)
      t.same(await askAround(), [], 'paused')
      process.kill(running.pid, 'SIGCONT')
      t.same(await askAround(), [], 'resumed')
      await connected()
      client.disconnect()
      process.kill(running.pid, 'SIGKILL')
      t.same(await askAround(), [], 'killed')
      await running.stop()
      t.same(await askAround(), [], 'gone')
      const again = await testRedis(port)
      if (!again) throw new Error('it was there before')
      running = again
      client = new Redis(url, { maxRetriesPerRequest: null })
      t.same(await askAround(), [], 'restarted, empty')
      await connected()
      await client.config('SET', 'maxmemory', '1')
      t.same(await askAround(), [], 'full')
      await client.config('SET', 'maxmemory', '0')
      await connected()
      const path = '/v1/products?limit=9'
      await share(path, 'limit=9')
      t.equal(getStatus(await b.get(path)), 'certdata; hit; detail=redis', 'hits come back')
    },
  )

  /** See "The promises" in docs/freshness.md. */
  const promiseMs = 600

  t.test('nothing is older than 600 ms after a commit, on either instance', async (t) => {
    await connected()
    const violations: object[] = []
    const slowest: number[] = []
    for (let round = 1; round <= 12; round++) {
      const path = '/v1/products/p3?fields=brand'
      for (const each of [a, b]) await each.get(path)
      await sql`update products set brand = ${`round ${round}`} where customer_id = 'acme' and id = 'p3'`.execute(
        database.operator,
      )
      const committed = now()
      const behind = new Set([a, b])
      // Without a pause, so that each may share an old answer with the other.
      while (behind.size > 0) {
        for (const each of [a, b]) {
          const sent = now()
          const { brand } = (await each.get(path)).json().data
          if (brand === `round ${round}`) {
            if (behind.delete(each)) slowest.push(sent - committed)
          } else if (sent - committed > promiseMs) {
            violations.push({ round, instance: each === a ? 'a' : 'b', ms: sent - committed, brand })
            behind.delete(each)
          } else if (!behind.has(each))
            violations.push({ round, instance: each === a ? 'a' : 'b', back: brand })
        }
      }
    }
    t.same(violations, [])
    t.comment(`slowest ${Math.max(...slowest).toFixed(0)} ms`)
    t.ok(Math.max(...slowest) > 20, 'the test saw answers from a cache')
  })

  t.test('after a difference, no instance serves the entry in Redis', async (t) => {
    const owner = connectOwner(database)
    const path = '/v1/products/p5?fields=name'
    const late = await open()
    await share(path, 'products/p5  fields')
    const update = withoutTriggers('products', `update products set name = 'unlogged' where id = 'p5'`)
    await sql.raw(update).execute(owner)
    t.teardown(async () => {
      await regainTrust(owner)
      await owner.destroy()
      await late.app.close()
    })
    const wrong = await late.get(path)
    t.equal(getStatus(wrong), 'certdata; hit; detail=redis')
    t.not(wrong.json().data.name, 'unlogged', 'the wrong answer is in Redis')
    t.equal(await late.app.probeFreshness(), 'different', 'the only entry of this instance')
    await until(() => b.app.readDistrust().products === 1)
    const [first, second] = [await b.get(path), await late.get(path)]
    t.same(
      [first, second].map((each) => each.json().data.name),
      ['unlogged', 'unlogged'],
    )
    t.equal(getStatus(first), 'certdata; fwd=uri-miss; stored; detail=distrusted')
    t.equal(getStatus(second), 'certdata; hit; detail=distrusted', 'the new entry in Redis')
  })

  t.test('an entry that Redis stores late is not fresh', async (t) => {
    const stored: StoredEntry[] = []
    const late = await open({ ...openCache(), set: (entry) => stored.push(entry) })
    const fresh = await open()
    t.teardown(() => Promise.all([late.app.close(), fresh.app.close()]))
    const path = '/v1/products/p4?fields=brand'
    await late.get(path)
    await sql`update products set brand = 'after' where customer_id = 'acme' and id = 'p4'`.execute(
      database.operator,
    )
    await fresh.confirm('/v1/products?limit=1')
    await readSealed(a.shared, stored[0] as StoredEntry)
    const answer = await fresh.get(path)
    t.same([answer.json().data.brand, getStatus(answer)], ['after', 'certdata; fwd=uri-miss; stored'])
  })

  t.test('entries that a hanging Redis does not accept are not queued', async (t) => {
    await connected()
    const cache = openCache()
    await until(async () => (await readSealed(cache, getEntry('acme', 'before', 'text'))).sealed.length > 0)
    const inputBytes = async () => Number(/total_net_input_bytes:(\d+)/.exec(await client.info('stats'))?.[1])
    const before = await inputBytes()
    process.kill(running.pid, 'SIGSTOP')
    const megabyte = 'x'.repeat(2 ** 20)
    for (let n = 0; n < 20; n++) {
      cache.set(getEntry('acme', `large ${n}`, megabyte))
      const asked = cache.get('acme', `large ${n}`, dependsOn)
      await (n === 0 ? endWaits(asked) : asked)
    }
    process.kill(running.pid, 'SIGCONT')
    await until(async () => {
      await readSealed(cache, getEntry('acme', 'after', 'text'))
      return cache.get('acme', 'after', dependsOn)
    })
    const megabytes = ((await inputBytes()) - before) / 2 ** 20
    t.ok(megabytes < 3, `${megabytes.toFixed(0)} of 20 MB were sent late`)
  })
}
