import type { Socket } from 'node:net'
import { type Cluster, Redis } from 'ioredis'
import t from 'tap'
import { openRedisEraser } from '../../app/cache/erase.ts'
import { createRedisCache } from '../../app/cache/redis.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { connectRedis } from '../../app/db/redis.ts'
import { until } from '../helper.ts'
import { testRedis } from '../servers.ts'
import { createEntry } from './entry.ts'

const clustered = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1']
const nodes = [await testRedis(undefined, clustered), await testRedis(undefined, clustered)]
const [one, two] = nodes
if (one && two) await testCluster([one, two])
else t.test('a Redis Cluster', { skip: 'no redis-server here: NOT tested' }, async () => {})

type Node = NonNullable<typeof one>

/** Each node gets half of the slots. */
async function form([left, right]: [Node, Node]) {
  const clients = [left, right].map(({ port }) => new Redis({ port, host: '127.0.0.1' }))
  const [first, second] = clients as [Redis, Redis]
  await first.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8191')
  await second.call('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383')
  await first.call('CLUSTER', 'MEET', '127.0.0.1', String(right.port))
  const isFormed = async (client: Redis) =>
    String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok') &&
    String(await client.call('CLUSTER', 'NODES'))
      .trim()
      .split('\n')
      .filter((line) => line.includes('connected')).length === 2
  await until(
    'the cluster is formed',
    async () => (await isFormed(first)) && (await isFormed(second)),
    20_000,
  )
  return clients
}

async function testCluster(servers: [Node, Node]) {
  const clients = await form(servers)
  const url = `redis-cluster://127.0.0.1:${servers[0].port},127.0.0.1:${servers[1].port}`
  const secrets = createSecrets(['a secret of the tests, longer than thirty-two characters'])
  const cache = createRedisCache({ url, secrets, epoch: () => 'e', ttlSeconds: 60, warn: () => {} })
  t.teardown(async () => {
    await cache.close()
    for (const client of clients) client.disconnect()
    for (const server of servers) await server.stop()
  })
  const customers = Array.from({ length: 40 }, (_, n) => `customer-${n}`)

  t.test('entries of every customer are found on the node that has them', async (t) => {
    for (const customer of customers) {
      await until(`${customer} is kept`, async () => {
        cache.set(createEntry(customer, { customerId: customer }))
        return (await cache.get(customer, 'k', [])) !== undefined
      })
    }
    const sizes = await Promise.all(clients.map((client) => client.dbsize()))
    t.ok(
      sizes.every((size) => size > 5),
      'on both',
    )
  })

  t.test('commands to a node of the cluster wait for the end of the turn', async (t) => {
    const gathering = connectRedis(url, { gathers: true }) as Cluster
    t.teardown(() => gathering.disconnect())
    const askAll = () => Promise.all(customers.map((customer) => gathering.get(customer)))
    await until('every node answers', () => askAll().then(Boolean, () => false))
    const sockets = gathering.nodes('master').map(({ stream }) => stream as Socket)
    const sent = () => sockets.map(({ bytesWritten, writableLength }) => bytesWritten - writableLength)
    const before = sent()
    const answers = askAll()
    t.equal(sockets.length, 2)
    t.ok(
      sockets.every(({ writableLength }) => writableLength > 0),
      'all of it waits',
    )
    t.same(sent(), before)
    t.same(await answers, Array(customers.length).fill(null))
  })

  t.test('an erasure reaches every node', async (t) => {
    const eraser = await openRedisEraser(url)
    for (const customer of customers) t.ok((await eraser.erase(customer, [])) >= 1, customer)
    eraser.close()
    for (const customer of customers) t.equal(await cache.get(customer, 'k', []), undefined)
  })
}
