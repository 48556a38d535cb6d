import { Redis } from 'ioredis'
import type { Expected, Fault } from './fault.ts'
import type { Stage } from './stage.ts'

/** Requests succeed without Redis, and both instances use it again soon after it is back. */
const expected: Expected = { text: 'every request answered', recoverMs: 5_000, isWarned: true }

const withRedis = async (stage: Stage, act: (client: Redis) => Promise<unknown>) => {
  const client = new Redis(stage.redis.url, { maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  try {
    await act(client)
  } finally {
    client.disconnect()
  }
}

const redisFault = (fault: Omit<Fault, 'isRedis' | 'verify'>): Fault => ({
  ...fault,
  isRedis: true,
  verify: findOvercount,
})

const minuteForm = /"minute";r=(\d+)/
const policyForm = /"minute";q=(\d+)/

/** A request counts once, even if Redis answers late. */
const findOvercount = async ({ services, headers, loads }: Stage): Promise<string[]> => {
  const objections: string[] = []
  for (const { base } of services) {
    const answer = await fetch(`${base}/v1/products?limit=20`, { headers })
    const read = (name: string, form: RegExp) => Number(form.exec(answer.headers.get(name) ?? '')?.[1])
    const used = read('ratelimit-policy', policyForm) - read('ratelimit', minuteForm)
    const sent = loads.countedLately()
    // The requests of this function count, too.
    if (!(used <= sent * 1.05 + services.length))
      objections.push(`${used} units counted for ${sent} requests`)
  }
  return objections
}

const slow = (milliseconds: number, more: Partial<Expected>): Fault =>
  redisFault({
    name: `Redis slow: answers ${milliseconds} ms late`,
    expected: { ...expected, isWarned: false, ...more },
    async start({ redisProxy }) {
      redisProxy.delayMs = milliseconds / 2
    },
    async end({ redisProxy }) {
      redisProxy.delayMs = 0
    },
  })

const redisKilled = redisFault({
  name: 'Redis killed (SIGKILL)',
  expected: { ...expected, hasNoRedis: true },
  start: ({ redis }) => redis.stop(),
  end: (stage) => stage.startRedis(),
})

const redisStopped = redisFault({
  name: 'Redis stopped (SIGSTOP)',
  expected: { ...expected, hasNoRedis: true },
  // The log warns after 5 s without an answer from Redis.
  holdMs: 8_000,
  async start({ redis }) {
    process.kill(redis.pid, 'SIGSTOP')
  },
  async end({ redis }) {
    process.kill(redis.pid, 'SIGCONT')
  },
})

const redisFull = redisFault({
  name: 'Redis full (maxmemory, noeviction)',
  expected: { ...expected, hasNoRedis: true },
  start: (stage) =>
    withRedis(stage, async (client) => {
      await client.config('SET', 'maxmemory-policy', 'noeviction')
      await client.config('SET', 'maxmemory', '1')
    }),
  end: (stage) => withRedis(stage, (client) => client.config('SET', 'maxmemory', '0')),
})

const redisSlow30 = slow(30, {})
const redisSlow300 = slow(300, { hasNoRedis: true })

const redisPassword = redisFault({
  name: 'Redis refuses the password',
  expected: { ...expected, hasNoRedis: true },
  start: (stage) =>
    withRedis(stage, async (client) => {
      await client.config('SET', 'requirepass', 'another')
      // Open connections need no password.
      await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    }),
  end: async (stage) => {
    const client = new Redis(stage.redis.url, { password: 'another', maxRetriesPerRequest: 1 })
    await client.config('SET', 'requirepass', '')
    client.disconnect()
  },
})

export const redisFaults = {
  redisKilled,
  redisStopped,
  redisFull,
  redisSlow30,
  redisSlow300,
  redisPassword,
} satisfies Record<string, Fault>
