import { Cluster, type Redis } from 'ioredis'
import { connectRedis, toRedisTag } from '../db/redis.ts'
import { erasedMs, formatAge, getErasedName } from './erased.ts'
import type { Stamped } from './stamped.ts'

const scanCount = 1_000

export type RedisEraser = {
  /** Lets Redis refuse all data of the customer that are older than this snapshot, which shows the erasure. */
  shutOut(customer: string, since: Pick<Stamped, 'epoch' | 'snapshot'>): Promise<void>
  /** Deletes the customer's keys, and keys with a key id. The refusal remains. Returns their number. */
  erase(customer: string, keyIds: readonly string[]): Promise<number>
  close(): void
}

const eraseMarked = async (node: Redis, marks: readonly string[], refusal: string): Promise<number> => {
  let cursor = '0'
  let erased = 0
  do {
    const [next, names] = await node.scan(cursor, 'MATCH', 'certdata:*', 'COUNT', scanCount)
    const found = names.filter((name) => name !== refusal && marks.some((mark) => name.includes(mark)))
    // One by one: a cluster accepts several names only if they are in one slot.
    for (const name of found) erased += await node.unlink(name)
    cursor = next
  } while (cursor !== '0')
  return erased
}

/** Connects to Redis, or rejects: call it before rows are deleted. Each erasure scans all keys. */
export const openRedisEraser = async (url: string): Promise<RedisEraser> => {
  const redis = connectRedis(url, { lazyConnect: true, retryStrategy: () => null })
  let reason: Error | undefined
  redis.on('error', (error: Error) => {
    reason = error
  })
  await redis.connect().catch((error: Error) => {
    // ioredis only rejects with "Connection is closed."
    throw reason ?? error
  })
  return {
    async shutOut(customer, since) {
      await redis.set(getErasedName(customer), formatAge(since), 'PX', erasedMs)
    },
    async erase(customer, keyIds) {
      const marks = [toRedisTag(customer), ...keyIds]
      const refusal = getErasedName(customer)
      const nodes: Redis[] = redis instanceof Cluster ? redis.nodes('master') : [redis]
      let erased = 0
      for (const node of nodes) erased += await eraseMarked(node, marks, refusal)
      return erased
    },
    close: () => redis.disconnect(),
  }
}
