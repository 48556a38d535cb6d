import { LRUCache } from 'lru-cache'
import type { Entry } from './entry.ts'
import { includesSnapshot } from './snapshot.ts'

export type MemoryCache = {
  get(customerId: string, key: string): Entry | undefined
  find(name: string): Entry | undefined
  /** Keeps the newer of two entries of one epoch. True if the cache now holds `entry`. */
  set(entry: Entry): boolean
  readonly sizeBytes: number
}

/** No customer id and no key contains NUL. */
export const entryName = (customerId: string, key: string): string => `${customerId}\0${key}`

/** Key, tag, map nodes and buffer objects. */
const overheadBytes = 1024
const largestShare = 1 / 8

/** Bodies are encoded after their entry is stored, so they count twice. */
const sizeCalculation = ({ body, key }: Entry): number => 2 * body.length + 2 * key.length + overheadBytes

/** Creates an LRU cache. With 0 bytes it keeps nothing. */
export const createMemoryCache = (maxBytes: number): MemoryCache => {
  const entries = new LRUCache<string, Entry>({
    maxSize: Math.max(1, maxBytes),
    maxEntrySize: Math.max(1, Math.floor(maxBytes * largestShare)),
    sizeCalculation,
  })
  return {
    get: (customerId, key) => entries.get(entryName(customerId, key)),
    find: (name) => entries.get(name),
    set(entry) {
      const name = entryName(entry.customerId, entry.key)
      const known = entries.peek(name)
      if (known?.epoch === entry.epoch && !includesSnapshot(entry.snapshot, known.snapshot)) return false
      entries.set(name, entry)
      return entries.has(name)
    },
    get sizeBytes() {
      return entries.calculatedSize
    },
  }
}
