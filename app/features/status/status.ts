import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/schema.ts'
import { within } from '../../overload/timer.ts'
import { createStatusDocument, type StatusDocument } from './document.ts'
import { createHistoryReader } from './history.ts'
import { createMinutes, type Minutes } from './minutes.ts'
import { pruneServiceMinutes, reportServiceMinutes } from './store.ts'

type StatusOptions = {
  db: Db
  now: () => number
  probe: () => Promise<number>
}

export type Status = Pick<Minutes, 'addAnswer' | 'addSentAnswer'> & {
  probe(): Promise<void>
  /** Writes the completed minutes, and the current one if `all`. Rejects with the driver's errors. */
  report(all?: boolean): Promise<void>
  refresh(): Promise<void>
  prune(): Promise<void>
  /** Returns figures from memory, of minutes that ended at least 15 s ago. The same object for up to 3 s. */
  document(): StatusDocument
}

const probeTimeoutMs = 5_000
const documentMs = 3_000
const keptDays = 100

/** Counts, probes, writes and reads the minutes that `/status` shows. The caller runs the timers. */
export const createStatus = ({ db, now, probe }: StatusOptions): Status => {
  const instance = randomBytes(8).toString('hex')
  const minutes = createMinutes(now)
  const history = createHistoryReader(db, now)
  /** The first success since the last failed probe, or since the start. */
  let answersSinceMs: number | undefined
  let made: { atMs: number; document: StatusDocument } | undefined

  return {
    addAnswer: minutes.addAnswer,
    addSentAnswer: minutes.addSentAnswer,
    async probe() {
      const atMs = now()
      const ageMs = await within(probeTimeoutMs, probe()).catch(() => undefined)
      minutes.addProbe(atMs, ageMs)
      answersSinceMs = ageMs === undefined ? undefined : (answersSinceMs ?? atMs)
    },
    async report(all) {
      const due = minutes.unsettled(all)
      if (due.length === 0) return
      await reportServiceMinutes(db, instance, due)
      minutes.settle(due)
      history.note(due)
      made = undefined
    },
    async refresh() {
      await history.refresh()
      made = undefined
    },
    prune: () => pruneServiceMinutes(db, keptDays),
    document() {
      const nowMs = now()
      if (!made || Math.abs(nowMs - made.atMs) >= documentMs) {
        made = {
          atMs: nowMs,
          document: createStatusDocument(history.current(), minutes.unsettled(), nowMs, answersSinceMs),
        }
      }
      return made.document
    },
  }
}
