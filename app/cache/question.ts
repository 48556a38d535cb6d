import type { Entry, Filled } from './entry.ts'
import type { Judge } from './freshness.ts'

export type CacheLayer = 'memory' | 'redis' | 'database'

export type Answer = {
  entry: Entry
  outcome: CacheLayer
  /** Whether memory now has it. Set if the answer was read from the database. */
  isStored?: boolean | undefined
  /** Every earlier commit is in the answer; RFC 3339. */
  asOf: string
  /** Since the last good poll. Not set if the answer is fresh. */
  staleSeconds?: number
}

export type Question = {
  customerId: string
  key: string
  dependsOn: readonly string[]
  fill: () => Promise<Filled>
  /** Reads a standby, which may lag. */
  fillFromReplica?: (() => Promise<Filled>) | undefined
  /** Requires everything that was committed before this call. */
  noCache: boolean
}

/** If an entry is further ahead of the last poll, the database's clock was set back. */
const aheadMs = 1_000

/** The later of the two instants, but the poll's if the entry's is too far ahead. */
const laterOf = (polled: string, read: string | undefined): string =>
  read !== undefined && read > polled && Date.parse(read) - Date.parse(polled) < aheadMs ? read : polled

/** Returns the answer of an entry, as fresh. */
export const answerOf = (judge: Judge, entry: Entry, outcome: CacheLayer): Answer => ({
  entry,
  outcome,
  asOf: laterOf(judge.asOf(), entry.at),
})

/** Labels the answer if it is stale. `undefined` if the entry lacks a known change. */
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
