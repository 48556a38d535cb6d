import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** Tells which moments of a while say something of the service. */
export type Watch = {
  /** Ends it. */
  stop(): void
  /** Whether nothing disturbed this moment, by `performance.now()`. */
  isUndisturbed(at: number): boolean
  /** Milliseconds between the two of which that is true. */
  undisturbedMs(from: number, to: number): number
  /** Milliseconds that the core, or all of them together, was away so far. */
  stolenMs(): number
}

const lookEveryMs = 10
/** This process comes to look so much later: it asked late as well, and then all at once. */
const lateMs = 10
const slotMs = 20
/** What came to wait meanwhile is worked off by then. */
const afterMs = 100
/** An answer to what is due just before comes late as well. */
const beforeMs = 40
const stealField = 8
const tickMs = 10

/** Ticks that a core, or all together, was away since the machine started; 0 where the system does not tell. */
const readSteal = (core: number | undefined): number => {
  try {
    const name = core === undefined ? 'cpu' : `cpu${core}`
    const line = readFileSync('/proc/stat', 'utf8')
      .split('\n')
      .find((each) => each.startsWith(`${name} `))
    return Number(line?.split(/ +/)[stealField]) || 0
  } catch {
    return 0
  }
}

/**
 * A hypervisor takes cores away for a few tenths of a second, again and again ("steal"), and a client that stood still
 * asks in a burst. What is due around either says nothing of the service. Moments are judged by themselves, never by
 * how long what began in them took: slow answers are as likely to be counted as fast ones.
 */
export const watchDisturbances = (core?: number): Watch => {
  const disturbed: { from: number; to: number }[] = []
  const first = readSteal(core)
  let [before, lookedAt] = [first, performance.now()]
  const look = () => {
    const [steal, now] = [readSteal(core), performance.now()]
    // A core that is away is counted once it is back.
    const awayMs = tickMs * (steal - before)
    if (awayMs > 0 || now - lookedAt > lookEveryMs + lateMs)
      disturbed.push({ from: Math.min(lookedAt, now - awayMs) - beforeMs, to: now + afterMs })
    ;[before, lookedAt] = [steal, now]
  }
  const timer = setInterval(look, lookEveryMs)
  const isUndisturbed = (at: number): boolean => {
    const start = Math.floor(at / slotMs) * slotMs
    return !disturbed.some(({ from, to }) => from < start + slotMs && to > start)
  }
  return {
    stop() {
      clearInterval(timer)
      look()
    },
    isUndisturbed,
    stolenMs: () => tickMs * (before - first),
    undisturbedMs(from, to) {
      let ms = 0
      for (let start = Math.floor(from / slotMs) * slotMs; start < to; start += slotMs) {
        if (isUndisturbed(start)) ms += Math.min(to, start + slotMs) - Math.max(from, start)
      }
      return ms
    },
  }
}
