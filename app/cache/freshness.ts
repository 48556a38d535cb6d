import type { CacheEntry } from './entry.ts'
import type { Fence } from './fence.ts'
import type { Poller } from './poller.ts'
import { createReadFallback } from './read-fallback.ts'
import { mayExceed } from './snapshot.ts'
import type { Stamped } from './stamped.ts'

export type ClockReading = Readonly<{ monotonic: number; wall: number }>

export type LeaseClock = {
  now(): ClockReading
  /** Milliseconds since `moment`, by the clock that advanced more. */
  since(moment: ClockReading): number
}

/** The monotonic clock stops while a machine is suspended, and the wall clock may be set back. */
export const createLeaseClock = (monotonic: () => number, wall: () => number): LeaseClock => ({
  now: () => ({ monotonic: monotonic(), wall: wall() }),
  since: (moment) => Math.max(monotonic() - moment.monotonic, wall() - moment.wall),
})

/**
 * `fresh`: shows every change committed up to half a second ago. `stale`: the database does not respond, and the
 * answer may be served for a while, with a label. `behind`: must be read again.
 */
export type Freshness = 'fresh' | 'stale' | 'behind'

export type Judge = {
  check(stamped: Stamped): Freshness | Promise<Freshness>
  /** Waits for a poll that starts after this call. False if the poll failed. */
  confirm(): Promise<boolean>
  /** Waits for the running poll or a new one. False if it failed. */
  confirmSoon(): Promise<boolean>
  checkConfirmed(stamped: Stamped): Freshness
  /** Whether it may show changes that the last poll does not. */
  mayBeAhead(stamped: Stamped): boolean
  noteServed(stamped: Stamped): void
  staleSeconds(): number
  /** Whether polls fail and the lease has ended. Rights and settings may be out of date, too. */
  isAway(): boolean
  /** Whether reads fail, too. Answers are then labelled as stale. */
  isUnanswered(): boolean
  readOr: ReturnType<typeof createReadFallback>['readOr']
  epoch(): string
  mark(): string
  /** Every commit before this instant is in each fresh or stale answer. RFC 3339. All three are empty at first. */
  asOf(): string
}

/**
 * Creates the serve rule: the fence's verdict, under a lease. `staleMaxMs`: maximum age of the last good poll for
 * stale answers. `now`: milliseconds, monotonic.
 */
export const createJudge = (
  fence: Fence,
  poller: Poller,
  staleMaxMs: number,
  now: () => number = () => performance.now(),
): Judge => {
  const secondWay = createReadFallback(now)
  const isAway = () => poller.isDown() && !poller.isLeased()

  const settled = (stamped: Stamped): Freshness => (fence.compare(stamped) === 'fresh' ? 'fresh' : 'behind')

  // Without a poll, nothing can resolve `unsure`, and the answer is labelled.
  const staleOrBehind = (stamped: Stamped): Freshness =>
    poller.ageMs() <= staleMaxMs && fence.compare(stamped) !== 'behind' ? 'stale' : 'behind'

  /** Twice, because a slow poll may arrive after its lease. */
  const isConfirmed = async (): Promise<boolean> => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      if (!(await poller.confirm())) return false
      if (poller.isLeased()) return true
    }
    return false
  }

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
    confirm: poller.confirmAfter,
    confirmSoon: poller.confirm,
    checkConfirmed: settled,
    mayBeAhead: ({ snapshot }) => mayExceed(snapshot, fence.last?.snapshot),
    noteServed: fence.noteServed,
    isAway,
    isUnanswered: () => isAway() && !secondWay.isOpen(),
    readOr: secondWay.readOr,
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
  staleSeconds?: number
}

/** If an entry is further ahead of the last poll, the database's clock was set back. */
const aheadMs = 1_000

/** The later of the two instants, but the poll's if the entry's is too far ahead. */
const pickLater = (polled: string, read: string | undefined): string =>
  read !== undefined && read > polled && Date.parse(read) - Date.parse(polled) < aheadMs ? read : polled

/** Returns the answer of an entry, as fresh. */
export const toFreshResult = (judge: Judge, entry: CacheEntry, outcome: CacheLayer): ReadResult => ({
  entry,
  outcome,
  asOf: pickLater(judge.asOf(), entry.at),
})

/** Labels the answer if it is stale. `undefined` if the entry lacks a known change. */
export const toCheckedResult = async (
  judge: Judge,
  entry: CacheEntry,
  outcome: CacheLayer,
  pending = judge.check(entry),
): Promise<ReadResult | undefined> => {
  const freshness = await pending
  if (freshness === 'behind') return undefined
  const answer = toFreshResult(judge, entry, outcome)
  return freshness === 'fresh' ? answer : { ...answer, staleSeconds: judge.staleSeconds() }
}
