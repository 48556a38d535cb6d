import { setImmediate as turn } from 'node:timers/promises'

/** What work that nobody waits for does at once: as long as a few answers take. */
const enoughMs = 1

/** Resolves at once, or once the event loop has looked at what arrived where that is due. */
export type Breath = () => Promise<void>

/**
 * For long work that nobody waits for. Await it between any two steps: whoever asks meanwhile waits for a millisecond
 * of it, and not for all. `now` is in milliseconds that never go back.
 */
export const createBreath = (now: () => number = () => performance.now()): Breath => {
  let since = now()
  return async () => {
    if (now() - since < enoughMs) return
    await turn()
    since = now()
  }
}
