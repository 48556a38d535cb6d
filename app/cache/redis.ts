import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Entry } from './entry.ts'

/** A store of entries behind the memory cache, shared by all instances. Never throws, never hangs. */
export type SharedCache = {
  /** `undefined`: absent, refused, or not answered in time. */
  get(customerId: string, key: string): Promise<Entry | undefined>
  set(entry: Entry): void
  close(): Promise<void>
}

/** Signs and checks envelopes; see auth/secrets.ts. */
export type EnvelopeMac = {
  mac(purpose: string, data: Buffer): Buffer
  verifyMac(purpose: string, data: Buffer, mac: Buffer): boolean
}

type Options = {
  url: string
  secrets: EnvelopeMac
  /** Monotonic milliseconds. */
  now: () => number
  warn: (message: string, error?: Error) => void
}

/** An accelerator must not cost more than it saves: past this, the database is asked. */
const commandTimeoutMs = 25
const macBytes = 32
const purpose = 'cache-envelope'

/** The customer as hash tag: all of a customer's keys lie on one node of a cluster. */
const redisKey = (customerId: string, key: string) => `certdata:{${customerId}}:${key}`

type Head = { customerId: string; key: string; snapshot: string; etag: string; next?: string; rows?: number }

/** Layout: head length (4 bytes, big endian), head as JSON, body, mac over the Redis key and all before. */
const pack = (entry: Entry, secrets: EnvelopeMac): Buffer => {
  const { customerId, key, snapshot, etag, next, rows } = entry
  const head = Buffer.from(
    JSON.stringify({ customerId, key, snapshot, etag, next, rows } satisfies Record<keyof Head, unknown>),
  )
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  const content = Buffer.concat([length, head, entry.body])
  const mac = secrets.mac(purpose, Buffer.concat([Buffer.from(redisKey(customerId, key)), content]))
  return Buffer.concat([content, mac])
}

/** Undefined for whatever we did not write under this very key. */
const unpack = (
  name: string,
  sealed: Buffer,
  secrets: EnvelopeMac,
): (Head & { body: Buffer }) | undefined => {
  if (sealed.length < 4 + macBytes) return undefined
  const content = sealed.subarray(0, -macBytes)
  const mac = sealed.subarray(-macBytes)
  if (!secrets.verifyMac(purpose, Buffer.concat([Buffer.from(name), content]), mac)) return undefined
  const headEnd = 4 + content.readUInt32BE(0)
  const head = JSON.parse(content.subarray(4, headEnd).toString()) as Head
  return { ...head, body: content.subarray(headEnd) }
}

/** While Redis hangs, one small question at a time asks whether it is back. */
const probeEveryMs = 100

/**
 * Redis as a shared cache. Expiry carries an entry's age between instances, so their clocks need not agree:
 * a key lives until its answer goes stale, by Redis's own clock, so that what Redis takes in late, after a
 * pause, is not younger for it. Unreachable: reported once, retried in the background. Hanging: left alone
 * until it answers, so that nothing piles up for it.
 */
export const createRedisCache = ({ url, secrets, now, warn }: Options): SharedCache => {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  })
  let isDown = false
  let isHanging = false
  let isClosed = false
  /** Redis's clock less ours, at the least: an entry may go a round trip too early, never too late. */
  let aheadMs: number | undefined

  const readClock = async () => {
    const [seconds, microseconds] = await redis.time()
    aheadMs = Number(seconds) * 1000 + Number(microseconds) / 1000 - now()
  }
  const probe = async () => {
    while (isHanging && !isClosed) {
      try {
        await readClock()
        isHanging = false
      } catch {
        await delay(probeEveryMs, undefined, { ref: false })
      }
    }
  }
  const onFailure = (error: Error) => {
    if (isHanging || error.message !== 'Command timed out') return
    isHanging = true
    void probe()
  }

  redis.on('error', (error: Error) => {
    if (!isDown) warn('Redis is unreachable: serving from memory and the database, retrying', error)
    isDown = true
  })
  redis.on('ready', () => {
    if (isDown) warn('Redis is reachable again')
    isDown = false
    readClock().catch(onFailure)
  })
  return {
    async get(customerId, key) {
      if (isHanging) return undefined
      const name = redisKey(customerId, key)
      const askedAt = now()
      try {
        const [sealed, remainingMs] = await Promise.all([
          redis.getBuffer(name),
          redis.pttl(name),
          readClock(),
        ])
        const content = sealed && remainingMs > 0 ? unpack(name, sealed, secrets) : undefined
        if (!content || content.customerId !== customerId || content.key !== key) return undefined
        return { ...content, staleAt: askedAt + remainingMs, encoded: new Map() }
      } catch (error) {
        onFailure(error as Error)
        return undefined
      }
    },
    set(entry) {
      if (isHanging || aheadMs === undefined || entry.staleAt <= now()) return
      const deadline = Math.floor(entry.staleAt + aheadMs)
      redis
        .set(redisKey(entry.customerId, entry.key), pack(entry, secrets), 'PXAT', deadline)
        .catch(onFailure)
    },
    close() {
      isClosed = true
      redis.disconnect()
      return Promise.resolve()
    },
  }
}
