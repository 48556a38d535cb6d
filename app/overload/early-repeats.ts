import { createQueue, retryAfterSeconds } from './queue.ts'
import { after as afterMs } from './timer.ts'

/** At most 400 held refusals a second are sent. On a busy event loop, timers are late and there are fewer. */
const pace = { turns: 10, everyMs: 20 }
/** 50 MB, at 5 kB a request. Further refusals, and those that have waited this long, are sent immediately. */
const limits = { mostWaiting: 10_000, longestWaitMs: 10_000 }

type Options = {
  now?: () => number
  after?: typeof afterMs
}

/**
 * Returns a function that calls `send`: immediately, or at least `retryAfterSeconds` later if the refused request arrived
 * on its connection sooner than that after the previous refusal. So a client that ignores `Retry-After` costs memory
 * only. `arrivedMs`: by `now`, which is in milliseconds.
 */
export const createEarlyRepeats = ({ now = () => performance.now(), after = afterMs }: Options = {}) => {
  const refusedAtMs = new WeakMap<object, number>()
  const queue = createQueue({ turns: pace.turns, ...limits, after })
  let held = 0
  const wait = (ms: number) => new Promise<void>((resolve) => after(ms, resolve))

  return (connection: object, arrivedMs: number, send: () => void): void => {
    const last = refusedAtMs.get(connection)
    const isEarly = last !== undefined && arrivedMs - last < retryAfterSeconds * 1_000
    const sendNow = () => {
      refusedAtMs.set(connection, now())
      send()
    }
    if (!isEarly || held >= limits.mostWaiting) {
      sendNow()
      return
    }
    held += 1
    after(retryAfterSeconds * 1_000, () => {
      held -= 1
      void queue.run('', () => wait(pace.everyMs)).then(sendNow, sendNow)
    })
  }
}
