import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type pg from 'pg'
import { toRedisTag } from '../../app/db/redis.ts'
import type { TestRedis } from '../../test/servers.ts'
import { testRedis } from '../../test/servers.ts'
import type { Instance } from './instances.ts'
import type { PostgresServer } from './postgres.ts'
import type { DelayProxy } from './proxy.ts'
import { customers, firstVolatile, numbers, productCount } from './world.ts'
import { bumpCertificate, bumpProduct, type Writers } from './writers.ts'

export type Victims = {
  postgres: PostgresServer
  /** Superuser's connections, for terminating others. */
  owner: pg.Pool
  redis: TestRedis
  proxies: readonly DelayProxy[]
  instances: readonly Instance[]
  writers: Writers
}

/** A temporary harm without lasting effects. `start` resolves when it is done or in force. */
export type Nemesis = {
  name: string
  /** Up to half of the answers may be stale, and requests may be refused. */
  isDatabaseUnreachable?: true
  /** Greatest share of stale answers. Optional. Defaults to the limit of other runs. */
  mostStale?: number
  /** Polls may fail, and requests with `no-cache` fail with them. */
  breaksPolls?: true
  /** Tokens may not be valid yet at another instance. */
  shiftsClocks?: true
  /** Requests may stay unanswered, because their instance was killed. */
  losesRequests?: true
  /** Entries in Redis may vanish or change, so they are not required to become newer. */
  touchesRedis?: true
  /** Minimum duration in milliseconds. */
  lastsMs?: number
  start(victims: Victims): Promise<void>
  stop(victims: Victims): Promise<void>
}

const nothing = async () => {}

const repeatedly = (
  everyMs: number,
  act: (victims: Victims, round: number) => Promise<unknown>,
  undo: (victims: Victims) => Promise<unknown> = nothing,
): Pick<Nemesis, 'start' | 'stop'> => {
  let stopping: AbortController | undefined
  let acting = Promise.resolve()
  return {
    async start(victims) {
      const controller = new AbortController()
      stopping = controller
      const run = async () => {
        for (let round = 0; !controller.signal.aborted; round += 1) {
          await act(victims, round)
          await delay(everyMs, undefined, { signal: controller.signal }).catch(nothing)
        }
      }
      acting = run()
    },
    async stop(victims) {
      stopping?.abort()
      await acting
      await undo(victims)
    },
  }
}

