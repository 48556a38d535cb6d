import { ApiError } from '../errors.ts'
import { createFairQueue, getOwnerName, type Owner } from './fair-queue.ts'
import { after } from './timer.ts'

/**
 * The queue in front of the database. A fixed number of jobs run at once. The others wait for their turn, fairly by
 * owner, and no longer than the deadline.
 * See docs/decisions/0072-one-queue-in-front-of-the-database.md.
 */
export type Queue = {
  /**
   * Runs `work` as soon as a turn is free and returns its result. Rejects with 503 `overloaded` after the deadline,
   * or immediately if the wait would be longer than the deadline. Rejects as `work` does.
   */
  run<T>(owner: Owner, work: () => Promise<T>): Promise<T>
  /** Pieces of work that wait for a turn. */
  readonly waiting: number
  /** Pieces of work refused so far. */
  readonly refused: number
}

/** Runs work on a connection when its owner has a turn. Rejects as `Queue.run` does. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>

type QueueOptions = {
  /** Pieces of work that run at once: the connections of the pool. */
  turns: number
  /** The deadline: milliseconds that work may wait for its turn. */
  longestWaitMs: number
  /** Pieces of work that may wait. Above it, the newest one of the site with the most is refused. */
  mostWaiting?: number
  /** Milliseconds from any start, never going back. */
  now?: () => number
}

/** Part of the turns that one owner may have. The rest is left for the next request of somebody else. */
const ownerShare = 0.8
/** A waiting request weighs about 5 kB: 50 MB. */
const defaultMostWaiting = 10_000
/** Weight of the newest duration in the mean. The mean covers about the last 20 durations. */
const newestWeight = 1 / 20
/** Seconds. Turns become free all the time, so a refused client may come back soon. */
const retryAfter = '1'

type Waiter = { owner: Owner; begin: () => void; refuse: () => void }

/** Creates a queue. It judges by its own clock, which a test may set. */
export const createQueue = (options: QueueOptions): Queue => {
  const { turns, longestWaitMs, mostWaiting = defaultMostWaiting, now = () => performance.now() } = options
  const mostOfOwner = Math.max(1, Math.floor(turns * ownerShare))
  const waiters = createFairQueue<Waiter>()
  /** Turns taken, by owner. An owner without turns is not in the map. */
  const taken = new Map<string, number>()
  let free = turns
  let meanMs = 0
  let refused = 0

  const takenBy = (owner: string): number => taken.get(owner) ?? 0
  const mayRun = (owner: string): boolean => takenBy(owner) < mostOfOwner
  const take = (owner: string): void => {
    free -= 1
    taken.set(owner, takenBy(owner) + 1)
  }
  const giveBack = (owner: string): void => {
    free += 1
    const left = takenBy(owner) - 1
    if (left > 0) taken.set(owner, left)
    else taken.delete(owner)
    const next = waiters.shift(mayRun)
    if (!next) return
    take(getOwnerName(next.owner))
    next.begin()
  }

  const overloaded = (): ApiError => {
    refused += 1
    return new ApiError('overloaded', { headers: { 'retry-after': retryAfter } })
  }
  /** How long new work of this owner would wait, by its position and the mean duration of work. */
  const predictWaitMs = (owner: Owner): number => (waiters.countAhead(owner) * meanMs) / turns

  const wait = (owner: Owner): Promise<void> =>
    new Promise((resolve, reject) => {
      if (predictWaitMs(owner) > longestWaitMs) return reject(overloaded())
      const leave = (settle: () => void) => () => {
        stop()
        settle()
      }
      const waiter: Waiter = { owner, begin: leave(resolve), refuse: leave(() => reject(overloaded())) }
      const stop = after(longestWaitMs, () => {
        waiters.remove(owner, waiter)
        waiter.refuse()
      })
      waiters.push(owner, waiter)
      if (waiters.size > mostWaiting) waiters.popOfLongest()?.refuse()
    })

  const enter = (owner: Owner): Promise<void> | undefined => {
    const name = getOwnerName(owner)
    if (free === 0 || !mayRun(name)) return wait(owner)
    // Nothing runs. Earlier durations are no guide now, for example after the database hung.
    if (free === turns) meanMs = 0
    take(name)
    return undefined
  }

  return {
    async run(owner, work) {
      const turn = enter(owner)
      if (turn) await turn
      const startedAt = now()
      try {
        return await work()
      } finally {
        meanMs += (now() - startedAt - meanMs) * newestWeight
        giveBack(getOwnerName(owner))
      }
    },
    get waiting() {
      return waiters.size
    },
    get refused() {
      return refused
    },
  }
}
