import type { Entry, Filled } from './entry.ts'
import type { Judge } from './freshness.ts'

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

/** An entry cannot have been read so many milliseconds after the last poll: the database's clock was set back since. */
const aheadMs = 1_000

/** The later of the last poll and the moment that an entry shows; the poll where an entry claims a time to come. */
const laterOf = (polled: string, read: string | undefined): string =>
  read !== undefined && read > polled && Date.parse(read) - Date.parse(polled) < aheadMs ? read : polled

/** The answer that a fresh entry gives. */
export const answerOf = (judge: Judge, entry: Entry, outcome: CacheLayer): Answer => ({
  entry,
  outcome,
  asOf: laterOf(judge.asOf(), entry.at),
})

/** The answer that an entry gives, labelled if it is stale. Resolves to undefined if the entry lacks a known change. */
export const judged = async (
  judge: Judge,
  entry: Entry,
  outcome: CacheLayer,
  pending = judge.check(entry),
): Promise<Answer | undefined> => {
  const freshness = await pending
  if (freshness === 'behind') return undefined
  const answer = answerOf(judge, entry, outcome)
  return freshness === 'fresh' ? answer : { ...answer, staleSeconds: judge.staleSeconds() }
}
