import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { getErasedName } from '../../app/cache/erased.ts'
import { toRedisTag } from '../../app/db/redis.ts'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { createCommandLine } from '../command-line.ts'
import { addCustomer, createTestDatabase, lockProducts, secretKey, until } from '../helper.ts'
import { withoutPersonalData } from '../personal-data.ts'
import { testRedis } from '../servers.ts'
import { logInTo, type Service, startService, untilReady } from '../service.ts'

/** A paused process (SIGSTOP) learns nothing, and goes on as if no time had passed. */

const database = await createTestDatabase()
const redis = await testRedis()
const redisUrl: Record<string, string> = redis ? { REDIS_URL: redis.url } : {}
const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, ...redisUrl }
const { cli, json } = createCommandLine({ ...env, DATA_DIR: t.testdir() })
t.teardown(async () => {
  await redis?.stop()
  await database.close()
})

type Headers = Record<string, string>

const start = async (t: Test, more: Headers = {}): Promise<Service> => {
  const service = await startService({ ...env, ...more })
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  return service
}
const pause = (t: Test, { child }: Service) => {
  child.kill('SIGSTOP')
  const goOn = () => child.kill('SIGCONT')
  t.teardown(goOn)
  return goOn
}
const read = async ({ base }: Service, path: string, headers: Headers) => {
  const answer = await fetch(base + path, { headers })
  return { status: answer.status, body: await answer.text() }
}
const addProduct = (customer: string, id: string, name: string) =>
  sql`insert into products (customer_id, id, name) values (${customer}, ${id}, ${name})`.execute(
    database.operator,
  )
const countWaiting = async () => {
  const { rows } = await sql`select from pg_locks where not granted and relation = 'products'::regclass
    and database = (select oid from pg_database where datname = current_database())`.execute(
    database.operator,
  )
  return rows.length
}

/** A network between a service and Redis that can keep a write of an entry. */
const openNetwork = async (t: Test, port: number, isKept: (chunk: Buffer) => boolean) => {
  let kept: { upstream: Socket; chunks: Buffer[] } | undefined
  let keeps = false
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) socket.on('error', () => {})
    upstream.pipe(client)
    client.on('data', (chunk) => {
      if (keeps && !kept && isKept(chunk)) kept = { upstream, chunks: [] }
      if (kept?.upstream === upstream) kept.chunks.push(chunk)
      else upstream.write(chunk)
    })
    client.once('close', () => kept?.upstream !== upstream && upstream.destroy())
    t.teardown(() => {
      client.destroy()
      upstream.destroy()
    })
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keep() {
      keeps = true
    },
    hasKept: () => kept !== undefined,
    /** Resolves when Redis has answered. */
    async deliver() {
      if (!kept) throw new Error('nothing was kept')
      const { upstream, chunks } = kept
      const answered = once(upstream, 'data')
      upstream.write(Buffer.concat(chunks))
      // The service may have closed its connection.
      upstream.resume()
      await answered
      upstream.destroy()
      kept = undefined
      keeps = false
    },
  }
}

const skip = redis ? withoutPersonalData : 'no redis-server here: NOT tested'

t.test('a write on its way does not bring an erased customer back', { skip }, async (t) => {
  if (!redis) return
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  const network = await openNetwork(t, redis.port, (chunk) =>
    /evalsha[\s\S]*sort=-name/i.test(chunk.toString('latin1')),
  )
  const [late, other] = [await start(t, { REDIS_URL: network.url }), await start(t)]
  const listNames = (customer: string) => client.keys(`certdata:${toRedisTag(customer)}:*`)
  const hasProducts = (names: readonly string[]) => names.some((name) => name.includes('products'))

  /** Erases a customer between an instance's check and the arrival of its write. Returns the names in Redis. */
  const eraseBeforeWrite = async (t: Test, customer: string, beforeArrival: () => Promise<unknown>) => {
    const headers = await logInTo(late, await addCustomer(database, customer))
    await addProduct(customer, 'p', `secret of ${customer}`)
    await until('an answer is in Redis', async () => {
      await read(late, '/v1/products', headers)
      return hasProducts(await listNames(customer))
    })
    network.keep()
    t.match(await read(late, '/v1/products?sort=-name', headers), { status: 200 })
    await until('the write is on its way', network.hasKept)
    const erased = await json('customers', 'erase', customer, '--yes')
    t.match(erased, { customer, rows: { products: 1, customers: 1 } })
    t.same(await listNames(customer), [getErasedName(customer)])
    await beforeArrival()
    await network.deliver()
    t.match(await read(late, '/v1/products', headers), { status: 401 })
    return listNames(customer)
  }

  await t.test('without the mark in Redis, the write stays', async (t) => {
    const names = await eraseBeforeWrite(t, 'acme', () => client.del(getErasedName('acme')))
    t.ok(hasProducts(names))
    await client.del(names)
  })

  await t.test('with the mark, Redis refuses the write and has no name of the customer', async (t) => {
    t.same(await eraseBeforeWrite(t, 'bolt', async () => {}), [getErasedName('bolt')])
    const names = await client.keys('*')
    const values = await Promise.all(names.map((name) => client.dump(name)))
    t.same(
      [...names, ...values].filter((text) => text?.includes('bolt')),
      [],
    )
  })

  await t.test('a new customer of the same name has its own data, which Redis shares', async (t) => {
    await json('customers', 'add', 'bolt', '--name', 'Another Bolt', '--plan', 'premium')
    const { api_key: apiKey } = await json('keys', 'issue', 'bolt')
    await addProduct('bolt', 'n', 'new')
    const headers = await logInTo(late, apiKey)
    let body = ''
    await until('its answers and counts are in Redis', async () => {
      body = (await read(late, '/v1/products', headers)).body
      const names = await listNames('bolt')
      return hasProducts(names) && names.some((name) => name.includes(':limits:'))
    })
    t.same(
      JSON.parse(body).data.map(({ name }: { name: string }) => name),
      ['new'],
    )
    const shared = await read(other, '/v1/products', await logInTo(other, apiKey))
    t.match(shared, { status: 200, body })
  })
})

