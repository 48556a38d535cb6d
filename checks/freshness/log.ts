/**
 * The log of a run. Writers, readers and nemesis share one process, so times are milliseconds of its
 * monotonic clock unless noted otherwise.
 */

/** A version of one record, as a transaction wrote it. */
export type Version = {
  /** Increases within a record. Never used twice, not even after an abort. */
  counter: number
  /** Identifies the transaction. All its versions become visible at the same time. */
  transaction: number
  /** Lists in which this version appears. A deleted record appears in none. */
  views: readonly string[]
  /** Before the transaction's first statement. */
  startedAt: number
  outcome: 'committed' | 'aborted' | 'unknown'
  /** When the commit's acknowledgement arrived. Infinity if it never did. */
  ackedAt: number
  /** `ackedAt` on the wall clock, rounded down to a millisecond. */
  ackedAtWall: number
}

/** Versions by record, in the order of their counters. */
export type Writes = ReadonlyMap<string, readonly Version[]>

/** Content of an answer for one record: a version, or its absence from a view. */
export type Seen =
  | Readonly<{ record: string; counter: number }>
  | Readonly<{ record: string; missingFrom: string }>

export type Read = {
  /** A process, from its start to its end. */
  instance: string
  customer: string
  url: string
  token: string
  noCache: boolean
  sentAt: number
  receivedAt: number
  /** 0 if there was no answer. */
  status: number
  seen: readonly Seen[]
  /** Names of records of another customer. */
  foreign: readonly string[]
  /** Whether the answer is marked stale. */
  isStale: boolean
  /** `Data-As-Of` in milliseconds since 1970. `undefined` if the answer has none. */
  asOf?: number
  /** Description of a failure. */
  problem?: string
}

export type Revocation = { token: string; startedAt: number; ackedAt: number }

export type RunLog = {
  writes: Writes
  reads: readonly Read[]
  revocations: readonly Revocation[]
}
