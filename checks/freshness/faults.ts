import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import pg from 'pg'
import { signEnvelope } from '../../app/cache/envelope.ts'
import type { Fence } from '../../app/cache/fence.ts'
import type { ChangeSource, LeaseClock } from '../../app/cache/poller.ts'
import type { SharedCache } from '../../app/cache/redis.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import type { Poll } from '../../app/cache/stamped.ts'
import { toRedisTag } from '../../app/db/redis.ts'
import type { EditedFault } from './edits.ts'

/**
 * Planted faults, which prove that the checker finds them. Most are wrappers around the service's
 * dependencies. `replica-as-primary`, `foreign-standby`, `trigger-dropped` and `session-names` are
 * planted in the standby's rows and in the database. `edits.ts` has further ones.
 */
export const faults = [
  'fence-off',
  'by-position',
  'cas-off',
  'lease-off',
  'floor-off',
  'envelope-off',
  'replica-as-primary',
  'foreign-standby',
  'trigger-dropped',
  'session-names',
  'poller-frozen',
] as const
export type Fault = (typeof faults)[number] | EditedFault

/** Plants a fault: the fence reports every read as fresh. */
export const openFence = (fence: Fence): Fence => ({
  apply: fence.apply,
  compare: () => 'fresh',
  isBehind: () => false,
  isUnchanged: () => true,
  isDistrusted: () => false,
  noteServed: fence.noteServed,
  get last() {
    return fence.last
  },
  get size() {
    return fence.size
  },
})

/** Plants a fault: the last poll always counts as young, which disables the lease. */
export const stopLease = (clock: LeaseClock): LeaseClock => ({ now: clock.now, since: () => 0 })

/** Plants a fault: changes before the first poll are ignored. */
export const dropFloor = (source: ChangeSource): ChangeSource => {
  const ancient = parseSnapshot('3:3:')
  return {
    begin: async () => ancient,
    async poll(since) {
      const poll = await source.poll(since === ancient ? undefined : since)
      return since === ancient ? { ...poll, since, events: [] } : poll
    },
    close: source.close,
  }
}

/** Plants a fault: after this many polls, each further poll repeats the last result. */
export const freeze = (source: ChangeSource, afterPolls: number): ChangeSource => {
  let polls = 0
  let last: Poll | undefined
  return {
    begin: source.begin,
    async poll(since) {
      polls += 1
      if (!last || polls <= afterPolls) last = await source.poll(since)
      return polls <= afterPolls ? last : { ...last, since, events: [] }
    },
    close: source.close,
  }
}

/** Plants a fault: reads the log from the highest position so far, and misses transactions that commit late. */
export const readByPosition = (source: ChangeSource, url: string): ChangeSource => {
  const client = new pg.Client({ connectionString: url, application_name: 'certdata changes by position' })
  client.on('error', () => {})
  const connected = client.connect()
  let position = 0
  return {
    begin: source.begin,
    async poll(since) {
      await connected
      const { rows } = await client.query(
        `select position::float8 as position, xid::text as xid, customer_id, resource from change_log
          where position > $1 order by position`,
        [position],
      )
      const poll = await source.poll(since)
      position = rows.at(-1)?.position ?? position
      const events = rows.map(({ xid, customer_id, resource }) => ({
        xid: Number(xid),
        customerId: customer_id as string,
        resource: resource as string,
      }))
      return { ...poll, events: poll.events && events }
    },
    async close() {
      await source.close()
      await client.end()
    },
  }
}

type Secrets = Parameters<typeof signEnvelope>[2]

/** Plants a fault: the cache accepts every envelope in Redis without a check. */
export const believeAll = <T extends Secrets>(secrets: T): T => ({ ...secrets, verifyMac: () => true })

/** Plants a fault: the last writer wins, without compare-and-set. Uses the cache's key names. */
export const overwrite = (shared: SharedCache, url: string, secrets: Secrets): SharedCache => {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, enableOfflineQueue: false })
  redis.on('error', () => {})
  return {
    ...shared,
    set(entry) {
      const tag = createHash('sha256').update(entry.epoch).digest('base64url').slice(0, 8)
      const name = `certdata:${toRedisTag(entry.customerId)}:${tag}:${entry.key}`
      redis.set(name, signEnvelope(name, entry, secrets), 'PX', 600_000).catch(() => {})
    },
    close() {
      redis.disconnect()
      return shared.close()
    },
  }
}