t.test('an instance that is paused during an erasure brings no data back', { skip }, async (t) => {
  if (!redis) return
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  const service = await start(t)
  const headers = await logInTo(service, await addCustomer(database, 'cargo'))
  await addProduct('cargo', 'p', 'secret of cargo')
  const unlock = await lockProducts(database)
  t.teardown(unlock)
  const late = read(service, '/v1/products', headers)
  await until('a read waits', async () => (await countWaiting()) === 1)
  const goOn = pause(t, service)
  await unlock()
  await until('PostgreSQL has answered', async () => (await countWaiting()) === 0)
  const erasing = json('customers', 'erase', 'cargo', '--yes')
  await until('it is committed', async () => {
    const { rows } = await sql`select from customers where customer_id = 'cargo'`.execute(database.operator)
    return rows.length === 0
  })
  const committedAt = performance.now()
  await until('longer than the lease of a poll', () => performance.now() - committedAt > 2_100)
  goOn()
  await late
  t.match(await read(service, '/v1/products', headers), { status: 401 })
  await erasing
  t.same(await client.keys(`certdata:${toRedisTag('cargo')}:*`), [getErasedName('cargo')])
})

t.test('a paused process goes on with the rights of now', async (t) => {
  const service = await start(t)
  type Act = (customer: string, keyId: string) => readonly string[]
  const cases: Record<string, { path?: string; before?: Act; act: Act; from?: number; to: number }> = {
    suspend: { act: (customer) => ['customers', 'suspend', customer], to: 403 },
    resume: {
      before: (customer) => ['customers', 'suspend', customer],
      act: (customer) => ['customers', 'resume', customer],
      from: 403,
      to: 200,
    },
    'set-plan': { act: (customer) => ['customers', 'set-plan', customer, 'basic'], to: 403 },
    revoke: { act: (_customer, keyId) => ['keys', 'revoke', keyId, '--yes'], to: 401 },
    rotate: { act: (_customer, keyId) => ['keys', 'rotate', keyId, '--overlap', '0s'], to: 401 },
    networks: { act: (_customer, keyId) => ['keys', 'networks', keyId, '203.0.113.0/24'], to: 403 },
  }
  for (const [name, { path = '/v1/products', before, act, from = 200, to }] of Object.entries(cases)) {
    const customer = name.replace(' ', '-')
    const apiKey = await addCustomer(database, customer)
    const keyId = parseApiKey(apiKey)?.keyId as string
    const run = async (words: readonly string[]) => {
      const { code, stderr } = await cli(...words)
      t.equal(code, 0, stderr || words.join(' '))
    }
    const headers = await logInTo(service, apiKey)
    if (before) await run(before(customer, keyId))
    await until(
      `${name}: the state of before`,
      async () => (await read(service, path, headers)).status === from,
    )
    const goOn = pause(t, service)
    const pausedAt = performance.now()
    await run(act(customer, keyId))
    const waiting = read(service, path, headers)
    // A process may use the rights of its last poll for 500 ms.
    await until('its lease has ended', () => performance.now() - pausedAt > 600)
    goOn()
    t.equal((await waiting).status, to, `${name}: a request of the pause`)
    t.equal((await read(service, path, headers)).status, to, `${name}: a request after it`)
  }
})
