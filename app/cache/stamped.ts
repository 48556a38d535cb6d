import type { Snapshot } from './snapshot.ts'

/** As the customer or the resource of an event: all of them. */
export const wildcard = '*'

export type ChangeEvent = Readonly<{ xid: number; customerId: string; resource: string }>

export type Poll = Readonly<{
  snapshot: Snapshot
  /** The database's clock, RFC 3339: every earlier commit is visible in `snapshot`. */
  at: string
  /** Only snapshots of one epoch can be compared. */
  epoch: string
  /** A standby that shows this random mark follows this primary. */
  mark: string
  since: Snapshot | undefined
  /** The changes that became visible after `since`. `undefined` if unknown or too many. */
  events: readonly ChangeEvent[] | undefined
  /** Resources of which a change was not logged. */
  distrusted: readonly string[]
}>

export type Stamped = {
  readonly customerId: string
  readonly dependsOn: readonly string[]
  /** Of the statement or REPEATABLE READ transaction that read the data. */
  readonly snapshot: Snapshot
  readonly epoch: string
  /** The database's clock: every commit before it is in the data. RFC 3339. `undefined` if unknown. */
  readonly at?: string | undefined
  /** The fence's `state` at the last verdict `fresh`. */
  freshAt?: number
}

/** The state of data that a client has. Unlike `Stamped`, it may be from another history of the database. */
export type Position = Readonly<{
  customerId: string
  dependsOn: readonly string[]
  snapshot: Snapshot
  /** `change_identity()` of the database. */
  identity: string
  /** The newest random mark that `snapshot` shows. */
  mark: string
}>

/** `behind`: may lack a change. `unsure`: may be newer than the last poll, or older than a served answer. */
export type Verdict = 'fresh' | 'behind' | 'unsure'
