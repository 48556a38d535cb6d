import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Redis } from 'ioredis'
import t from 'tap'
import { openRedisEraser } from '../../app/cache/erase.ts'
import { createRedisCache } from '../../app/cache/redis.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createRedisLimits } from '../../app/limits/redis.ts'
import { after } from '../../app/overload/timer.ts'
import { makeCertificate } from '../api/sockets.ts'
import { until } from '../helper.ts'
import { freePort, testRedis } from '../servers.ts'
import { createEntry } from './entry.ts'

// The certificate is for the name only, so a connection to 127.0.0.1 is refused.
const { cert, key, remove } = makeCertificate('ec', ['localhost'])
t.teardown(remove)
const ports = [await freePort(), await freePort(), await freePort()]
const startNode = (port: number) =>
  testRedis(undefined, [
    '--tls-port',
    String(port),
    '--tls-cluster',
    'yes',
    '--tls-auth-clients',
    'no',
    '--tls-cert-file',
    cert,
    '--tls-key-file',
    key,
    '--tls-ca-cert-file',
    cert,
    '--cluster-enabled',
    'yes',
    '--cluster-announce-ip',
    '127.0.0.1',
    '--cluster-announce-hostname',
    'localhost',
    '--cluster-preferred-endpoint-type',
    'hostname',
  ])
const nodes = (await Promise.all(ports.map(startNode))).filter((node) => node !== undefined)
t.teardown(() => Promise.all(nodes.map((node) => node.stop())))
const skip = nodes.length === 3 ? false : 'no redis-server here: NOT tested'
const admins = nodes.map(({ port }) => new Redis(port))
t.teardown(() => {
  for (const admin of admins) admin.disconnect()
})
const url = `rediss-cluster://localhost:${ports[0]},localhost:${ports[1]}`
const secrets = createSecrets(['a secret of the tests, longer than thirty-two characters'])

const slots = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const
if (!skip) {
  for (const [index, admin] of admins.entries()) {
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', ...(slots[index] ?? []))
  }
  for (const port of ports.slice(1)) await admins[0]?.call('CLUSTER', 'MEET', '127.0.0.1', String(port))
  const isFormed = async (admin: Redis) => {
    const info = String(await admin.call('CLUSTER', 'INFO'))
    return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')
  }
  await until(
    'every node knows the cluster',
    async () => (await Promise.all(admins.map(isFormed))).every(Boolean),
    20_000,
  )
}

const warnings: string[] = []
const warn = (message: string, error?: Error) => warnings.push(`${message}: ${error?.message}`)
const createCache = () => createRedisCache({ url, secrets, epoch: () => 'e', ttlSeconds: 60, warn })

t.test('a certificate that is not trusted is named in the log', { skip }, async (t) => {
  const cache = createCache()
  t.teardown(() => cache.close())
  await until('logged', () => warnings.length > 0)
  t.match(warnings[0], /localhost:\d+: self-signed certificate/)
  await t.rejects(openRedisEraser(url), { message: /localhost:\d+: self-signed certificate/ })
})

t.test(
  'three nodes with TLS that announce their names share answers, limits and erasures',
  { skip },
  async (t) => {
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(cert, 'utf8')])
    const cache = createCache()
    const limits = createRedisLimits({ url, view: () => '', after, warn })
    t.teardown(async () => {
      await cache.close()
      await limits.close()
    })
    const customers = Array.from({ length: 30 }, (_, n) => `customer-${n}`)
    for (const customer of customers) {
      await until(`${customer} is kept`, async () => {
        cache.set(createEntry(customer, { customerId: customer }))
        return (await cache.get(customer, 'k', [])) !== undefined
      })
    }
    const sizes = await Promise.all(admins.map((admin) => admin.dbsize()))
    t.ok(
      sizes.every((size) => size > 2),
      'on all three',
    )
    await until('limits are shared', () => !limits.isDown)
    const eraser = await openRedisEraser(url)
    for (const customer of customers) t.ok((await eraser.erase(customer, [])) >= 1, customer)
    eraser.close()
  },
)

t.test('nodes that are away are named in the log', { skip }, async (t) => {
  await Promise.all(nodes.map((node) => node.stop()))
  warnings.length = 0
  const cache = createCache()
  t.teardown(() => cache.close())
  await until('logged', () => warnings.length > 0)
  t.match(warnings[0], /localhost:\d+: .*ECONNREFUSED/)
})
