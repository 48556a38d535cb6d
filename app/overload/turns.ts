import { createFairQueue } from './fair-queue.ts'

/** Spreads work over turns of the event loop. */
export type Turns = {
  /** Calls at once where this turn has begun little, else in one of the next; owners of those who wait take turns. */
  take(owner: string, call: () => void): void
}

/** What one turn of the event loop may begin. */
export type TurnBounds = {
  /** Nothing more once it has begun so many. */
  most?: number
  /** Nothing more after so many milliseconds. Only for work that is done within the call. */
  enoughMs?: number
  /** Milliseconds from any start. */
  now?: () => number
}

/**
 * A page costs a third of a millisecond before the database and as much behind it, and as long again where the process
 * has half of a core: a turn of ten is what a refusal, which costs a tenth of that, waits for. Of what is cheap, as an
 * answer from Redis, a turn begins more.
 */
export const ofRequests: TurnBounds = { enoughMs: 0.5 }
export const ofAnswers: TurnBounds = { most: 2 }

/**
 * What comes at once is begun a few at a time, and between them the event loop looks at what has arrived: a refusal or
 * an answer from memory does not wait for all the others' work, and a new connection, which takes two turns or more to
 * be read, waits for short ones.
 */
export const createTurns = (bounds: TurnBounds): Turns => {
  const { most = Number.POSITIVE_INFINITY, enoughMs, now = () => performance.now() } = bounds
  const waiting = createFairQueue<() => void>()
  let isArmed = false
  let begun = 0
  let beganAt = 0

  const begin = (call: () => void): void => {
    // First: a call that throws stops nobody else's.
    if (!isArmed) {
      setImmediate(next)
      isArmed = true
      begun = 0
      if (enoughMs !== undefined) beganAt = now()
    }
    begun += 1
    call()
  }
  const hasBegunEnough = (): boolean =>
    isArmed && (begun >= most || (enoughMs !== undefined && now() - beganAt >= enoughMs))
  const next = (): void => {
    isArmed = false
    while (!hasBegunEnough()) {
      const call = waiting.shift()
      if (!call) return
      begin(call)
    }
  }
  return {
    take(owner, call) {
      if (hasBegunEnough()) waiting.push(owner, call)
      else begin(call)
    },
  }
}
