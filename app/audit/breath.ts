import { setImmediate as turn } from 'node:timers/promises'

/** What work that nobody waits for does at once: as long as a few answers take. */
const enoughMs = 1

/** Resolves at once, or once the event loop has looked at what arrived where that is due. */
export type Breath = () => Promise<void>

/**
 * Returns a function that long background work awaits between two steps. It lets other requests run after each
 * millisecond of work. `now` is in milliseconds that never go back.
 */
export const createBreath = (now: () => number = () => performance.now()): Breath => {
  let since = now()
  return async () => {
    if (now() - since < enoughMs) return
    await turn()
    since = now()
  }
}
