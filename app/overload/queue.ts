import { ApiError } from '../errors.ts'
import { createFairQueue, getOwnerName, type Owner } from './fair-queue.ts'
import { after as afterMs } from './timer.ts'

/**
 * The queue in front of the database: a fixed number of jobs run, the others wait, fairly by owner.
 * See docs/decisions/0072-one-queue-in-front-of-the-database.md and
 * docs/decisions/0168-refusals-wait-for-the-deadline.md.
 */
export type Queue = {
  /** Rejects like `work`, or with 503 `overloaded` after waiting for `longestWaitMs`. */
  run<T>(owner: Owner, work: () => Promise<T>): Promise<T>
  readonly waiting: number
  readonly refused: number
}

export type Turn = <T>(work: () => Promise<T>) => Promise<T>

type QueueOptions = {
  turns: number
  longestWaitMs: number
  /** Above this number, the newest waiting job of the busiest owner of the busiest site is refused immediately. */
  mostWaiting?: number
  after?: typeof afterMs
}

const ownerShare = 0.8
/** 50 MB, at 5 kB a request. */
const defaultMostWaiting = 10_000

/** Of a refusal as overloaded. */
export const retryAfterSeconds = 1

/** Shared, because a stack trace would cost more than the rest of a refusal. */
const overloaded = new ApiError('overloaded', {
  headers: { 'retry-after': String(retryAfterSeconds) },
})

type Waiter = { owner: Owner; begin: () => void; drop: () => void }

/** Creates a queue. `turns`: number of jobs that run; one owner has at most 80 % of them. */
export const createQueue = (options: QueueOptions): Queue => {
  const { turns, longestWaitMs, mostWaiting = defaultMostWaiting, after = afterMs } = options
  const mostOfOwner = Math.max(1, Math.floor(turns * ownerShare))
  const waiters = createFairQueue<Waiter>()
  const taken = new Map<string, number>()
  let free = turns
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

  // A client that is refused sooner repeats its request sooner, and each repetition costs more than the wait.
  const wait = (owner: Owner): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = () => {
        stop()
        resolve()
      }
      const drop = () => {
        stop()
        refused += 1
        reject(overloaded)
      }
      const waiter: Waiter = { owner, begin, drop }
      const stop = after(longestWaitMs, () => {
        waiters.remove(owner, waiter)
        drop()
      })
      waiters.push(owner, waiter)
      if (waiters.size > mostWaiting) waiters.popOfLongest()?.drop()
    })

  const enter = (owner: Owner): Promise<void> | undefined => {
    const name = getOwnerName(owner)
    if (free === 0 || !mayRun(name)) return wait(owner)
    take(name)
    return undefined
  }

  return {
    async run(owner, work) {
      const turn = enter(owner)
      if (turn) await turn
      try {
        return await work()
      } finally {
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
