import type { CacheEntry } from './entry.ts'
import type { Fence } from './fence.ts'
import type { LeaseClock, Poller } from './poller.ts'
import { createReadFallback } from './read-fallback.ts'
import { mayExceed } from './snapshot.ts'
import type { Poll, Position, Stamped } from './stamped.ts'

/** The monotonic clock stops while a machine is suspended, and the wall clock may be set back. */
export const createLeaseClock = (monotonic: () => number, wall: () => number): LeaseClock => ({
  now: () => ({ monotonic: monotonic(), wall: wall() }),
  since: (moment) => Math.max(monotonic() - moment.monotonic, wall() - moment.wall),
})

/** `stale`: the database does not respond, so serve the entry with a label. `behind`: read the database. */
export type Freshness = 'fresh' | 'stale' | 'behind'

export type FreshnessCheck = Pick<Poller, 'confirm' | 'confirmAfter' | 'confirmNext'> & {
  check(stamped: Stamped): Freshness | Promise<Freshness>
  /** Call it right after a good poll. Never `stale`. */
  checkConfirmed(stamped: Stamped): Freshness
  /** Whether the data lack a change that polls have reported. */
  isBehind(stamped: Stamped): boolean
  /**
   * The last poll, if it proves that nothing has changed since. Without a lease it polls first, with `noCache` always.
   * `undefined` if unsure: read the database. Records nothing.
   */
  proveUnchanged(position: Position, noCache: boolean): Promise<Poll | undefined>
  /** Whether a change of this resource was not logged, so that its log and its cached data may be wrong. */
  isDistrusted(resource: string): boolean
  /** Whether a standby's data may show more than the last poll. */
  mayBeAhead(stamped: Stamped): boolean
  noteServed(stamped: Stamped): void
  staleSeconds(): number
  /** Polls fail, and the lease has ended. Rights and settings may be out of date, too. */
  isAway(): boolean
  /** In addition, the last `readOr` has failed or is a second old, so that answers are stale. */
  isUnanswered(): boolean
  readOr: ReturnType<typeof createReadFallback>['readOr']
  epoch(): string
  mark(): string
  /** RFC 3339: each fresh answer has all earlier commits. '' before the first poll, as `epoch` and `mark`. */
  asOf(): string
}

/** Combines fence and poller. `staleMaxMs` after the last good poll started, `stale` becomes `behind`. */
export const createFreshnessCheck = (
  fence: Fence,
  poller: Poller,
  staleMaxMs: number,
  now: () => number = () => performance.now(),
): FreshnessCheck => {
  const fallback = createReadFallback(now)
  const isAway = () => poller.isDown() && !poller.isLeased()

  const settled = (stamped: Stamped): Freshness => (fence.compare(stamped) === 'fresh' ? 'fresh' : 'behind')

  // `unsure` is stale, too: no poll can decide. Distrusted data must not get old, so they are never stale.
  const staleOrBehind = (stamped: Stamped): Freshness =>
    poller.ageMs() <= staleMaxMs &&
    !stamped.dependsOn.some(fence.isDistrusted) &&
    fence.compare(stamped) !== 'behind'
      ? 'stale'
      : 'behind'

  /** Polls twice, if the first response arrives after the end of its lease. */
  const isConfirmed = async (): Promise<boolean> => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      if (!(await poller.confirm())) return false
      if (poller.isLeased()) return true
    }
    return false
  }

  const hasLease = async (): Promise<boolean> => poller.isLeased() || (!poller.isDown() && isConfirmed())

  const afterPoll = async (stamped: Stamped): Promise<Freshness> => {
    if (await isConfirmed()) return settled(stamped)
    return poller.isDown() ? staleOrBehind(stamped) : 'behind'
  }

  return {
    check(stamped) {
      if (poller.isLeased()) {
        const verdict = fence.compare(stamped)
        return verdict === 'unsure' ? afterPoll(stamped) : verdict
      }
      return poller.isDown() ? staleOrBehind(stamped) : afterPoll(stamped)
    },
    confirm: poller.confirm,
    confirmAfter: poller.confirmAfter,
    confirmNext: poller.confirmNext,
    checkConfirmed: settled,
    isBehind: fence.isBehind,
    async proveUnchanged(position, noCache) {
      if (!fence.isUnchanged(position)) return undefined
      if (!(await (noCache ? poller.confirmAfter() : hasLease()))) return undefined
      return poller.isLeased() && fence.isUnchanged(position) ? fence.last : undefined
    },
    isDistrusted: fence.isDistrusted,
    mayBeAhead: ({ snapshot }) => mayExceed(snapshot, fence.last?.snapshot),
    noteServed: fence.noteServed,
    isAway,
    isUnanswered: () => isAway() && !fallback.isOpen(),
    readOr: fallback.readOr,
    staleSeconds: () => Math.max(1, Math.ceil(poller.ageMs() / 1000)),
    epoch: () => fence.last?.epoch ?? '',
    mark: () => fence.last?.mark ?? '',
    asOf: () => fence.last?.at ?? '',
  }
}

export type CacheLayer = 'memory' | 'redis' | 'database'

export type ReadResult = {
  entry: CacheEntry
  outcome: CacheLayer
  isStored?: boolean | undefined
  asOf: string
  /** The data depend on a distrusted resource. */
  isDistrusted: boolean
  staleSeconds?: number
}

/** If an entry is further ahead of the last poll, the database's clock was set back, and the poll's time counts. */
const aheadMs = 1_000

const pickLater = (polled: string, read: string | undefined): string =>
  read !== undefined && read > polled && Date.parse(read) - Date.parse(polled) < aheadMs ? read : polled

/** Wraps an entry that is fresh. */
export const toFreshResult = (
  freshness: FreshnessCheck,
  entry: CacheEntry,
  outcome: CacheLayer,
): ReadResult => {
  const isDistrusted = entry.dependsOn.some(freshness.isDistrusted)
  // Polls do not report all changes of a distrusted resource.
  const asOf = isDistrusted && entry.at !== undefined ? entry.at : pickLater(freshness.asOf(), entry.at)
  return { entry, outcome, asOf, isDistrusted }
}

/** Sets `staleSeconds` if the entry is stale. `undefined` if it is behind. */
export const toCheckedResult = async (
  freshness: FreshnessCheck,
  entry: CacheEntry,
  outcome: CacheLayer,
  pending = freshness.check(entry),
): Promise<ReadResult | undefined> => {
  const verdict = await pending
  if (verdict === 'behind') return undefined
  const result = toFreshResult(freshness, entry, outcome)
  return verdict === 'fresh' ? result : { ...result, staleSeconds: freshness.staleSeconds() }
}
