/** Has those who are refused again and again wait, so that they ask less often. */
export type Tarpit = {
  /**
   * Counts a refusal. Where `who` was refused more than five times as often in the last second as it may ask in one,
   * `release` is called later, once, and the answer is true. False: nothing waits.
   */
  hold(who: object, perSecond: number, release: () => void): boolean
  /** Counts a refusal of somebody who waits already. */
  count(who: object): void
  /** Releases all, in the order in which they are due, and holds nothing from then on. */
  close(): void
  /** Those that wait. */
  readonly held: number
}

export type TarpitOptions = {
  /** Monotonic milliseconds. */
  now: () => number
  /** Calls once after so many milliseconds. */
  after: (ms: number, call: () => void) => void
  /** How many wait at most, of one and in all. */
  most: Readonly<{ ofOne: number; inAll: number }>
  /** From 0 to 1; absent: by chance. Those who were refused together do not come back together. */
  random?: () => number
}

/**
 * Who is refused no more often than that many times its quota has a client that waits badly, and is no flood. To slow
 * one down costs nearly as much as another refusal.
 */
const tolerated = 5
/** At the bound of what is tolerated; so much more for each time as much. */
const leastMs = 250
/** The least that `Retry-After` says: whoever heeds it would not have asked sooner. */
const mostMs = 1_000
/** By so much of it a wait may be shorter. */
const spread = 1 / 4
/** Those of one tick are released together: one wake-up for all. Small, so that nobody waits long behind them. */
const tickMs = 25
/** More than are ahead of a refusal: what is held while the process is late by half a second still finds its own. */
const ticksKept = 64

const secondMs = 1_000

type Refused = { startedMs: number; count: number; before: number; held: number }

/** Refusals in the second that ends now, this one included: of the second before, the part that still counts. */
const countOne = (refused: Refused, nowMs: number): number => {
  const passedMs = nowMs - refused.startedMs
  if (passedMs >= 2 * secondMs) Object.assign(refused, { startedMs: nowMs, count: 0, before: 0 })
  else if (passedMs >= secondMs) {
    Object.assign(refused, { startedMs: refused.startedMs + secondMs, count: 0, before: refused.count })
  }
  refused.count += 1
  return refused.count + refused.before * (1 - (nowMs - refused.startedMs) / secondMs)
}

/**
 * A client that waits cannot ask meanwhile: a refusal that is waited for costs little more than one that is not, but
 * there are fewer of them. Whoever keeps its quota never waits, however many others do.
 */
export const createTarpit = ({ now, after, most, random = Math.random }: TarpitOptions): Tarpit => {
  const known = new WeakMap<object, Refused>()
  /**
   * By tick, in a ring. Not a map: as it shrinks, the one that is left behind leads to the next, and all that was in any
   * of them is kept until the next full collection.
   */
  const due: (() => void)[][] = Array.from({ length: ticksKept }, () => [])
  let held = 0
  let nextTick = 0
  let isClosed = false

  const batchOf = (tick: number) => due[tick % ticksKept] as (() => void)[]
  const release = (tick: number): void => {
    const batch = batchOf(tick)
    due[tick % ticksKept] = []
    for (const each of batch) each()
  }
  const run = (): void => {
    const tick = Math.floor(now() / tickMs)
    for (; nextTick <= tick; nextTick += 1) release(nextTick)
    if (held > 0) after(tickMs, run)
  }
  const refusedOf = (who: object): Refused => {
    let refused = known.get(who)
    if (!refused) {
      refused = { startedMs: now(), count: 0, before: 0, held: 0 }
      known.set(who, refused)
    }
    return refused
  }
  const keep = (refused: Refused, tick: number, send: () => void): void => {
    if (held === 0) after(tickMs, run)
    held += 1
    refused.held += 1
    batchOf(tick).push(() => {
      held -= 1
      refused.held -= 1
      send()
    })
  }

  return {
    hold(who, perSecond, send) {
      const refused = refusedOf(who)
      const nowMs = now()
      const excess = countOne(refused, nowMs) / (tolerated * perSecond)
      if (isClosed || excess <= 1 || refused.held >= most.ofOne || held >= most.inAll) return false
      if (held === 0) nextTick = Math.floor(nowMs / tickMs)
      const waitMs = Math.min(mostMs, leastMs * excess) * (1 - spread * random())
      const tick = Math.ceil((nowMs + waitMs) / tickMs)
      if (tick - nextTick >= ticksKept) return false
      keep(refused, tick, send)
      return true
    },
    count(who) {
      countOne(refusedOf(who), now())
    },
    close() {
      isClosed = true
      for (let tick = nextTick; tick < nextTick + ticksKept; tick += 1) release(tick)
    },
    get held() {
      return held
    },
  }
}
