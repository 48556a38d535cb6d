import { createFairQueue } from './fair-queue.ts'

/** Spreads work over turns of the event loop. */
export type Turns = {
  /** Calls at once where this turn has begun little, else in one of the next; owners of those who wait take turns. */
  take(owner: string, call: () => void): void
}

/**
 * Begun in one turn. A page costs a third of a millisecond before the database and as much behind it, and as long again
 * where the process has half of a core: a turn of ten is what a refusal, which costs a tenth of that, waits for.
 */
export const begunPerTurn = 2

/**
 * What comes at once is begun a few at a time, and between them the event loop looks at what has arrived: a refusal or
 * an answer from memory does not wait for all the others' work, and a new connection, which takes two turns or more to
 * be read, waits for short ones.
 */
export const createTurns = (): Turns => {
  const waiting = createFairQueue<() => void>()
  let begun = 0
  let isArmed = false

  const begin = (call: () => void): void => {
    // First: a call that throws stops nobody else's.
    if (!isArmed) setImmediate(next)
    isArmed = true
    begun += 1
    call()
  }
  const next = (): void => {
    isArmed = false
    begun = 0
    while (begun < begunPerTurn) {
      const call = waiting.shift()
      if (!call) return
      begin(call)
    }
  }
  return {
    take(owner, call) {
      if (begun < begunPerTurn) begin(call)
      else waiting.push(owner, call)
    },
  }
}
