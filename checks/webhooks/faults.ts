import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { until } from '../../test/helper.ts'
import { eraseCustomer } from '../../test/personal-data.ts'
import { testRedis } from '../../test/servers.ts'
import { logIn } from '../faults/stage.ts'
import type { Hook } from './hook.ts'
import type { Stage } from './stage.ts'
import type { Fault } from './trial.ts'

const takeoverMs = 10_000
/** If no change takes this long, the instance was not sending, and the fault was not in force. */
const inForceMs = 2_000

export const twoInstances = (): Fault => {
  const underWay = new Map<Hook, number>()
  let most = 0
  return {
    name: 'two instances, no fault',
    limits: { recoverMs: 2_000 },
    holdMs: 3_000,
    async start(_stage, hooks) {
      for (const hook of hooks) {
        hook.receiver.answer = (response) => {
          const count = (underWay.get(hook) ?? 0) + 1
          underWay.set(hook, count)
          most = Math.max(most, count)
          setTimeout(() => {
            underWay.set(hook, (underWay.get(hook) ?? 1) - 1)
            response.writeHead(204).end()
          }, 100)
          return true
        }
      }
    },
    verify: async () => (most === 1 ? [] : [`${most} concurrent messages for one webhook`]),
  }
}

/** Makes one instance send all webhooks, by pausing the other one until this one has taken over. */
const gather = async ({ services }: Stage, index: 0 | 1): Promise<void> => {
  const other = services[1 - index]?.child
  other?.kill('SIGSTOP')
  await delay(takeoverMs)
  other?.kill('SIGCONT')
}

export const instanceKilled: Fault = {
  name: 'an instance killed (SIGKILL)',
  limits: { recoverMs: takeoverMs, leastMs: inForceMs },
  holdMs: 0,
  async start(stage) {
    await gather(stage, 0)
    await stage.services[0]?.stop('SIGKILL')
  },
  clear: (stage) => stage.startInstance(0),
}

/** Kills the instance without gathering webhooks first, which is faster. */
export const anyInstanceKilled: Fault = {
  ...instanceKilled,
  limits: { recoverMs: 30_000 },
  start: async ({ services }) => void (await services[0]?.stop('SIGKILL')),
}

export const instancePaused: Fault = {
  name: 'an instance paused (SIGSTOP) until the other one has taken over',
  limits: { recoverMs: takeoverMs, leastMs: inForceMs },
  holdMs: 0,
  async start(stage) {
    await gather(stage, 0)
    stage.services[0]?.child.kill('SIGSTOP')
  },
  async clear({ services }) {
    services[0]?.child.kill('SIGCONT')
    // Waits for deliveries that were in progress.
    await delay(1_000)
  },
}

export const databaseRestarted: Fault = {
  name: 'PostgreSQL crashes and starts again',
  limits: { recoverMs: takeoverMs },
  holdMs: 2_000,
  start: ({ server }) => server.crash(),
  end: ({ server }) => server.launch(),
}

export const redisGone: Fault = {
  name: 'Redis down',
  limits: { recoverMs: 2_000, longestMs: 3_000 },
  holdMs: 4_000,
  start: ({ redis }) => redis.stop(),
  async end(stage) {
    stage.redis = (await testRedis(stage.redis.port)) ?? stage.redis
  },
}

export const clockStepped: Fault = {
  name: 'the clock of an instance set an hour ahead',
  limits: { recoverMs: 2_000, longestMs: 3_000 },
  holdMs: 3_000,
  start: async ({ services }) => void services[0]?.child.kill('SIGUSR2'),
}

export const longTransaction = (): Fault => {
  let client: PoolClient | undefined
  const written: { hook: Hook; xid: number }[] = []
  return {
    name: 'a transaction open for 5 s that writes',
    limits: { recoverMs: 2_000, longestMs: 3_000 },
    holdMs: 5_000,
    async start({ owner }, hooks) {
      client = await owner.connect()
      await client.query('begin')
      for (const hook of hooks) {
        const { rows } = await client.query(
          `insert into products (customer_id, id, name) values ($1, 'late', 'late')
           returning pg_current_xact_id()::text as xid`,
          [hook.customer],
        )
        written.push({ hook, xid: Number(rows[0].xid) })
      }
    },
    async end() {
      await client?.query('commit')
      client?.release()
      const committedAtMs = performance.now()
      for (const { hook, xid } of written) hook.changes.push({ xid, committedAtMs })
    },
  }
}

/** Opens streams on every instance. Resolves when they have begun, with a promise for the end of each. */
const openStreams = async ({ services }: Stage, { apiKey }: Hook) => {
  const ended: Promise<unknown>[] = []
  for (const service of services) {
    const headers = { ...(await logIn(service, apiKey)), accept: 'text/event-stream' }
    const answer = await fetch(`${service.base}/v1/changes`, { headers })
    if (answer.status !== 200) throw new Error(`the stream is refused: ${answer.status}`)
    ended.push(answer.text())
  }
  return ended
}

export const customerErased = (): Fault => {
  const problems: string[] = []
  return {
    name: 'a customer erased: its streams end, its webhook stops, others continue',
    limits: { recoverMs: 2_000, longestMs: 3_000 },
    holdMs: 2_000,
    async start(stage, hooks) {
      const gone = await stage.addHook()
      let hasEnded = false
      const streams = Promise.all(await openStreams(stage, gone)).then(() => {
        hasEnded = true
      })
      await delay(500)
      if (hasEnded) problems.push('the streams ended before the erasure')
      await eraseCustomer(stage, gone.customer)
      await until('the streams end', () => hasEnded, 5_000).catch(() => problems.push('a stream did not end'))
      streams.catch(() => {})
      const before = gone.receiver.arrivals.length
      await delay(1_000)
      if (gone.receiver.arrivals.length > before) problems.push('messages continue after the erasure')
      if (hooks.length === 0) problems.push('there is no other customer')
    },
    verify: async () => problems,
  }
}
