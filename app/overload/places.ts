import { createFairQueue } from './fair-queue.ts'

/** So many do something at once; owners of those who wait take turns. */
export type Places = {
  /**
   * Calls `begin` at once where a place is free, else when one is given back. `giveUp` is called in its stead where
   * that takes too long, with an error of code ETIMEDOUT. Whoever has begun gives the place back.
   */
  take(owner: string, begin: () => void, giveUp: (error: Error) => void): void
  /** What is next begins within the call. */
  giveBack(): void
  /** Those who wait. */
  readonly waiting: number
}

type Waiter = { begin: () => void; timer: NodeJS.Timeout; hasGivenUp: boolean }

/** Makes `count` places; nobody waits for one for longer than `longestWaitMs`. */
export const createPlaces = (count: number, longestWaitMs: number): Places => {
  const queue = createFairQueue<Waiter>()
  let free = count
  let waiting = 0

  const wait = (owner: string, begin: () => void, giveUp: (error: Error) => void): void => {
    const timer = setTimeout(() => {
      waiting -= 1
      waiter.hasGivenUp = true
      const error = new Error(`none of ${count} places became free within ${longestWaitMs} ms`)
      giveUp(Object.assign(error, { code: 'ETIMEDOUT' }))
    }, longestWaitMs)
    const waiter: Waiter = { begin, timer, hasGivenUp: false }
    waiting += 1
    queue.push(owner, waiter)
  }
  /** Of those who still wait. */
  const nextWaiter = (): Waiter | undefined => {
    const next = queue.shift()
    return next?.hasGivenUp ? nextWaiter() : next
  }
  return {
    take(owner, begin, giveUp) {
      if (free === 0) return wait(owner, begin, giveUp)
      free -= 1
      begin()
    },
    giveBack() {
      const next = nextWaiter()
      if (!next) {
        free += 1
        return
      }
      waiting -= 1
      clearTimeout(next.timer)
      next.begin()
    },
    get waiting() {
      return waiting
    },
  }
}
