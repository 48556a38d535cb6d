import type { Fence } from './fence.ts'
import type { Poller } from './poller.ts'
import { createSecondWay, type SecondWay } from './second-way.ts'
import { mayExceed } from './snapshot.ts'
import type { Stamped } from './stamped.ts'

export type ClockReading = Readonly<{ monotonic: number; wall: number }>

export type LeaseClock = {
  now(): ClockReading
  /** Milliseconds since `moment`, by the clock that advanced more. */
  since(moment: ClockReading): number
}

/**
 * Creates a clock for the age of leases. The monotonic clock stops while a machine is suspended, and the wall
 * clock may be set back. The greater of the two differences never makes a lease look younger than it is.
 */
export const createLeaseClock = (monotonic: () => number, wall: () => number): LeaseClock => ({
  now: () => ({ monotonic: monotonic(), wall: wall() }),
  since: (moment) => Math.max(monotonic() - moment.monotonic, wall() - moment.wall),
})

/**
 * `fresh`: shows every change committed up to half a second ago. `stale`: the database does not answer, so
 * freshness is unknown; the answer may be served for a while, with a label. `behind`: must be read again.
 */
export type Freshness = 'fresh' | 'stale' | 'behind'

export type Judge = {
  /** Synchronous unless it must wait for a poll. */
  check(stamped: Stamped): Freshness | Promise<Freshness>
  /** Waits for a poll that starts after this call. False if the poll failed. */
  confirm(): Promise<boolean>
  /** Waits for the running poll or a new one. False if the poll failed. */
  confirmSoon(): Promise<boolean>
  /** Like `check`, but synchronous. Call it after `confirm`. */
  checkConfirmed(stamped: Stamped): Freshness
  /** Whether it may show changes that the last poll does not, see `mayExceed`. */
  mayBeAhead(stamped: Stamped): boolean
  noteServed(stamped: Stamped): void
  /** Seconds since the last good poll, at least 1. */
  staleSeconds(): number
  /** Whether polls fail and the lease is over. Rights and settings may then be out of date, too. */
  isAway(): boolean
  /** Whether reads fail too, not only polls. Answers are then labelled as possibly old. */
  isUnanswered(): boolean
  /** For a stale answer: reads the database if it still answers reads while polls fail. Otherwise `known`. */
  readOr: SecondWay['readOr']
  /** Empty before the first poll. */
  epoch(): string
  /** The newest mark. Empty before the first poll. */
  mark(): string
  /** Every commit before this instant is in each fresh or stale answer. RFC 3339, UTC, six decimals. */
  asOf(): string
}

/**
 * Creates the serve rule: the fence's verdict under a lease. `staleMaxMs`: maximum age of the last good poll
 * for stale answers. `now`: milliseconds, monotonic.
 */
export const createJudge = (
  fence: Fence,
  poller: Poller,
  staleMaxMs: number,
  now: () => number = () => performance.now(),
): Judge => {
  const secondWay = createSecondWay(now)
  const isAway = () => poller.isDown() && !poller.isLeased()

  const settled = (stamped: Stamped): Freshness => (fence.judge(stamped) === 'fresh' ? 'fresh' : 'behind')

  // `unsure` is accepted: without a poll, nothing can resolve it, and the answer is labelled as stale.
  const staleOrBehind = (stamped: Stamped): Freshness =>
    poller.ageMs() <= staleMaxMs && fence.judge(stamped) !== 'behind' ? 'stale' : 'behind'

  /** Tries twice: a slow poll, or one during a suspension, has no lease left when it arrives. */
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
        const verdict = fence.judge(stamped)
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
