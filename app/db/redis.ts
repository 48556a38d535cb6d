import { type RedisOptions as AnyRedisOptions, Cluster, Redis } from 'ioredis'
import { gatherWrites } from '../wire/gather-writes.ts'

type RedisOptions = Omit<AnyRedisOptions, 'replyMapping' | 'enableAutoPipelining'> & {
  gathers?: boolean
}

export type RedisClient = Redis | Cluster

const clusterScheme = /^(rediss?)-cluster:\/\//

const clusterNodes = (url: string) => {
  const [authority = ''] = url.replace(clusterScheme, '').split('/')
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .split(',')
    .map((node) => {
      const { hostname, port } = new URL(`redis://${node}`)
      return { host: hostname, port: Number(port || 6379) }
    })
}

const clusterLogin = (url: string) => {
  const { username, password } = new URL(url.replace(clusterScheme, 'redis://').replace(/,[^/]*/, ''))
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(url.startsWith('rediss') ? { tls: {} } : {}),
  }
}

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
    ...options,
  }
  if (!clusterScheme.test(url)) return new Redis(url, common)
  return new Cluster(clusterNodes(url), {
    enableOfflineQueue: false,
    ...(options.scripts ? { scripts: options.scripts as Record<string, { lua: string }> } : {}),
    lazyConnect: options.lazyConnect ?? false,
    clusterRetryStrategy: options.retryStrategy ? () => null : retry,
    redisOptions: { ...common, ...clusterLogin(url) },
  })
}

const warnEveryMs = 60_000

/** Logs an error code again after a minute or another code. A nearly full server refuses only some writes. */
export const createMinuteWarning = (warn: (message: string, error: Error) => void) => {
  let warnedAt = Number.NEGATIVE_INFINITY
  let warnedOf = ''
  return (message: string, error: Error): void => {
    const [code = ''] = error.message.split(' ', 1)
    if (code === warnedOf && performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    warnedOf = code
    warn(message, error)
  }
}

/** Whether Redis replied with an error, such as OOM, READONLY or NOPERM. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ReplyError'

export type RedisFigures = Readonly<{ isUp: boolean; isBreakerOpen: boolean }>
