import { hash } from 'node:crypto'
import { type RedisOptions as AnyRedisOptions, type Cluster, Redis } from 'ioredis'
import { gatherWrites } from '../wire/gather-writes.ts'
import { createCluster, isClusterUrl } from './redis-cluster.ts'

type RedisOptions = Omit<AnyRedisOptions, 'replyMapping' | 'enableAutoPipelining'> & {
  gathers?: boolean
}

export type RedisClient = Redis | Cluster

/** The hash tag of an owner's keys, usually of a customer, whose name is not in Redis. One node of a cluster has them all. */
export const toRedisTag = (owner: string): string => `{${hash('sha256', owner, 'base64url').slice(0, 16)}}`

const connectTimeoutMs = 2_000
const retry = (attempt: number) => Math.min(100 * attempt, 2_000)

/** Also for connections that the client opens later. */
const gatherCommands = (client: RedisClient): void => {
  if (client instanceof Redis) client.on('connect', () => gatherWrites(client))
  else client.on('+node', gatherCommands)
}

/**
 * Connects to `redis[s]://` or `redis[s]-cluster://host:port,host:port`. Commands reject while disconnected. A cluster
 * never reconnects if `retryStrategy` is given.
 */
export const connectRedis = (url: string, { gathers = false, ...options }: RedisOptions): RedisClient => {
  const client = createClient(url, options)
  if (gathers) gatherCommands(client)
  return client
}

const createClient = (url: string, options: Omit<RedisOptions, 'gathers'>): RedisClient => {
  const common: RedisOptions = {
    enableOfflineQueue: false,
    connectTimeout: connectTimeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: retry,
    // A user with few rights, or Redis 7.0, would refuse CLIENT SETINFO at each connection.
    disableClientInfo: true,
    ...options,
  }
  if (!isClusterUrl(url)) return new Redis(url, common)
  return createCluster(url, common, {
    enableOfflineQueue: false,
    ...(options.scripts ? { scripts: options.scripts as Record<string, { lua: string }> } : {}),
    lazyConnect: options.lazyConnect ?? false,
    clusterRetryStrategy: options.retryStrategy ? () => null : retry,
  })
}

const warnEveryMs = 60_000

/** Logs an error code once a minute: a nearly full server refuses only some writes. True if logged. */
export const createMinuteWarning = (warn: (message: string, error: Error) => void) => {
  const warnedAt = new Map<string, number>()
  return (message: string, error: Error): boolean => {
    const [code = ''] = error.message.split(' ', 1)
    const nowMs = performance.now()
    if (nowMs - (warnedAt.get(code) ?? Number.NEGATIVE_INFINITY) < warnEveryMs) return false
    warnedAt.set(code, nowMs)
    warn(message, error)
    return true
  }
}

/** Whether Redis replied with an error, such as OOM, READONLY or NOPERM. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ReplyError'

export type RedisFigures = Readonly<{ isUp: boolean; isBreakerOpen: boolean }>
