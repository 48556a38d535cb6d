import { Redis } from 'ioredis'

const scanCount = 1_000

/** A connection that is there or fails, as opposed to the serving one that does without. */
const connect = async (url: string): Promise<Redis> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  // The command that fails says it.
  redis.on('error', () => {})
  await redis.connect()
  return redis
}

/** A way to take a customer out of Redis; opened before anything else is erased. */
export type RedisEraser = {
  /** Deletes keys tagged with the customer (`{slug}`) or naming one of his keys; returns how many. */
  erase(customer: string, keyIds: readonly string[]): Promise<number>
  close(): void
}

/**
 * Throws where Redis does not answer. One pass over all names, since Redis has no index of them: for rare
 * use. On a Redis Cluster it sees the one node of the URL.
 */
export const openRedisEraser = async (url: string): Promise<RedisEraser> => {
  const redis = await connect(url)
  return {
    async erase(customer, keyIds) {
      const marks = [`{${customer}}`, ...keyIds]
      let cursor = '0'
      let erased = 0
      do {
        const [next, names] = await redis.scan(cursor, 'MATCH', 'certdata:*', 'COUNT', scanCount)
        const found = names.filter((name) => marks.some((mark) => name.includes(mark)))
        if (found.length > 0) erased += await redis.unlink(...found)
        cursor = next
      } while (cursor !== '0')
      return erased
    },
    close: () => redis.disconnect(),
  }
}
