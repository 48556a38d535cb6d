import { setTimeout as delay } from 'node:timers/promises'
import {
  connectRedis,
  createMinuteWarning,
  isRefusal,
  type RedisClient,
  type RedisFigures,
} from '../db/redis.ts'
import { after } from '../overload/timer.ts'
import type { Entry } from './entry.ts'
import { type EnvelopeMac, openEnvelope, rankBytes, sealEntry } from './envelope.ts'
import { createNames } from './names.ts'
import { setScript } from './scripts.ts'
import { rankSnapshot } from './snapshot.ts'

/** A store of entries behind the memory cache, shared by all instances. Never throws, never hangs. */
export type SharedCache = {
  /** `undefined`: absent, refused, or not answered in time. Whether it is fresh is the fence's to say. */
  get(customerId: string, key: string, dependsOn: readonly string[]): Promise<Entry | undefined>
  /** Keeps the newer of two entries. Does nothing while Redis is unreachable or hangs. */
  set(entry: Entry): void
  close(): Promise<void>
  /** For metrics. Optional: a store of the tests has none. */
  figures?(): RedisFigures
}

export type RedisCacheOptions = {
  url: string
  secrets: EnvelopeMac
  /** Which history of which database counts now; see the fence. Empty: not known yet. */
  epoch: () => string
  /** Bounds memory there, nothing else. */
  ttlSeconds: number
  warn: (message: string, error?: Error) => void
}

/** An accelerator must not cost more than it saves: past this, the database is asked. */
const commandTimeoutMs = 25
/** While Redis hangs, one small question at a time asks whether it is back. */
const probeEveryMs = 100
/** While Redis refuses writes, one small write at a time asks whether it takes them again. */
const tryWriteEveryMs = 1_000
const triedName = 'certdata:{}:tried'
/** A server that hangs for longer may never answer on this connection. */
const giveUpAfterMs = 5_000

type Commands = Record<'certdataSet', (...args: (string | Buffer)[]) => Promise<unknown>>

/** How Redis begins its answer to a user or password that it does not take; its client puts words in front. */
const refusal = /\b(?:WRONGPASS|NOAUTH|NOPERM)\b/
const timedOut = 'Redis did not answer in time'

/**
 * Rejects where the answer is late. Not the client's own timeout: after a busy moment that calls answers late
 * which have arrived and were not read yet.
 */
const inTime = <T>(answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    let stop = () => {}
    // Commands of one turn are sent together at its end: from then on it is Redis that takes time.
    const sent = setImmediate(() => {
      stop = after(commandTimeoutMs, () => reject(new Error(timedOut)))
    })
    answer.then(resolve, reject).finally(() => {
      clearImmediate(sent)
      stop()
    })
  })

/**
 * Redis as a shared cache. Unreachable: reported once, retried in the background. Hanging: left alone until it
 * answers, so that nothing piles up for it. What is there and was not written by us under that name is removed.
 */
export const createRedisCache = (options: RedisCacheOptions): SharedCache => {
  const { url, secrets, epoch, ttlSeconds, warn } = options
  const redis = connectRedis(url, {
    gathers: true,
    scripts: { certdataSet: { lua: setScript, numberOfKeys: 1 } },
  }) as RedisClient & Commands
  const nameOf = createNames()
  let isDown = false
  let wasRefused = false
  let isHanging = false
  let refuses = false
  let isClosed = false
  const refusalWarning = createMinuteWarning(warn)

  const probe = async () => {
    const giveUpAt = performance.now() + giveUpAfterMs
    let hasGivenUp = false
    while (isHanging && !isClosed) {
      // The connection may be dead without a word; a new one shows.
      if (!hasGivenUp && performance.now() > giveUpAt) {
        hasGivenUp = true
        redis.disconnect(true)
      }
      try {
        await inTime(redis.ping())
        isHanging = false
      } catch {
        await delay(probeEveryMs, undefined, { ref: false })
      }
    }
  }
  const reportRefusal = (error: Error) =>
    refusalWarning.warn('Redis refuses commands: answers are not shared with other instances', error)

  const tryWrites = async () => {
    while (refuses && !isClosed) {
      await delay(tryWriteEveryMs, undefined, { ref: false })
      try {
        await redis.certdataSet(triedName, '0'.repeat(rankBytes), '', '1000')
        refuses = false
        refusalWarning.reset()
        warn('Redis takes writes again')
      } catch (error) {
        if (isRefusal(error)) reportRefusal(error)
      }
    }
  }
  const onFailure = (error: Error) => {
    if (isRefusal(error) && !refuses) {
      refuses = true
      reportRefusal(error)
      void tryWrites()
    }
    if (isHanging || error.message !== timedOut) return
    isHanging = true
    void probe()
  }

  redis.on('error', (error: Error) => {
    const isLoginRefused = refusal.test(error.message)
    if (!isDown) warn('Redis is unreachable: serving from memory and the database, retrying', error)
    // Waiting does not cure it, and whatever else was the matter first does not tell.
    else if (isLoginRefused && !wasRefused)
      warn('Redis refuses the user or password of REDIS_URL, retrying', error)
    isDown = true
    wasRefused ||= isLoginRefused
  })
  redis.on('ready', () => {
    if (isDown) warn('Redis is reachable again')
    isDown = false
    wasRefused = false
  })

  const opened = (
    name: string,
    sealed: Buffer,
    { customerId, key, dependsOn }: Pick<Entry, 'customerId' | 'key' | 'dependsOn'>,
  ): Entry | undefined => {
    const entry = openEnvelope(name, sealed, secrets)
    if (entry?.customerId === customerId && entry.key === key) return { ...entry, dependsOn }
    redis.unlink(name).catch(onFailure)
    return undefined
  }

  return {
    async get(customerId, key, dependsOn) {
      const current = epoch()
      if (isHanging || current === '') return undefined
      const name = nameOf(current, customerId, key)
      try {
        const sealed = await inTime(redis.getBuffer(name))
        return sealed ? opened(name, sealed, { customerId, key, dependsOn }) : undefined
      } catch (error) {
        onFailure(error as Error)
        return undefined
      }
    },
    set(entry) {
      if (isHanging || redis.status !== 'ready') return
      const name = nameOf(entry.epoch, entry.customerId, entry.key)
      const sealed = sealEntry(name, entry, secrets)
      const rank = rankSnapshot(entry.snapshot)
      const ttlMs = String(ttlSeconds * 1000)
      inTime(redis.certdataSet(name, rank, sealed, ttlMs)).catch(onFailure)
    },
    figures: () => ({ isUp: redis.status === 'ready' && !refuses, isBreakerOpen: isHanging }),
    close() {
      isClosed = true
      redis.disconnect()
      return Promise.resolve()
    },
  }
}
