/**
 * What a run writes down. Times are milliseconds of the checker's own monotonic clock unless they say
 * otherwise: writers, readers and nemesis share that one process.
 */

/** A version of one record: what a transaction wanted it to be. */
export type Version = {
  /** Counts upwards within a record; never used twice, not even after an abort. */
  counter: number
  /** Names the transaction; versions of one become visible together. */
  transaction: number
  /** Lists in which this version appears; a deleted record appears in none. */
  views: readonly string[]
  /** Before the transaction's first statement. */
  startedAt: number
  outcome: 'committed' | 'aborted' | 'unknown'
  /** When the commit's acknowledgement was here; Infinity where it never came. */
  ackedAt: number
  /** The same on the wall clock, rounded down to a millisecond. */
  ackedAtWall: number
}

/** Versions by record, in the order of their counters. */
export type Writes = ReadonlyMap<string, readonly Version[]>

/** What an answer said of one record: this version, or that it is in none of its view. */
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
  /** 0: no answer. */
  status: number
  seen: readonly Seen[]
  /** Names of what is another customer's. */
  foreign: readonly string[]
  /** It says that it may be old. */
  isStale: boolean
  /** `Data-As-Of`, milliseconds since 1970; absent: the answer has none. */
  asOf?: number
  /** What a failure says of itself. */
  problem?: string
}

export type Revocation = { token: string; startedAt: number; ackedAt: number }

export type RunLog = {
  writes: Writes
  reads: readonly Read[]
  revocations: readonly Revocation[]
}
