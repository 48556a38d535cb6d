import { LRUCache } from 'lru-cache'
import type { CacheEntry } from './entry.ts'
import { includesSnapshot } from './snapshot.ts'

/** Returns the name of an entry in memory. No customer id or key contains NUL. */
export const entryName = (customerId: string, key: string): string => `${customerId}\0${key}`

/** Entity tag, map nodes, buffer objects, and the parsed query of `fill`. */
const overheadBytes = 2048
const largestShare = 1 / 8

/** The body counts twice, for compressed forms, which are added later. `entryName` repeats the key. */
const sizeCalculation = ({ body, key }: CacheEntry): number =>
  2 * body.length + 2 * key.length + overheadBytes

/** Creates an LRU cache of `maxBytes`; 0 keeps nothing. */
export const createMemoryCache = (maxBytes: number) => {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: Math.max(1, maxBytes),
    maxEntrySize: Math.max(1, Math.floor(maxBytes * largestShare)),
    sizeCalculation,
  })
  return {
    get: (name: string): CacheEntry | undefined => entries.get(name),
    /** Keeps the newer of two entries of one epoch, or neither if it is too large. True if `entry` stays. */
    set(entry: CacheEntry): boolean {
      const name = entryName(entry.customerId, entry.key)
      const known = entries.peek(name)
      if (known?.epoch === entry.epoch && !includesSnapshot(entry.snapshot, known.snapshot)) return false
      entries.set(name, entry)
      return entries.has(name)
    },
    /** Like `get`, but does not count as a use. */
    peek: (name: string): CacheEntry | undefined => entries.peek(name),
    /** The names of all entries, the last used first. */
    names: (): string[] => [...entries.keys()],
    get sizeBytes() {
      return entries.calculatedSize
    },
  }
}

export type MemoryCache = ReturnType<typeof createMemoryCache>
