import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { connectRedis, isRefusal, type RedisClient, type RedisFigures, toRedisTag } from '../db/redis.ts'
import { createRedisHealth } from '../db/redis-health.ts'
import { isTimeout, after as timer, within } from '../overload/timer.ts'
import type { StoredEntry } from './entry.ts'
import { type EnvelopeMac, openEnvelope, rankBytes, signEnvelope } from './envelope.ts'
import { formatAge, getErasedName, isErasedScript } from './erased.ts'
import { rankSnapshot } from './snapshot.ts'

/** Entries that all instances share. Never throws, never hangs. */
export type SharedCache = {
  /** The entry may be out of date. `undefined` if it is missing or late, or if Redis refuses. */
  get(customerId: string, key: string, dependsOn: readonly string[]): Promise<StoredEntry | undefined>
  /** Redis keeps the newer of two entries. */
  set(entry: StoredEntry): void
  close(): Promise<void>
  figures?(): RedisFigures
}

export type RedisCacheOptions = {
  url: string
  secrets: EnvelopeMac
  epoch: () => string
  ttlSeconds: number
  warn: (message: string, error?: Error) => void
  after?: typeof timer
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** Beyond this, reading the database is faster. */
const commandTimeoutMs = 25
const probeEveryMs = 100
const tryWriteEveryMs = 1_000
const giveUpAfterMs = 5_000

type Commands = Record<'certdataSet', (...args: (string | Buffer)[]) => Promise<unknown>>

/**
 * Stores an envelope unless the stored one is newer, or the customer was erased after the entry was read. Lua's numbers
 * are doubles, so ranks are compared as texts.
 */
const setScript = `${isErasedScript}
if isErased(KEYS[2], ARGV[4]) then return end
local known = redis.call('GETRANGE', KEYS[1], 0, ${rankBytes - 1})
if #known < ${rankBytes} or known <= ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end`

/** Ranks of different epochs cannot be compared. With the hash tag, a customer is on one node of a cluster. */
const getName = (epoch: string, customerId: string, key: string) =>
  `certdata:${toRedisTag(customerId)}:${hash('sha256', epoch, 'base64url').slice(0, 8)}:${key}`

/** Creates the shared cache. While Redis hangs, it is bypassed. Values that this service did not sign are removed. */
export const createRedisCache = (options: RedisCacheOptions): SharedCache => {
  const { url, secrets, epoch, ttlSeconds, warn, after = timer, now = () => performance.now() } = options
  const redis = connectRedis(url, {
    gathers: true,
    scripts: { certdataSet: { lua: setScript, numberOfKeys: 2 } },
  }) as RedisClient & Commands
  const connection = createRedisHealth({
    initial: 'up',
    warn,
    messages: {
      lost: 'Redis is unreachable: answers come from memory and the database, retrying',
      loginRefused: 'Redis refuses the user or password of REDIS_URL, retrying',
      up: 'Redis is reachable again',
    },
  })
  const commands = createRedisHealth({
    initial: 'up',
    warn,
    messages: {
      refused: 'Redis refuses commands: answers are not shared with other instances',
      up: 'Redis accepts writes again',
    },
  })
  let isHanging = false

  /** ioredis's own timeout also rejects answers that have arrived but were not read yet. */
  const inTime = <T>(answer: Promise<T>): Promise<T> => within(commandTimeoutMs, answer, after)

  const probe = async () => {
    const giveUpAt = now() + giveUpAfterMs
    let hasGivenUp = false
    while (isHanging && connection.state !== 'closed') {
      if (!hasGivenUp && now() > giveUpAt) {
        hasGivenUp = true
        redis.disconnect(true)
      }
      try {
        await inTime(redis.ping())
        isHanging = false
      } catch (error) {
        if (isRefusal(error)) isHanging = false
        else await delay(probeEveryMs, undefined, { ref: false })
      }
    }
  }

  /** Tries all three commands, because an ACL may refuse any of them. */
  const tryWrites = async (customerId: string) => {
    // In a cluster, this key is on the node that refused the customer's command.
    const name = `certdata:${toRedisTag(customerId)}:tried`
    while (commands.state === 'refused') {
      await new Promise<void>((resolve) => void after(tryWriteEveryMs, resolve))
      try {
        await redis.certdataSet(name, getErasedName(customerId), '0'.repeat(rankBytes), '', '1000', '')
        await redis.getBuffer(name)
        await redis.unlink(name)
        commands.recover()
      } catch (error) {
        if (isRefusal(error)) commands.markRefused(error)
      }
    }
  }
  const onFailure = (error: Error, customerId: string) => {
    if (isRefusal(error) && commands.state === 'up') {
      commands.markRefused(error)
      void tryWrites(customerId)
    }
    if (isHanging || !isTimeout(error)) return
    isHanging = true
    void probe()
  }

  redis.on('error', connection.lose)
  redis.on('ready', connection.recover)

  return {
    async get(customerId, key, dependsOn) {
      const current = epoch()
      if (isHanging || current === '') return undefined
      const name = getName(current, customerId, key)
      try {
        const sealed = await inTime(redis.getBuffer(name))
        if (!sealed) return undefined
        const entry = openEnvelope(name, sealed, secrets)
        if (entry?.customerId === customerId && entry.key === key) return { ...entry, dependsOn }
        redis.unlink(name).catch((error) => onFailure(error, customerId))
      } catch (error) {
        onFailure(error as Error, customerId)
      }
      return undefined
    },
    set(entry) {
      if (isHanging || redis.status !== 'ready') return
      const name = getName(entry.epoch, entry.customerId, entry.key)
      const sealed = signEnvelope(name, entry, secrets)
      const rank = rankSnapshot(entry.snapshot)
      const ttlMs = String(ttlSeconds * 1000)
      const erasedName = getErasedName(entry.customerId)
      inTime(redis.certdataSet(name, erasedName, rank, sealed, ttlMs, formatAge(entry))).catch((error) =>
        onFailure(error, entry.customerId),
      )
    },
    figures: () => ({
      isUp: redis.status === 'ready' && commands.state !== 'refused',
      isBreakerOpen: isHanging,
    }),
    async close() {
      connection.close()
      commands.close()
      redis.disconnect()
    },
  }
}
