import { LRUCache } from 'lru-cache'
import type { Entry } from './entry.ts'
import { includesSnapshot } from './snapshot.ts'

export type MemoryCache = {
  get(customerId: string, key: string): Entry | undefined
  /** The same by `entryName`, for who asks the same again and again. */
  find(name: string): Entry | undefined
  /** Keeps the newer of two answers of one epoch to the same question; false: an oversize one, not at all. */
  set(entry: Entry): boolean
  readonly sizeBytes: number
}

/** No customer id and no key contains NUL, so two customers never share a name. */
export const entryName = (customerId: string, key: string): string => `${customerId}\0${key}`

/** What an entry costs beside its body: key, tag, map nodes, buffer objects. */
const overheadBytes = 1024
/** No single answer takes more than this share of the cache. */
const largestShare = 1 / 8

/**
 * A bounded cache by bytes, least recently used first out. Encoded bodies are made after an entry is in,
 * so twice its identity body is set aside for it.
 */
export const createMemoryCache = (maxBytes: number): MemoryCache => {
  const sizeOf = (entry: Entry) => 2 * entry.body.length + 2 * entry.key.length + overheadBytes
  const largestBytes = Math.max(1, Math.floor(maxBytes * largestShare))
  const entries =
    maxBytes > 0
      ? new LRUCache<string, Entry>({
          maxSize: maxBytes,
          maxEntrySize: largestBytes,
          sizeCalculation: sizeOf,
        })
      : undefined
  return {
    get: (customerId, key) => entries?.get(entryName(customerId, key)),
    find: (name) => entries?.get(name),
    set(entry) {
      if (!entries || sizeOf(entry) > largestBytes) return false
      const name = entryName(entry.customerId, entry.key)
      const known = entries.peek(name)
      const isNewer = known?.epoch !== entry.epoch || includesSnapshot(entry.snapshot, known.snapshot)
      if (isNewer) entries.set(name, entry)
      return true
    },
    get sizeBytes() {
      return entries?.calculatedSize ?? 0
    },
  }
}
