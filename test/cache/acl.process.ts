import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import t from 'tap'
import { openRedisEraser } from '../../app/cache/erase.ts'
import { createRedisCache } from '../../app/cache/redis.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createRedisLimits } from '../../app/limits/redis.ts'
import { after } from '../../app/overload/timer.ts'
import { until } from '../helper.ts'
import { testRedis } from '../servers.ts'
import { createEntry } from './entry.ts'

const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const [, documented = ''] = /^ACL SETUSER certdata on '>(?:[^']*)' (.*)$/m.exec(guide) ?? []
const secrets = createSecrets(['a secret of the tests, longer than thirty-two characters'])
const account = { tag: 'acme', name: '' }
const policy = { name: 'minute', quota: 100, windowSeconds: 60 } as const

const rules = documented
  .replaceAll("'", '')
  .split(' ')
  .filter((rule) => rule !== '')

for (const kind of ['single', 'cluster'] as const) {
  const options = kind === 'cluster' ? ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] : []
  const server = await testRedis(undefined, options)
  t.teardown(() => server?.stop())
  const skip = server ? false : 'no redis-server here: NOT tested'
  const address = `certdata:secret@127.0.0.1:${server?.port}`
  const url = kind === 'cluster' ? `redis-cluster://${address}` : `redis://${address}/0`

  t.test(`the documented rights are enough and none is too many: ${kind}`, { skip }, async (t) => {
    const admin = new Redis(server?.port ?? 0)
    t.teardown(() => admin.disconnect())
    if (kind === 'cluster') {
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
      await until('it serves', async () =>
        String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
      )
    }
    await admin.call('ACL', 'SETUSER', 'certdata', 'on', '>secret', ...rules)

    const warnings: string[] = []
    const warn = (message: string, error?: Error) => warnings.push(`${message}: ${error?.message}`)
    const cache = createRedisCache({ url, secrets, epoch: () => 'e', ttlSeconds: 60, warn })
    const limits = createRedisLimits({ url, view: () => '', after, warn })
    t.teardown(() => cache.close())
    await until('an entry is kept', async () => {
      cache.set(createEntry('a body'))
      return (await cache.get('acme', 'k', [])) !== undefined
    })
    await until('limits are shared', () => !limits.isDown)
    const [settlement] = (await limits.exchange(account, [{ policy, spent: 1, wanted: 2 }])) ?? []
    t.equal(settlement?.granted, 2)
    // Two counts of past windows, which the script deletes.
    for (const key of await admin.keys('certdata:*:limits:minute')) await admin.hset(key, '1', '5/1')
    t.ok(await limits.exchange(account, [{ policy, spent: 1, wanted: 2 }]))
    const slot = { account, kind: 'export', id: 'one', quota: 1 }
    t.equal(await limits.hold(slot, 1_000), true)
    t.equal(await limits.hold(slot, 1_000), true, 'renewed')
    await limits.release(slot)

    const eraser = await openRedisEraser(url)
    await eraser.shutOut('acme', { epoch: 'e 1', snapshot: createEntry('').snapshot })
    t.ok((await eraser.erase('acme', ['key'])) > 0)
    t.equal(await eraser.erase('acme', ['key']), 0, 'nothing is left')
    eraser.close()
    await limits.close()

    const refused = (await admin.call('ACL', 'LOG')) as Record<string, unknown>[] | unknown[][]
    t.same(refused, [], 'Redis refused no command')
    t.same(warnings, [])

    const used = new Set(
      String(await admin.info('commandstats'))
        .split('\r\n')
        .flatMap((line) => /^cmdstat_([^:]+):/.exec(line)?.[1] ?? []),
    )
    // To a replica, to a slot that moves, for another database, and when Redis has hung.
    const rare = ['readonly', 'asking', 'select', 'ping']
    if (kind === 'single') rare.push('client|setname', 'cluster|slots', 'cluster|info')
    const granted = rules.filter((rule) => rule.startsWith('+')).map((rule) => rule.slice(1))
    t.same(
      granted.filter((command) => !used.has(command) && !rare.includes(command)),
      [],
      'every right is used',
    )
  })
}
