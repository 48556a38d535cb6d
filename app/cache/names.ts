import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** One history's numbers mean nothing to another's: each has its own names. */
export const createNames = () => {
  const tags = new LRUCache<string, string>({ max: 8 })
  return (epoch: string, customerId: string, key: string): string => {
    let tag = tags.get(epoch)
    if (tag === undefined) {
      tag = createHash('sha256').update(epoch).digest('base64url').slice(0, 8)
      tags.set(epoch, tag)
    }
    // The customer as hash tag: all of a customer's keys lie on one node of a cluster.
    return `certdata:{${customerId}}:${tag}:${key}`
  }
}
