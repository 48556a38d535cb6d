import type { Fence } from './fence.ts'
import type { Poller } from './poller.ts'
import { createSecondWay, type SecondWay } from './second-way.ts'
import { mayExceed } from './snapshot.ts'
import type { Stamped } from './stamped.ts'

/** A point on two clocks, in milliseconds. */
export type ClockReading = Readonly<{ monotonic: number; wall: number }>

export type LeaseClock = {
  now(): ClockReading
  /** Milliseconds since, by whichever clock moved more. */
  since(moment: ClockReading): number
}

/**
 * Ages for leases. The monotonic clock stands still while a machine is suspended and the wall clock may be set
 * back: by the one that moved more, a lease is never thought younger than it is.
 */
export const createLeaseClock = (monotonic: () => number, wall: () => number): LeaseClock => ({
  now: () => ({ monotonic: monotonic(), wall: wall() }),
  since: (moment) => Math.max(monotonic() - moment.monotonic, wall() - moment.wall),
})

/**
 * `fresh`: shows every change committed half a second ago. `stale`: it cannot be known, because the database
 * does not answer; good enough for a while, and said. `behind`: to be read again.
 */
export type Freshness = 'fresh' | 'stale' | 'behind'

export type Judge = {
  /** At once where the last poll is young enough; else after a poll. */
  check(stamped: Stamped): Freshness | Promise<Freshness>
  /** Waits for a poll that starts after this call. False: it failed, and nothing can be known. */
  confirm(): Promise<boolean>
  /** Waits for the poll that is under way, or for a new one. False: it failed. */
  confirmSoon(): Promise<boolean>
  /** The same without a wait, after `confirm`. */
  checkConfirmed(stamped: Stamped): Freshness
  /** Whether it may show what the last poll does not know: a standby's, which may be taken for less than it shows. */
  mayBeAhead(stamped: Stamped): boolean
  /** Notes something as served whose query began after the request for it. */
  noteServed(stamped: Stamped): void
  /** Seconds since an answer was known to be fresh, for one that is stale; at least 1. */
  staleSeconds(): number
  /** Whether polls fail, so that nothing stored is known to be fresh: rights and settings may have changed, too. */
  isAway(): boolean
  /** The same, and reads are not answered either: then answers say that they may be old. */
  isUnanswered(): boolean
  /** For what is `stale`: asks the database where it answers reads, although polls fail. Else `known`. */
  readOr: SecondWay['readOr']
  /** Which history of which database counts now; empty before the first poll. */
  epoch(): string
  /** The newest mark of that history; empty before the first poll. A standby that shows another is not read. */
  mark(): string
  /** Every commit before it is in whatever was judged fresh or stale. RFC 3339, UTC, six decimals. */
  asOf(): string
}

/**
 * The serve rule: the fence's judgement, under a lease. `staleMaxMs`: how long stale answers will do. `now`:
 * milliseconds, monotonic.
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

  // Unsure will do, too: whether it lacks what was served since can be told by nobody now, and it says that it is stale.
  const staleOrBehind = (stamped: Stamped): Freshness =>
    poller.ageMs() <= staleMaxMs && fence.judge(stamped) !== 'behind' ? 'stale' : 'behind'

  /** Whether a poll speaks for now. One that was slow, or met a suspended process, does not: then the next is asked. */
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
