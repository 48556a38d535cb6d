import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Transaction numbers of different epochs cannot be compared, so each epoch has separate names. */
export const createNames = () => {
  const tags = new LRUCache<string, string>({ max: 8 })
  return (epoch: string, customerId: string, key: string): string => {
    let tag = tags.get(epoch)
    if (tag === undefined) {
      tag = createHash('sha256').update(epoch).digest('base64url').slice(0, 8)
      tags.set(epoch, tag)
    }
    // With the customer as hash tag, all keys of a customer are on one node of a cluster.
    return `certdata:{${customerId}}:${tag}:${key}`
  }
}
