import type { Snapshot } from './snapshot.ts'

export const wildcard = '*'

export type ChangeEvent = Readonly<{ xid: number; customerId: string; resource: string }>

export type Poll = Readonly<{
  snapshot: Snapshot
  /** The database's clock, RFC 3339: every earlier commit is visible in `snapshot`. */
  at: string
  /** Only transaction numbers of one epoch can be compared. */
  epoch: string
  /** A standby that shows this random mark follows this primary. */
  mark: string
  /** The snapshot after which `events` start. */
  since: Snapshot | undefined
  /** The changes since the previous poll. `undefined` if unknown or too many. */
  events: readonly ChangeEvent[] | undefined
}>

export type Stamped = {
  readonly customerId: string
  readonly dependsOn: readonly string[]
  /** Of the statement or the REPEATABLE READ transaction that read the data. */
  readonly snapshot: Snapshot
  readonly epoch: string
  /** The fence's state when it last judged this as fresh. */
  freshAt?: number
}

/**
 * `behind`: lacks a change, or may lack one that the fence has forgotten. `unsure`: may be newer than the last
 * poll, or older than an answer served before. The next poll decides.
 */
export type Verdict = 'fresh' | 'behind' | 'unsure'
