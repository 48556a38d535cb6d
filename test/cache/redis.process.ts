import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { CacheEntry } from '../../app/cache/entry.ts'
import { createRedisCache, type SharedCache } from '../../app/cache/redis.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { addCustomer, createTestApp, createTestDatabase, logIn, startTestFence } from '../helper.ts'
import { bestOfThree } from '../patience.ts'
import { testRedis } from '../servers.ts'
import { createEntry } from './entry.ts'

const redis = await testRedis()
if (!redis) t.test('instances share entries', { skip: 'no redis-server here: NOT tested' }, async () => {})
else await testShared(redis)

async function testShared({ url, port, pid, stop }: NonNullable<typeof redis>) {
  const secrets = createSecrets(['a secret of the tests, longer than thirty-two characters'])
  const now = () => performance.now()
  const opened: SharedCache[] = []
  const openCache = (using = secrets) => {
    const cache = createRedisCache({
      url,
      secrets: using,
      epoch: () => epoch,
      ttlSeconds: 60,
      warn: () => {},
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
  async function open() {
    const app = await createTestApp(database, { shared: openCache() })
    const { get } = await logIn(app, key)
    return { app, get: (path: string) => get(path, { 'cache-control': '' }) }
  }

  const until = async (condition: () => Promise<unknown> | unknown, limitMs = 30_000): Promise<number> => {
    const start = now()
    while (!(await condition())) {
      if (now() - start > limitMs) throw new Error('it does not come')
      await delay(5)
    }
    return now() - start
  }
  const listKeys = (text: string) => client.keys(`certdata:{acme}:*${text}*`)
  /**
   * Reads new paths on the first instance until Redis has stored the answer, because a slow Redis is bypassed.
   * `addressOf` returns a path and a text that its name in Redis contains.
   */
  const share = async (addressOf: (n: number) => readonly [path: string, mark: string]) => {
    for (;;) {
      const [path, mark] = addressOf(asked++)
      const answer = await a.get(path)
      const isThere = async () => (await listKeys(mark)).length > 0
      if ((await until(isThere, 2_000).catch(() => undefined)) !== undefined) return { path, mark, answer }
    }
  }
  const connected = () => until(async () => (await askBoth('warm')) === 'redis')

  let asked = 0
  /** Reads the same path on both instances and returns the second one's source. */
  const askBoth = async (text: string): Promise<string> => {
    const path = `/v1/products?limit=3&brand[ne]=${text}-${asked++}`
    await a.get(path)
    await until(async () => (await listKeys(`${text}-${asked - 1}`)).length > 0, 200).catch(() => {})
    return /detail=redis/.test(String((await b.get(path)).headers['cache-status'])) ? 'redis' : 'database'
  }

  const dependsOn = ['products']
  const getEntry = (customerId: string, key: string, text: string, snapshot = '1:2:') =>
    createEntry(text, {
      ...{ customerId, key, epoch, snapshot: parseSnapshot(snapshot) },
      ...{ at: '2026-01-01T00:00:00.000000Z', rows: 1, next: '/v1/products?cursor=x' },
    })
  /** Stores an entry and reads its envelope from Redis. */
  const readSealed = async (
    cache: SharedCache,
    entry: CacheEntry,
  ): Promise<{ name: string; sealed: Buffer }> => {
    let name = ''
    await until(async () => {
      cache.set(entry)
      const names = await client.keys('certdata:*')
      const prefix = `certdata:{${entry.customerId}}:`
      name = names.find((each) => each.startsWith(prefix) && each.endsWith(`:${entry.key}`)) ?? ''
      return name !== ''
    })
    return { name, sealed: (await client.getBuffer(name)) as Buffer }
  }
  const shown = (entry: CacheEntry | undefined) =>
    entry && { ...entry, body: entry.body.toString(), encoded: undefined }

  t.test(
    'an answer that one instance has read is a hit in Redis for another, the same to the byte',
    async (t) => {
      const getStatus = ({ headers }: { headers: object }) =>
        (headers as Record<string, string>)['cache-status']
      const askBothFor = async (form: string, addressOf: Parameters<typeof share>[0]) => {
        const { path, mark, answer: first } = await share(addressOf)
        return { path, mark, first, second: await b.get(path.replace('/v1/', form)) }
      }
      const isHit = ({ second }: Awaited<ReturnType<typeof askBothFor>>) =>
        /detail=redis/.test(getStatus(second) ?? '')
      await connected()
      const page = await bestOfThree(
        () => askBothFor('/v1/', (n) => [`/v1/products?limit=7&sort=-name&brand[ne]=page-${n}`, `page-${n}`]),
        isHit,
      )
      const { first, second } = page
      t.equal(getStatus(first), 'certdata; fwd=uri-miss; stored')
      t.equal(getStatus(second), 'certdata; hit; detail=redis')
      t.same(
        [second.body, second.headers.etag, second.headers.link],
        [first.body, first.headers.etag, first.headers.link],
      )
      t.equal(getStatus(await b.get(page.path)), 'certdata; hit', 'and from then on in its memory')
      const record = await bestOfThree(
        () =>
          askBothFor('/webapi/v1/api.php/', (n) => [
            `/v1/products/p${7 + (n % 40)}`,
            `products/p${7 + (n % 40)}`,
          ]),
        isHit,
      )
      t.equal(getStatus(record.second), 'certdata; hit; detail=redis', 'the other forms of a path share it')
      t.same(record.second.body, record.first.body)
      t.same(await listKeys(record.mark), await client.keys(`*${record.mark}*`), 'under the customer')
      const [name] = await listKeys(record.mark)
      t.ok(Number(await client.pttl(name as string)) > 0, 'and it ends')
    },
  )

  t.test('an envelope changed in any one byte is no answer', async (t) => {
    const cache = openCache()
    const entry = getEntry('acme', 'k', 'the body')
    const { name, sealed } = await readSealed(cache, entry)
    const find = () => bestOfThree(() => cache.get('acme', 'k', dependsOn), Boolean)
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

  t.test('an envelope moved to another key, another customer or another secret is no answer', async (t) => {
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

  t.test('an older answer never replaces a newer one, however close', async (t) => {
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
        const keep = async (attempt: number) => {
          const key = `cas ${older} ${newer} ${attempt}`
          cache.set(getEntry('acme', key, first, first))
          cache.set(getEntry('acme', key, second, second))
          // Redis answers commands of a connection in order.
          return (await cache.get('acme', key, dependsOn))?.body.toString()
        }
        const wanted = ascending[Math.max(older, newer)]
        const kept = await bestOfThree(keep, (text) => text === wanted)
        if (kept !== wanted) wrong.push({ first, second, kept })
      }
    }
    t.same(wrong, [])
  })

  t.test('a poisoned Redis costs the hit and nothing else', async (t) => {
    await connected()
    const {
      path,
      mark,
      answer: first,
    } = await share((n) => [`/v1/products?limit=2&category[ne]=poison-${n}`, `poison-${n}`])
    const [name] = (await listKeys(mark)) as [string]
    const sealed = (await client.getBuffer(name)) as Buffer
    const forged = Buffer.from(sealed.toString('latin1').replace('product 1', 'PRODUCT 1'), 'latin1')
    t.notOk(forged.equals(sealed))
    await client.set(name, forged, 'PX', 60_000)
    const answer = await b.get(path)
    t.same([answer.headers['cache-status'], answer.body], ['certdata; fwd=uri-miss; stored', first.body])
  })

  /** Redis may cost 25 ms. The rest is for a busy machine. */
  const budgetMs = 500
  let rounds = 0

  /** Requests cached and new paths, and checks the answers. Returns the milliseconds of the slowest. */
  const askAround = async (t: Test, label: string): Promise<number> => {
    rounds += 1
    const wrong: object[] = []
    const times: number[] = []
    for (let n = 0; n < 12; n++) {
      const start = now()
      const answer = await (n % 2 ? a : b).get(`/v1/products/p${1 + n}?fields=name&format=json`)
      const list = await (n % 2 ? a : b).get(
        `/v1/products?name[prefix]=product%20${n}&model[ne]=${label}-${rounds}`,
      )
      times.push(now() - start)
      if (answer.json().data?.name !== `product ${1 + n}` || list.statusCode !== 200)
        wrong.push({ n, body: answer.body })
    }
    t.same(wrong, [], label)
    return Math.max(...times)
  }
  /** Expects no slow answer while `happen` harms Redis. */
  const expectSoon = async (t: Test, label: string, happen: () => Promise<number[]>) => {
    const isSoon = (worst: number[]) => worst.every((ms) => ms < budgetMs)
    const worst = await bestOfThree(async () => {
      await connected()
      return happen()
    }, isSoon)
    t.ok(isSoon(worst), `${label}: the slowest took ${worst.map(Math.round).join(', ')} ms`)
  }

  t.test('a full Redis takes no answer beyond its memory', async (t) => {
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

  t.test('Redis paused, killed or coming back: answers stay right, at most a little later', async (t) => {
    await expectSoon(t, 'well', async () => [await askAround(t, 'well')])
    await expectSoon(t, 'paused', async () => {
      process.kill(running.pid, 'SIGSTOP')
      const worst = [await askAround(t, 'paused'), await askAround(t, 'still paused')]
      process.kill(running.pid, 'SIGCONT')
      return [...worst, await askAround(t, 'resumed')]
    })
    t.ok(await connected(), 'hits come back')
    await expectSoon(t, 'killed', async () => {
      client.disconnect()
      process.kill(running.pid, 'SIGKILL')
      const worst = [await askAround(t, 'killed')]
      await running.stop()
      worst.push(await askAround(t, 'gone'))
      const again = await testRedis(port)
      if (!again) throw new Error('it was there before')
      running = again
      client = new Redis(url, { maxRetriesPerRequest: null })
      return [...worst, await askAround(t, 'restarted, empty')]
    })
    t.ok(await connected(), 'hits come back')
    await expectSoon(t, 'full', async () => {
      await client.flushall()
      const worst = [await askAround(t, 'flushed')]
      await client.config('SET', 'maxmemory', '1')
      worst.push(await askAround(t, 'full'))
      await client.config('SET', 'maxmemory', '0')
      return worst
    })
  })

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

  t.test('an entry that a paused Redis stores late is not fresh when it resumes', async (t) => {
    await connected()
    const fresh = await open()
    process.kill(running.pid, 'SIGSTOP')
    const path = '/v1/products/p4?fields=brand'
    const before = (await a.get(path)).json().data.brand
    await sql`update products set brand = 'after' where customer_id = 'acme' and id = 'p4'`.execute(
      database.operator,
    )
    const committed = now()
    await until(() => now() - committed > promiseMs)
    process.kill(running.pid, 'SIGCONT')
    // Requested earlier, the answer would come from the database. Redis may not have stored it at all.
    await until(async () => (await listKeys('products/p4')).length > 0, 300).catch(() => {})
    const answers: string[] = []
    await until(async () => {
      const answer = await fresh.get(`${path}&format=json`)
      answers.push(`${answer.json().data.brand} ${answer.headers['cache-status']}`)
      return now() - committed > 2 * promiseMs
    })
    await fresh.app.close()
    t.same(
      answers.filter((each) => !each.startsWith('after')),
      [],
      `it was ${before} before`,
    )
  })

  t.test('entries that a hanging Redis does not accept are not queued', async (t) => {
    await connected()
    const cache = openCache()
    await until(async () => (await readSealed(cache, getEntry('acme', 'before', 'text'))).sealed.length > 0)
    const inputBytes = async () => Number(/total_net_input_bytes:(\d+)/.exec(await client.info('stats'))?.[1])
    const before = await inputBytes()
    process.kill(running.pid, 'SIGSTOP')
    const megabyte = 'x'.repeat(2 ** 20)
    for (let n = 0; n < 100; n++) {
      cache.set(getEntry('acme', `large ${n}`, megabyte))
      await cache.get('acme', `large ${n}`, dependsOn)
    }
    process.kill(running.pid, 'SIGCONT')
    await until(async () => {
      await readSealed(cache, getEntry('acme', 'after', 'text'))
      return cache.get('acme', 'after', dependsOn)
    })
    const megabytes = ((await inputBytes()) - before) / 2 ** 20
    t.ok(megabytes < 30, `${megabytes.toFixed(0)} of 100 MB were sent late`)
  })
}
