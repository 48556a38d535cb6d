import type { Entry, Filled } from './entry.ts'

/** Where an answer came from, for `Cache-Status`. */
export type CacheLayer = 'memory' | 'redis' | 'database'

export type Answer = {
  entry: Entry
  outcome: CacheLayer
  /** Of one that was read from the database: whether memory has it now. */
  isStored?: boolean | undefined
  /** Every commit before it is in the answer; RFC 3339. */
  asOf: string
  /** Seconds since it was known to be fresh; absent: it is. */
  staleSeconds?: number
}

export type Question = {
  customerId: string
  key: string
  /** Resources whose changes change the answer. */
  dependsOn: readonly string[]
  /** Reads the primary. */
  fill: () => Promise<Filled>
  /** Reads a standby, which may lag; absent: there is none. */
  fillFromReplica?: (() => Promise<Filled>) | undefined
  /** Only an answer with everything that was committed before this call will do. */
  noCache: boolean
}
