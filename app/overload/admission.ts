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
  /** How long the event loop has been late, in steps; 0: it is not. See lag.ts. */
  lagLevel: () => number
}

/** Of `concurrency`: what the demo may fill, so that a customer always finds room. */
const demoShare = 1 / 2
/** Of `concurrency`: what those may fill, together, who hold less than their part of it. */
const overdraft = 2
/** A moment's hiccup costs the demo its requests, a lasting one everybody's. */
export const lagLevels = { demo: 1, all: 3 } as const

/**
 * Bounds what runs at once. Requests that are answered from memory never wait, so only others count. When the
 * room is full, those who fill it are refused: whoever holds less than an equal part of it is let in up to twice
 * the bound, so that one customer's flood of slow questions does not cost another's quick ones.
 */
export const createAdmission = ({ concurrency, lagLevel }: AdmissionOptions): Admission => {
  const held = new Map<string, number>()
  let active = 0

  const hasRoom = () => active < concurrency * demoShare && lagLevel() === 0

  const judge: Admission['judge'] = (holder, isDemo) => {
    const level = lagLevel()
    if (level >= lagLevels.all || (isDemo && level >= lagLevels.demo)) return 'shed'
    if (active < concurrency * demoShare) return 'admit'
    if (isDemo) return 'shed'
    if (active < concurrency) return 'admit'
    if (active >= concurrency * overdraft) return 'shed'
    return (held.get(holder) ?? 0) < concurrency / (held.size + 1) ? 'admit' : 'shed'
  }
  return {
    hasRoom,
    judge,
    hold(holder) {
      active += 1
      held.set(holder, (held.get(holder) ?? 0) + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        active -= 1
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
