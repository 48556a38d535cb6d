import type { FreshnessCheck } from '../../cache/freshness.ts'
import { includesSnapshot } from '../../cache/snapshot.ts'
import type { Poll } from '../../cache/stamped.ts'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import { createFacts, loadCustomer } from '../../identity/facts.ts'
import { defaultExpiringWithin } from '../../identity/principal.ts'
import { resources } from '../../records/resources/index.ts'
import { isKept, toSeconds } from './epoch.ts'
import type { FeedPage } from './read.ts'
import type { DayAndWindow, SyncToken } from './token.ts'
import { isAccepted } from './view.ts'

/** The name of customers' settings in the change log. They contain the window. */
const settings = 'settings'

/**
 * Names in the change log on which an empty page depends. The statement for a page reports only records whose own
 * resource has a row in the log, so resources that these records include are not among them.
 */
export const listDependencies = ({ resources: names }: Pick<SyncToken, 'resources'>): readonly string[] => [
  ...names,
  settings,
]

/** Whether the next page is empty, unless the log has a row since the poll. `now`: the present day and window. */
export const isUpToDate = (token: SyncToken, now: DayAndWindow, { snapshot, at }: Poll): boolean => {
  const { diff, flip, baseMoment, moment, reported, view, resources: names } = token
  if (diff || flip || baseMoment) return false
  if (moment.day !== now.day || moment.window !== now.window) return false
  if (reported && !includesSnapshot(snapshot, reported)) return false
  if (!isKept(token, toSeconds(at))) return false
  return view === undefined || names.every((name) => isAccepted(view, resources[name]))
}

/** Moves a token to the snapshot of a poll that proved it unchanged. */
export const advance = (token: SyncToken, { snapshot, at, mark }: Poll): SyncToken => ({
  ...token,
  issuedAt: toSeconds(at),
  base: snapshot,
  baseAt: at,
  mark,
  reported: undefined,
})

/** A newer token costs 50 µs. The fence forgets old marks and changes, so a token must not get old. */
const renewAfterMs = 60_000

/** The page after a token that is unchanged. It keeps the token, or advances it after a minute. */
export const toEmptyPage = (token: SyncToken, poll: Poll): FeedPage => {
  const isYoung = Date.parse(poll.at) - Date.parse(token.baseAt) < renewAfterMs
  return { changes: [], token: isYoung ? token : advance(token, poll), hasMore: false, at: poll.at }
}

type Deps = {
  db: QueuedDb
  freshness: Pick<FreshnessCheck, 'check' | 'epoch' | 'proveUnchanged' | 'readOr'>
  /** YYYY-MM-DD, by the database's clock. */
  today: () => string
  now: () => number
  monotonicNow: () => number
}

type Question = Readonly<{ customerId: string; token: SyncToken; noCache?: boolean }>

/** `undefined` if unsure: read the database. Rejects with unavailable or overloaded. */
export type ProveEmpty = (question: Question) => Promise<Poll | undefined>

/**
 * Creates the check that answers a poll of the feed without the database: the last poll of the change log, if it
 * proves that nothing has changed since the token. See docs/decisions/0195-the-fence-answers-empty-polls.md.
 */
export const createProveEmpty = (deps: Deps): ProveEmpty => {
  const { db, freshness, today } = deps
  const customers = createFacts((id) => inTurn(db, id, () => loadCustomer(db, id)), deps)

  return async ({ customerId, token, noCache = false }) => {
    const { identity, mark, base: snapshot } = token
    const position = { customerId, dependsOn: listDependencies(token), snapshot, identity, mark }
    let poll = await freshness.proveUnchanged(position, noCache)
    if (!poll) return undefined
    const found = customers.find(customerId)
    const customer = await found
    // The query may have taken longer than the lease.
    if (found instanceof Promise) poll = await freshness.proveUnchanged(position, false)
    const window = customer?.expiringWithin ?? defaultExpiringWithin
    return poll && isUpToDate(token, { day: today(), window }, poll) ? poll : undefined
  }
}
