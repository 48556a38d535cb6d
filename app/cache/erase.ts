import { Cluster, type Redis } from 'ioredis'
import { connectRedis, type RedisClient } from '../db/redis.ts'

const scanCount = 1_000

/** A connection that is there or fails, as opposed to the serving one that does without. */
const connect = async (url: string): Promise<RedisClient> => {
  const redis = connectRedis(url, { lazyConnect: true, retryStrategy: () => null })
  // The command that fails says it.
  redis.on('error', () => {})
  await redis.connect()
  return redis
}

/**
 * Deletes the entries of a customer in Redis. It connects before any row is deleted: the entries are found by the ids of
 * the customer's keys, which the erasure deletes. If Redis does not answer, the erasure does not start.
 */
export type RedisEraser = {
  /** Deletes keys tagged with the customer (`{slug}`) or naming one of his keys; returns how many. */
  erase(customer: string, keyIds: readonly string[]): Promise<number>
  close(): void
}

const eraseMarked = async (node: Redis, marks: readonly string[]): Promise<number> => {
  let cursor = '0'
  let erased = 0
  do {
    const [next, names] = await node.scan(cursor, 'MATCH', 'certdata:*', 'COUNT', scanCount)
    const found = names.filter((name) => marks.some((mark) => name.includes(mark)))
    // One by one: a cluster takes several only of one slot.
    for (const name of found) erased += await node.unlink(name)
    cursor = next
  } while (cursor !== '0')
  return erased
}

/**
 * Throws where Redis does not answer. One pass over all names, since Redis has no index of them: for rare
 * use. On a Redis Cluster it goes through every node.
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
