import type { Snapshot } from './snapshot.ts'

/** In a change event: every customer, or every resource. */
export const every = '*'

export type ChangeEvent = Readonly<{ xid: number; customerId: string; resource: string }>

/** What a poll of the change log answered. */
export type Poll = Readonly<{
  snapshot: Snapshot
  /** The database's clock, RFC 3339, UTC, six decimals: every commit before it is visible in `snapshot`. */
  at: string
  /** Which history of which database, and which start of its server: transaction numbers of another mean others. */
  epoch: string
  /** The newest random mark in the history: a standby that shows it follows this primary. */
  mark: string
  /** The snapshot that `events` count from; of a process's first poll it is the first floor. */
  since: Snapshot | undefined
  /** What became visible since the poll before; undefined: unknown, or too much. */
  events: readonly ChangeEvent[] | undefined
}>

/** Something read, and what it depends on. */
export type Stamped = {
  readonly customerId: string
  /** Names of resources whose changes change it. */
  readonly dependsOn: readonly string[]
  /** Of the very statement, or the REPEATABLE READ transaction, that read it. */
  readonly snapshot: Snapshot
  /** As in `Poll`, when it was read. */
  readonly epoch: string
  /** The fence's own note: at this state it was fresh. */
  freshAt?: number
}

/**
 * `fresh`: shows every change known so far. `behind`: lacks one, or may lack one that nobody knows any more.
 * `unsure`: something served before, or what a standby showed here, may be newer than the last poll; the next will tell.
 */
export type Verdict = 'fresh' | 'behind' | 'unsure'