const withRedis = async <T>({ redis }: Victims, work: (client: Redis) => Promise<T>): Promise<T> => {
  const client = new Redis(redis.url, { maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  try {
    return await work(client)
  } finally {
    client.disconnect()
  }
}

const none: Nemesis = { name: 'none', start: nothing, stop: nothing }

const killRedis = ({ redis }: Victims) => redis.stop()
const reviveRedis = async (victims: Victims) => {
  const { port } = victims.redis
  const revived = await testRedis(port)
  if (revived) victims.redis = revived
}

const redisKilled: Nemesis = {
  name: 'Redis killed, and started again',
  touchesRedis: true,
  ...repeatedly(1_500, (victims, round) => (round % 2 === 0 ? killRedis(victims) : reviveRedis(victims))),
}
redisKilled.stop = ((stop) => async (victims: Victims) => {
  await stop(victims)
  await killRedis(victims)
  await reviveRedis(victims)
})(redisKilled.stop)

const redisPaused: Nemesis = {
  name: 'Redis paused',
  ...repeatedly(
    900,
    async ({ redis }, round) => process.kill(redis.pid, round % 2 === 0 ? 'SIGSTOP' : 'SIGCONT'),
    async ({ redis }) => process.kill(redis.pid, 'SIGCONT'),
  ),
}

const redisFlushed: Nemesis = {
  name: 'Redis flushed',
  touchesRedis: true,
  ...repeatedly(200, (victims) => withRedis(victims, (client) => client.flushall())),
}

const redisSlow: Nemesis = {
  name: 'Redis slow',
  ...repeatedly(
    1_000,
    async ({ proxies }) => {
      // From barely noticeable to longer than a command may take. The proxies differ.
      for (const proxy of proxies) proxy.delayMs = Math.random() * 20
    },
    async ({ proxies }) => {
      for (const proxy of proxies) proxy.delayMs = 0
    },
  ),
}

const rankBytes = 25
const macBytes = 32

/** Changes head or body of an entry, as an attacker without the secret would. */
const forge = (sealed: Buffer, change: object, edit = (body: string) => body): Buffer => {
  const headEnd = rankBytes + 4 + sealed.readUInt32BE(rankBytes)
  const head = JSON.parse(sealed.subarray(rankBytes + 4, headEnd).toString()) as object
  const text = Buffer.from(JSON.stringify({ ...head, ...change }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([
    sealed.subarray(0, rankBytes),
    length,
    text,
    Buffer.from(edit(sealed.subarray(headEnd, -macBytes).toString())),
    sealed.subarray(-macBytes),
  ])
}

const otherCustomer = new Map([
  [toRedisTag('alpha'), 'beta'],
  [toRedisTag('beta'), 'gamma'],
  [toRedisTag('gamma'), 'alpha'],
])

const poison = async (client: Redis, kind: number): Promise<void> => {
  // Not the counts of the limits and the list of running exports, which are no answers.
  const names = (await client.keys('certdata:{*')).filter((name) => !/:(?:limits|running):/.test(name))
  for (const name of names) {
    if (Math.random() < 0.5) continue
    const sealed = await client.getBuffer(name)
    const [, customerTag = '', tag = '', key = ''] = /^certdata:(\{[^}]+\}):([^:]+):(.*)$/s.exec(name) ?? []
    const other = otherCustomer.get(customerTag)
    if (!sealed || sealed.length < 100 || !other) continue
    const otherName = `certdata:${toRedisTag(other)}:${tag}:${key}`
    const poisons = [
      () => client.set(name, Buffer.from(sealed).fill(120, sealed.length - 40)),
      () => client.set(name, 'x'.repeat(20)),
      () => client.set(otherName, sealed),
      () => client.set(otherName, forge(sealed, { customerId: other })),
      () =>
        client.set(
          name,
          forge(sealed, {}, (body) => body.replaceAll('#', '#9')),
        ),
    ]
    try {
      await poisons[kind % poisons.length]?.()
    } catch (error) {
      // It was poisoned before and cannot be parsed.
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    }
  }
}

const redisPoisoned: Nemesis = {
  name: 'Redis poisoned',
  touchesRedis: true,
  ...repeatedly(60, (victims, round) => withRedis(victims, (client) => poison(client, round))),
}

const redisFull: Nemesis = {
  name: 'Redis out of memory',
  touchesRedis: true,
  ...repeatedly(
    800,
    (victims, round) =>
      withRedis(victims, (client) => client.config('SET', 'maxmemory', round % 2 === 0 ? '1mb' : '0')),
    (victims) => withRedis(victims, (client) => client.config('SET', 'maxmemory', '0')),
  ),
}

const terminate =
  (condition: string) =>
  async ({ owner }: Victims) => {
    await owner
      .query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid() and ${condition}`,
      )
      .catch(nothing)
  }

const pollerTerminated: Nemesis = {
  name: "poller's backend terminated",
  breaksPolls: true,
  ...repeatedly(250, terminate(`application_name = 'certdata changes'`)),
}

const backendsTerminated: Nemesis = {
  name: 'all backends terminated',
  // An interrupted statement has no answer and is not repeated.
  losesRequests: true,
  ...repeatedly(1_000, terminate('true')),
}

const backendPids = async ({ owner }: Victims, name: string): Promise<number[]> => {
  const { rows } = await owner.query('select pid from pg_stat_activity where application_name = $1', [name])
  return rows.map(({ pid }) => Number(pid))
}

const signalAll = (pids: readonly number[], name: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // The process has ended in the meantime.
    }
  }
}

const pollerHanging: Nemesis = {
  name: "poller's backend hanging",
  breaksPolls: true,
  ...repeatedly(300, async (victims) => {
    const pids = await backendPids(victims, 'certdata changes')
    signalAll(pids, 'SIGSTOP')
    await delay(900)
    signalAll(pids, 'SIGCONT')
  }),
}

const pollsUnanswered: Nemesis = {
  name: 'polls unanswered, reads answered',
  isDatabaseUnreachable: true,
  // It lasts two of every three seconds. Except for a few moments, the database can still be read.
  mostStale: 0.25,
  ...repeatedly(
    1_000,
    async (victims) => {
      const pids = await backendPids(victims, 'certdata changes')
      victims.postgres.refuseNewcomers()
      signalAll(pids, 'SIGSTOP')
      await delay(2_000)
      victims.postgres.resume()
    },
    async ({ postgres }) => postgres.resume(),
  ),
}

const postgresRestarted: Nemesis = {
  name: 'PostgreSQL restarted (immediate)',
  isDatabaseUnreachable: true,
  ...repeatedly(3_000, ({ postgres }) => postgres.restartImmediately()),
}

/** PostgreSQL then restarts itself, under the same postmaster. */
const backendKilled: Nemesis = {
  name: 'a backend killed: PostgreSQL recovers from a crash',
  isDatabaseUnreachable: true,
  ...repeatedly(2_000, async (victims) => {
    const pids = await backendPids(victims, 'freshness').catch(() => [])
    signalAll(pids.slice(-1), 'SIGKILL')
  }),
}

const postgresPaused: Nemesis = {
  name: 'PostgreSQL paused',
  isDatabaseUnreachable: true,
  ...repeatedly(
    2_000,
    async ({ postgres }, round) => (round % 2 === 0 ? postgres.pause() : postgres.resume()),
    async ({ postgres }) => postgres.resume(),
  ),
}

const heldRecords = (customer: string) => [
  bumpProduct(customer, 0),
  bumpProduct(customer, 1),
  bumpCertificate(customer, 0),
]

/** Transactions that stay open and commit at the end. */
const openWriter = (lastsMs: number): Nemesis => {
  let held = Promise.resolve()
  return {
    name: `a writer open for ${lastsMs / 1000} s`,
    lastsMs,
    async start({ writers }) {
      const hold = (customer: string, aborts: boolean) =>
        writers.run({ changes: heldRecords(customer), holdMs: lastsMs, aborts })
      held = Promise.all([hold('alpha', false), hold('beta', true), hold('gamma', false)]).then(nothing)
    },
    stop: () => held,
  }
}

/** Pauses one instance after another for a random time. */
const pausing = (everyMs: number, leastMs: number, mostMs: number) =>
  repeatedly(everyMs, async ({ instances }, round) => {
    const { pid } = instances[round % instances.length] as Instance
    signalAll([pid], 'SIGSTOP')
    await delay(leastMs + Math.random() * (mostMs - leastMs))
    signalAll([pid], 'SIGCONT')
  })

const instancePaused: Nemesis = { name: 'instances paused', ...pausing(700, 300, 2_000) }

const everything = (customer: string) => [
  ...numbers(firstVolatile).map((index) => bumpProduct(customer, index)),
  ...numbers(productCount).map((index) => bumpCertificate(customer, index)),
]

/** Simulates a process with too little processor time. */
const instanceStuttering: Nemesis = { name: 'instances stuttering', ...pausing(15, 40, 160) }

const instanceKilled: Nemesis = {
  name: 'instances killed, and started again',
  losesRequests: true,
  ...repeatedly(500, async ({ instances, writers }, round) => {
    // Every third time all of them, so that only Redis keeps entries.
    const victims = round % 3 === 0 ? instances : [instances[round % 2] as Instance]
    await Promise.all(victims.map((instance) => instance.kill()))
    // No instance observes these changes when they happen.
    const missed = customers.map((customer) =>
      writers.run({ changes: everything(customer), holdMs: 300, aborts: false }),
    )
    await Promise.all(missed)
    await Promise.all(victims.map((instance) => instance.restart()))
  }),
}

/** Moves the wall clock forwards and, as far as tokens allow, backwards; the monotonic clock only forwards. */
const shifts: readonly [wallMs: number, monotonicMs: number][] = [
  [600_000, 0],
  [0, 0],
  [-8_000, 0],
  [-8_000, 300_000],
  [3_000, 300_000],
  [0, 900_000],
]
const clocksShifted: Nemesis = {
  name: 'clocks shifted',
  shiftsClocks: true,
  ...repeatedly(
    400,
    async ({ instances }, round) => {
      const [wallMs, monotonicMs] = shifts[round % shifts.length] as (typeof shifts)[number]
      // The monotonic clock only advances.
      const gained = Math.floor(round / shifts.length) * 900_000 + monotonicMs
      instances[round % instances.length]?.shiftClock(wallMs, gained)
    },
    async ({ instances }) => {
      for (const instance of instances) instance.shiftClock(0, 1_000_000_000)
    },
  ),
}

/** Runs several nemeses one after another, each for its time. */
export const inTurn = (steps: readonly (readonly [nemesis: Nemesis, ms: number])[]): Nemesis => {
  let running = Promise.resolve()
  const run = async (victims: Victims) => {
    for (const [nemesis, ms] of steps) {
      await nemesis.start(victims)
      try {
        await delay(ms)
      } finally {
        await nemesis.stop(victims)
      }
    }
  }
  return {
    name: steps.map(([{ name }]) => name).join('; '),
    touchesRedis: true,
    lastsMs: steps.reduce((total, [, ms]) => total + ms, 0),
    async start(victims) {
      running = run(victims)
      // `stop` reports the error.
      running.catch(nothing)
    },
    stop: () => running,
  }
}

export const nemeses = {
  none,
  redisKilled,
  redisPaused,
  redisFlushed,
  redisSlow,
  redisPoisoned,
  redisFull,
  pollerTerminated,
  pollerHanging,
  pollsUnanswered,
  backendsTerminated,
  postgresRestarted,
  backendKilled,
  postgresPaused,
  openWriter: openWriter(60_000),
  shortOpenWriter: openWriter(3_000),
  instancePaused,
  instanceStuttering,
  instanceKilled,
  clocksShifted,
} as const satisfies Record<string, Nemesis>
