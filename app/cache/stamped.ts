import type { Snapshot } from './snapshot.ts'

/** In a change event: every customer, or every resource. */
export const every = '*'

export type ChangeEvent = Readonly<{ xid: number; customerId: string; resource: string }>

export type Poll = Readonly<{
  snapshot: Snapshot
  /** The database's clock, RFC 3339, UTC, six decimals: every commit before it is visible in `snapshot`. */
  at: string
  /** The database's history and the start of its server. Only numbers of one epoch can be compared. */
  epoch: string
  /** The newest random mark in the history: a standby that shows it follows this primary. */
  mark: string
  /** The snapshot after which `events` start. In the first poll of a process, it is the first floor. */
  since: Snapshot | undefined
  /** The changes that became visible since the previous poll. `undefined` if unknown or above the maximum. */
  events: readonly ChangeEvent[] | undefined
}>

export type Stamped = {
  readonly customerId: string
  /** Names of the resources whose changes affect the data. */
  readonly dependsOn: readonly string[]
  /** Of the same statement, or the same REPEATABLE READ transaction, that read the data. */
  readonly snapshot: Snapshot
  readonly epoch: string
  /** Written by the fence: its state when it last judged this as fresh. */
  freshAt?: number
}

/**
 * `fresh`: shows every change known so far. `behind`: lacks a change, or may lack one that the fence has
 * forgotten. `unsure`: an answer served before, or the data of a standby, may be newer than the last poll;
 * the next poll decides.
 */
export type Verdict = 'fresh' | 'behind' | 'unsure'
