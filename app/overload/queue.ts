import { ApiError } from '../errors.ts'
import { createFairQueue, getOwnerName, type Owner } from './fair-queue.ts'
import { after } from './timer.ts'

/**
 * The queue in front of the database: a fixed number of jobs run, the others wait, fairly by owner.
 * See docs/decisions/0072-one-queue-in-front-of-the-database.md.
 */
export type Queue = {
  /** Rejects like `work`, or with 503 `overloaded` if the wait exceeds or would exceed `longestWaitMs`. */
  run<T>(owner: Owner, work: () => Promise<T>): Promise<T>
  readonly waiting: number
  readonly refused: number
}

export type Turn = <T>(work: () => Promise<T>) => Promise<T>

type QueueOptions = {
  turns: number
  longestWaitMs: number
  /** Above this number, the newest waiting job of the busiest owner of the busiest site is refused. */
  mostWaiting?: number
  now?: () => number
}

const ownerShare = 0.8
/** 50 MB, at 5 kB a request. */
const defaultMostWaiting = 10_000
const newestWeight = 1 / 20
const retryAfter = '1'

type Waiter = { owner: Owner; begin: () => void; refuse: () => void }

/** Creates a queue. `turns`: number of jobs that run; one owner has at most 80 % of them. */
export const createQueue = (options: QueueOptions): Queue => {
  const { turns, longestWaitMs, mostWaiting = defaultMostWaiting, now = () => performance.now() } = options
  const mostOfOwner = Math.max(1, Math.floor(turns * ownerShare))
  const waiters = createFairQueue<Waiter>()
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
    // Nothing runs, so earlier durations may be out of date, for example after the database hung.
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
