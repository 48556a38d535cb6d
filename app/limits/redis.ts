import { randomUUID } from 'node:crypto'
import { getErasedName } from '../cache/erased.ts'
import { connectRedis, isRefusal, type RedisClient, toRedisTag } from '../db/redis.ts'
import { createRedisHealth } from '../db/redis-health.ts'
import { within } from '../overload/timer.ts'
import { windowParts } from './meters.ts'
import { beatScript, exchangeScript, slotScript } from './scripts.ts'
import type { AccountName, Count, Demand, LimitStore, Policy, Settlement, Slot, SlotStore } from './store.ts'

type RedisLimitsOptions = {
  url: string
  /** The age of the last poll (`formatAge`). '' before the first. */
  view: () => string
  after: (ms: number, call: () => void) => () => void
  warn: (message: string, error?: Error) => void
}

/** A slot's command that takes longer counts as failed. */
const placeWithinMs = 25
const beatEveryMs = 1_000
const beatEveryMsWhileDown = 100
/** A connection on which nothing arrives for this time, while a command waits, is replaced. */
const giveUpAfterMs = 5_000
/** An instance without a heartbeat for this time does not count. */
const leftAfterMs = 3_500

const instancesKey = 'certdata:limits:instances'

const redisKey = ({ tag, name }: AccountName, policy: Policy) =>
  `certdata:${toRedisTag(tag)}:limits:${policy.name}${name === '' ? '' : `:${name}`}`

/** Contains the tag, so that erasing a customer deletes its slots. */
const slotKey = ({ account: { tag, name }, kind }: Slot) =>
  `certdata:${toRedisTag(tag)}:running:${kind}${name === '' ? '' : `:${name}`}`

const isCount = (value: unknown): value is number => Number.isSafeInteger(value)

const readCounts = (ages: unknown, { windowSeconds }: Policy): Count[] | undefined => {
  if (!Array.isArray(ages) || ages.length / 2 > windowParts + 2) return undefined
  const counts: Count[] = []
  for (let i = 0; i < ages.length; i += 2) {
    const [ageMs, units] = [ages[i], ages[i + 1]]
    if (!isCount(ageMs) || !isCount(units) || ageMs < 0 || ageMs >= windowSeconds * 1000) return undefined
    counts.push([ageMs, units])
  }
  return counts
}

/** `undefined` for results that the script cannot produce, because other programs may write to Redis. */
const readSettlements = (answer: unknown, demands: readonly Demand[]): Settlement[] | undefined => {
  if (!Array.isArray(answer) || answer.length !== demands.length * 2) return undefined
  const settlements: Settlement[] = []
  for (const [index, { policy, wanted }] of demands.entries()) {
    const granted: unknown = answer[index * 2]
    const counts = readCounts(answer[index * 2 + 1], policy)
    if (!counts || !isCount(granted) || granted < 0 || granted > wanted) return undefined
    settlements.push({ granted, counts })
  }
  return settlements
}

/**
 * Shares limits in Redis, on a separate connection, so that no large cache entry delays an exchange. Counts are not
 * signed: a program with access to Redis can change quotas, but read no data.
 */
export const createRedisLimits = ({ url, view, after, warn }: RedisLimitsOptions): LimitStore & SlotStore => {
  const redis = connectRedis(url, {
    socketTimeout: giveUpAfterMs,
    scripts: {
      certdataBeat: { lua: beatScript, numberOfKeys: 1 },
      certdataExchange: { lua: exchangeScript },
      certdataSlot: { lua: slotScript, numberOfKeys: 2 },
    },
  }) as RedisClient &
    Record<'certdataBeat' | 'certdataExchange' | 'certdataSlot', (...args: unknown[]) => Promise<unknown>>
  const id = randomUUID()
  let instances = 1
  let isExchangeRefused = false
  let stopBeating = () => {}
  const health = createRedisHealth({
    initial: 'lost',
    warn,
    messages: {
      lost: 'Redis does not answer: every instance enforces limits by itself, retrying',
      refused: 'Redis refuses commands: every instance enforces limits by itself',
      up: 'Redis answers again: limits are shared',
    },
  })

  /** `undefined` if the command fails or is late. */
  const inTime = (answer: Promise<unknown>): Promise<unknown> =>
    within(placeWithinMs, answer, after).catch(() => undefined)

  const beat = async (): Promise<void> => {
    if (redis.status === 'ready') {
      const count = await redis.certdataBeat(instancesKey, id, leftAfterMs).catch((error: unknown) => error)
      if (isCount(count) && count >= 1) {
        instances = count
        health.recover()
      } else if (isRefusal(count)) health.markRefused(count)
      else health.lose()
    }
    if (health.state === 'closed') return
    stopBeating = after(health.state === 'up' ? beatEveryMs : beatEveryMsWhileDown, () => void beat())
  }

  redis.on('error', health.lose)
  redis.on('close', () => health.lose())
  redis.once('ready', () => {
    stopBeating()
    void beat()
  })
  stopBeating = after(beatEveryMsWhileDown, () => void beat())

  return {
    get isDown() {
      return health.state !== 'up'
    },
    get isRefused() {
      return isExchangeRefused
    },
    get instances() {
      return instances
    },
    async exchange(account, demands) {
      if (health.state !== 'up') return undefined
      const keys = demands.map(({ policy }) => redisKey(account, policy))
      keys.push(getErasedName(account.tag))
      const numbers = demands.flatMap(({ policy, spent, wanted, refunds = [] }) => [
        policy.quota,
        policy.windowSeconds * 1000,
        spent,
        wanted,
        refunds.map(([ageMs, units]) => `${Math.round(ageMs)}/${units}`).join(' '),
      ])
      try {
        const answer = await redis.certdataExchange(keys.length, ...keys, ...numbers, view())
        isExchangeRefused = false
        return readSettlements(answer, demands)
      } catch (error) {
        isExchangeRefused = isRefusal(error)
        if (isRefusal(error)) health.reportRefusal(error)
        return undefined
      }
    },
    async hold(slot, leaseMs) {
      if (health.state !== 'up') return undefined
      const keys = [slotKey(slot), getErasedName(slot.account.tag)]
      const answer = await inTime(redis.certdataSlot(...keys, slot.id, slot.quota, leaseMs, view()))
      return answer === 1 || answer === 0 ? answer === 1 : undefined
    },
    async release(slot) {
      if (health.state === 'up') await inTime(redis.zrem(slotKey(slot), slot.id))
    },
    async close() {
      health.close()
      stopBeating()
      if (redis.status === 'ready') await inTime(redis.zrem(instancesKey, id))
      redis.disconnect()
    },
  }
}
