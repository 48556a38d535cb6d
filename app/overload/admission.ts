import type { Lag } from './lag.ts'

/** Whether a request may begin; `shed`: 503 at once. */
export type Verdict = 'admit' | 'shed'

export type Admission = {
  /** Whether there is room for everybody, whoever it is. */
  hasRoom(): boolean
  /**
   * Judges a request before any work is done for it. `holder`: whose it is, as far as its bytes tell without
   * looking into them; `isDemo`: of those who are shed first.
   */
  judge(holder: string, isDemo: boolean): Verdict
  /** Notes that a request of this holder waits for something; returns what ends that. */
  hold(holder: string): Release
  /** Requests that wait for something. */
  readonly active: number
}

/** `isAnswer` false: nobody was answered, so that it tells nothing of how fast answers are; absent: true. */
export type Release = (isAnswer?: boolean) => void

export type AdmissionOptions = {
  /** Requests that may wait for a database or anything else at once. */
  concurrency: number
  /** Of these, those that have a connection to the database do not stand in line. */
  connections: number
  /** How late the event loop is. See lag.ts. */
  lag: Pick<Lag, 'level' | 'looks'>
  /** Milliseconds from any start, never going back. */
  now?: () => number
}

/** Of `concurrency`: what the demo may fill, so that a customer always finds room. */
const demoShare = 1 / 2
/** Of `concurrency`: what those may fill, together, who hold less than their part of it. */
const overdraft = 2
/**
 * Once the room has been used for longer than any quota's burst takes to come, it is no burst that has to be waited
 * for: a longer queue only makes everybody late, and each who waits costs memory that is copied again and again while
 * it lives. Then there is room for as many as are answered within this time, as things go.
 */
const lastingWaitMs = 50
/** For each connection to the database: the least room of a lasting load, which keeps the pool busy. */
const leastForEach = 1.6
/** Of `concurrency`: the least room of a lasting load, too, and the most. */
const lastingShares = { least: 0.1, most: 0.2 } as const
/** Mean of what answers take: where it is less nobody stands in line, and a lasting load may fill the whole room. */
const quickMs = 20
/** How often it is judged whether answers flow; where they did twice in a row, the load lasts. */
const judgeFlowMs = 500
/**
 * Whoever waits must be answered within that time, as things go, for it to be a flood. A database that stands still is
 * none: there refusing would help nobody, and what came meanwhile is a burst once it goes on.
 */
const answeredWithinMs = 2_000
/** A moment's hiccup costs the demo its requests, a lasting one everybody's. */
export const lagLevels = { demo: 1, all: 3 } as const
/**
 * So many requests are let in between two looks at a late event loop. Where no more than these come, it is not they
 * that make it late (a start, a large script compressed, a machine that stood still), and refusing them helps nobody.
 */
const fewRequests = 4

/**
 * Bounds what runs at once. Requests that are answered from memory never wait, so only others count. When the
 * room is full, those who fill it are refused: whoever holds less than an equal part of it is let in up to twice
 * the bound, so that one customer's flood of slow questions does not cost another's quick ones. A burst finds the whole
 * room; who asks too much for longer than that finds room for as many as are answered soon.
 */
export const createAdmission = ({
  concurrency,
  connections,
  lag,
  now = () => performance.now(),
}: AdmissionOptions): Admission => {
  const held = new Map<string, number>()
  let active = 0
  const least = Math.min(
    concurrency,
    Math.ceil(Math.max(leastForEach * connections, lastingShares.least * concurrency)),
  )
  /** Since it was judged last: who left, answered or not; how many waited at most; and how often in a row it flowed. */
  const newFlow = () => ({
    sinceMs: now(),
    left: 0,
    answered: 0,
    heldMs: 0,
    peak: active,
    timesInARow: 0,
    room: concurrency,
  })
  let flow = newFlow()

  let [lastLook, sinceLook] = [-1, 0]

  // Below that there is room for everybody, however long it lasts.
  const hasRoom = () => active < least * demoShare && lag.level() === 0

  const isOneOfFew = (): boolean => {
    const look = lag.looks()
    if (look !== lastLook) [lastLook, sinceLook] = [look, 0]
    sinceLook += 1
    return sinceLook <= fewRequests
  }

  /** Nobody stands in line: then nothing lasts. */
  const isCalm = (): boolean => active < connections
  const roomFor = (answered: number, heldMs: number, passedMs: number): number => {
    const most = heldMs < answered * quickMs ? concurrency : Math.max(least, concurrency * lastingShares.most)
    return Math.min(most, Math.max(least, Math.ceil((answered / passedMs) * lastingWaitMs)))
  }
  const lasts = (): boolean => {
    const passedMs = now() - flow.sinceMs
    if (passedMs >= judgeFlowMs) {
      const { left, answered, heldMs, peak, timesInARow } = flow
      const isFlowing = left * answeredWithinMs >= active * passedMs && peak >= least
      const room = roomFor(answered, heldMs, passedMs)
      flow = { ...newFlow(), timesInARow: isFlowing ? timesInARow + 1 : 0, room }
    }
    return flow.timesInARow >= 2
  }
  /** For how many there is room at the moment. */
  const bound = (): number => (isCalm() || !lasts() ? concurrency : flow.room)

  const judge: Admission['judge'] = (holder, isDemo) => {
    const level = lag.level()
    const most = bound()
    if (level > 0 && !isOneOfFew() && level >= (isDemo ? lagLevels.demo : lagLevels.all)) return 'shed'
    if (active < most * demoShare) return 'admit'
    if (isDemo) return 'shed'
    if (active < most) return 'admit'
    if (active >= concurrency * overdraft) return 'shed'
    return (held.get(holder) ?? 0) < most / (held.size + 1) ? 'admit' : 'shed'
  }
  return {
    hasRoom,
    judge,
    hold(holder) {
      if (isCalm()) flow = newFlow()
      active += 1
      flow.peak = Math.max(flow.peak, active)
      held.set(holder, (held.get(holder) ?? 0) + 1)
      const sinceMs = now()
      let isHeld = true
      return (isAnswer = true) => {
        if (!isHeld) return
        isHeld = false
        active -= 1
        flow.left += 1
        if (isAnswer) {
          flow.answered += 1
          flow.heldMs += now() - sinceMs
        }
        const others = (held.get(holder) ?? 0) - 1
        if (others > 0) held.set(holder, others)
        else held.delete(holder)
      }
    },
    get active() {
      return active
    },
  }
}
