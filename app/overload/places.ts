import { createFairQueue } from './fair-queue.ts'

/** So many do something at once; owners of those who wait take turns, and none has all the places. */
export type Places = {
  /**
   * Calls `begin` at once where a place is free for this owner, else when one is given back. `giveUp` is called in its
   * stead where that takes too long, with an error of code ETIMEDOUT. Whoever has begun gives the place back.
   */
  take(owner: string, begin: () => void, giveUp: (error: Error) => void): void
  /** By whoever had it. What is next begins within the call. */
  giveBack(owner: string): void
  /** Those who wait. */
  readonly waiting: number
}

type Waiter = { owner: string; begin: () => void; timer: NodeJS.Timeout; hasGivenUp: boolean }

export type PlacesOptions = {
  count: number
  /** What one owner has at most, even where nobody else asks: others' next request finds the rest. */
  ofOne: number
  /** Milliseconds that anybody waits for a place. */
  longestWaitMs: number
}

export const createPlaces = ({ count, ofOne, longestWaitMs }: PlacesOptions): Places => {
  const queue = createFairQueue<Waiter>()
  /** By owner; those who have none are left out. */
  const taken = new Map<string, number>()
  let free = count
  let waiting = 0

  const takenBy = (owner: string): number => taken.get(owner) ?? 0
  const mayTake = (owner: string): boolean => takenBy(owner) < ofOne
  const occupy = (owner: string): void => {
    free -= 1
    taken.set(owner, takenBy(owner) + 1)
  }
  const leave = (owner: string): void => {
    free += 1
    const left = takenBy(owner) - 1
    if (left > 0) taken.set(owner, left)
    else taken.delete(owner)
  }

  const wait = (owner: string, begin: () => void, giveUp: (error: Error) => void): void => {
    const timer = setTimeout(() => {
      waiting -= 1
      waiter.hasGivenUp = true
      const error = new Error(
        `no place became free within ${longestWaitMs} ms, of ${count} and ${ofOne} for one`,
      )
      giveUp(Object.assign(error, { code: 'ETIMEDOUT' }))
    }, longestWaitMs)
    const waiter: Waiter = { owner, begin, timer, hasGivenUp: false }
    waiting += 1
    queue.push(owner, waiter)
  }
  /** Of those who still wait. */
  const nextWaiter = (): Waiter | undefined => {
    const next = queue.shift(mayTake)
    return next?.hasGivenUp ? nextWaiter() : next
  }
  return {
    take(owner, begin, giveUp) {
      if (free === 0 || !mayTake(owner)) return wait(owner, begin, giveUp)
      occupy(owner)
      begin()
    },
    giveBack(owner) {
      leave(owner)
      const next = nextWaiter()
      if (!next) return
      waiting -= 1
      clearTimeout(next.timer)
      occupy(next.owner)
      next.begin()
    },
    get waiting() {
      return waiting
    },
  }
}
