import { LRUCache } from 'lru-cache'
import type { Entry } from './entry.ts'
import { includesSnapshot } from './snapshot.ts'

export type MemoryCache = {
  get(customerId: string, key: string): Entry | undefined
  /** The same by `entryName`, for who asks the same again and again. */
  find(name: string): Entry | undefined
  /**
   * Keeps the newer of two answers of one epoch to the same question; once there is no room, what is asked for again.
   */
  set(entry: Entry): boolean
  readonly sizeBytes: number
}

/** No customer id and no key contains NUL, so two customers never share a name. */
export const entryName = (customerId: string, key: string): string => `${customerId}\0${key}`

/** What an entry costs beside its body: key, tag, map nodes, buffer objects. */
const overheadBytes = 1024
/** Half of the names that are remembered as asked for once. */
const namesRemembered = 4_096
/** No single answer takes more than this share of the cache. */
const largestShare = 1 / 8

/** FNV-1a, of which 31 bits are kept: V8 keeps such numbers without an object of their own. */
const digestOf = (name: string): number => {
  let digest = 0x811c9dc5
  for (let i = 0; i < name.length; i++) digest = Math.imul(digest ^ name.charCodeAt(i), 0x01000193)
  return digest >>> 1
}

/**
 * Whether a name came before, lately: of the last few thousand others. Kept as digests, since names are 250 bytes and
 * more; of two names with one digest the second gets its place an asking early.
 */
const createRecent = () => {
  let [young, old] = [new Set<number>(), new Set<number>()]
  return (name: string): boolean => {
    const digest = digestOf(name)
    if (young.delete(digest) || old.delete(digest)) return true
    if (young.size >= namesRemembered) [young, old] = [new Set(), young]
    young.add(digest)
    return false
  }
}

/**
 * A bounded cache by bytes, least recently used first out. Encoded bodies are made after an entry is in,
 * so twice its identity body is set aside for it. Once it is full, nothing goes for an answer that is asked for the
 * first time: whoever reads all of a customer's records once does not turn out what everybody reads, and does not
 * fill the process with garbage that has grown old.
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
  const cameBefore = createRecent()
  const hasRoomFor = (entry: Entry) => (entries?.calculatedSize ?? 0) + sizeOf(entry) <= maxBytes
  return {
    get: (customerId, key) => entries?.get(entryName(customerId, key)),
    find: (name) => entries?.get(name),
    set(entry) {
      if (!entries || sizeOf(entry) > largestBytes) return false
      const name = entryName(entry.customerId, entry.key)
      const known = entries.peek(name)
      if (!known && !hasRoomFor(entry) && !cameBefore(name)) return false
      const isNewer = known?.epoch !== entry.epoch || includesSnapshot(entry.snapshot, known.snapshot)
      if (isNewer) entries.set(name, entry)
      return isNewer
    },
    get sizeBytes() {
      return entries?.calculatedSize ?? 0
    },
  }
}
