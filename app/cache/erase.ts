import { Cluster, type Redis } from 'ioredis'
import { connectRedis, type RedisClient } from '../db/redis.ts'

const scanCount = 1_000

/** Unlike the connection for serving, this one rejects instead of retrying. */
const connect = async (url: string): Promise<RedisClient> => {
  const redis = connectRedis(url, { lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  await redis.connect()
  return redis
}

/**
 * Deletes the entries of a customer in Redis. Open it before any row is deleted: if Redis does not answer,
 * the erasure must not start. Entries are found by the ids of the customer's keys, which the erasure deletes.
 */
export type RedisEraser = {
  /** Deletes entries tagged with the customer (`{slug}`) or naming a key id. Returns their number. */
  erase(customer: string, keyIds: readonly string[]): Promise<number>
  close(): void
}

const eraseMarked = async (node: Redis, marks: readonly string[]): Promise<number> => {
  let cursor = '0'
  let erased = 0
  do {
    const [next, names] = await node.scan(cursor, 'MATCH', 'certdata:*', 'COUNT', scanCount)
    const found = names.filter((name) => marks.some((mark) => name.includes(mark)))
    // One by one: a cluster accepts several names only if they are in one slot.
    for (const name of found) erased += await node.unlink(name)
    cursor = next
  } while (cursor !== '0')
  return erased
}

/**
 * Connects to Redis; rejects if Redis does not answer. Each erasure scans all names, on every node of a
 * cluster, because Redis has no index of them. For rare use.
 */
export const openRedisEraser = async (url: string): Promise<RedisEraser> => {
  const redis = await connect(url)
  return {
    async erase(customer, keyIds) {
      const marks = [`{${customer}}`, ...keyIds]
      const nodes: Redis[] = redis instanceof Cluster ? redis.nodes('master') : [redis]
      let erased = 0
      for (const node of nodes) erased += await eraseMarked(node, marks)
      return erased
    },
    close: () => redis.disconnect(),
  }
}
