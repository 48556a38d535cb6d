import type { Entry } from './entry.ts'
import type { Judge } from './freshness.ts'
import type { Answer, CacheLayer } from './question.ts'

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
