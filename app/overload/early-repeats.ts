import { after as afterMs } from './timer.ts'

/** Of each refusal as overloaded. Also sent as `Retry-After`. */
export const retryAfterSeconds = 1

/** 50 MB, at 5 kB a request. Further refusals are sent immediately. */
const maxHeld = 10_000

type Options = {
  now?: () => number
  after?: typeof afterMs
}

/**
 * Returns a function that calls `send`: immediately, or `retryAfterSeconds` later if the refused request arrived on its
 * connection sooner than that after the previous refusal. So a client that ignores `Retry-After` costs memory only.
 * `arrivedMs`: by `now`, which is in milliseconds.
 */
export const createEarlyRepeats = ({ now = () => performance.now(), after = afterMs }: Options = {}) => {
  const refusedAtMs = new WeakMap<object, number>()
  let held = 0
  return (connection: object, arrivedMs: number, send: () => void): void => {
    const last = refusedAtMs.get(connection)
    const isEarly = last !== undefined && arrivedMs - last < retryAfterSeconds * 1_000
    const sendNow = () => {
      refusedAtMs.set(connection, now())
      send()
    }
    if (!isEarly || held >= maxHeld) {
      sendNow()
      return
    }
    held += 1
    after(retryAfterSeconds * 1_000, () => {
      held -= 1
      sendNow()
    })
  }
}
