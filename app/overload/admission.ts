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
  hold(holder: string): () => void
  /** Requests that wait for something. */
  readonly active: number
}

export type AdmissionOptions = {
  /** Requests that may wait for a database or anything else at once. */
  concurrency: number
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
 * it lives. Then there is room for those who are answered within so long, as things go,
 */
const lastingWaitMs = 50
/** and at least for this of `concurrency`: one and a half for each connection to the database keep the pool busy. */
const lastingShare = 0.1
/** How often it is judged whether answers flow; where they did twice in a row, the load lasts. */
const judgeFlowMs = 500
/**
 * Whoever waits must be answered within that time, as things go, for it to be a flood. A database that stands still is
 * none: there refusing would help nobody, and what came meanwhile is a burst once it goes on.
 */
const answeredWithinMs = 2_000
/** Of `concurrency`: below this nothing lasts. Half of what is kept to, so that one who leaves does not end it. */
const calmShare = lastingShare / 2
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
  lag,
  now = () => performance.now(),
}: AdmissionOptions): Admission => {
  const held = new Map<string, number>()
  let active = 0
  /** Since it was judged last, and how often in a row answers flowed. */
  let flow = { sinceMs: now(), answered: 0, timesInARow: 0, perMs: 0 }

  let [lastLook, sinceLook] = [-1, 0]

  // Below that there is room for everybody, however long it lasts.
  const hasRoom = () => active < concurrency * lastingShare * demoShare && lag.level() === 0

  const isOneOfFew = (): boolean => {
    const look = lag.looks()
    if (look !== lastLook) [lastLook, sinceLook] = [look, 0]
    sinceLook += 1
    return sinceLook <= fewRequests
  }

  const isCalm = (): boolean => active < concurrency * calmShare
  const lasts = (): boolean => {
    const nowMs = now()
    const passedMs = nowMs - flow.sinceMs
    if (passedMs >= judgeFlowMs) {
      const isFlowing = flow.answered * answeredWithinMs >= active * passedMs
      flow = {
        sinceMs: nowMs,
        answered: 0,
        timesInARow: isFlowing ? flow.timesInARow + 1 : 0,
        perMs: flow.answered / passedMs,
      }
    }
    return flow.timesInARow >= 2
  }
  /** For how many there is room at the moment. */
  const bound = (): number => {
    if (isCalm() || !lasts()) return concurrency
    return Math.min(concurrency, Math.ceil(Math.max(concurrency * lastingShare, flow.perMs * lastingWaitMs)))
  }

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
      if (isCalm()) flow = { sinceMs: now(), answered: 0, timesInARow: 0, perMs: 0 }
      active += 1
      held.set(holder, (held.get(holder) ?? 0) + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        active -= 1
        flow.answered += 1
        const left = (held.get(holder) ?? 0) - 1
        if (left > 0) held.set(holder, left)
        else held.delete(holder)
      }
    },
    get active() {
      return active
    },
  }
}
