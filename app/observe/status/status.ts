import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/schema.ts'
import { within } from '../../overload/timer.ts'
import { createStatusDocument, type StatusDocument } from './document.ts'
import { createHistoryReader } from './history.ts'
import { createMinutes, type Minutes } from './minutes.ts'
import { pruneServiceMinutes, reportServiceMinutes } from './store.ts'

type StatusOptions = {
  /** Connections of the serving role. */
  db: Db
  /** Milliseconds since 1970. */
  now: () => number
  /**
   * Asks the service as a client would. Resolves to the longest time, in milliseconds, for which a change may have
   * been missing from the answer. Rejects without an answer.
   */
  probe: () => Promise<number>
}

export type Status = Pick<Minutes, 'addAnswer'> & {
  /** Probes once, and notes the outcome in the slot in which it began. */
  probe(): Promise<void>
  /** Writes the minutes that are over; with `all`, the running one as well. Rejects with the driver's errors. */
  report(all?: boolean): Promise<void>
  /** Reads what all instances have reported. Rejects with the driver's errors. */
  refresh(): Promise<void>
  /** Deletes what is no longer shown. */
  prune(): Promise<void>
  /** Returns the figures of the moment. The same object for up to three seconds. */
  document(): StatusDocument
}

/** Longer than any answer should take, shorter than a slot. */
const probeTimeoutMs = 5_000
const documentMs = 3_000
const keptDays = 100

/** Counts, probes, writes and reads the minutes of which the uptime page is made. Starts nothing by itself. */
export const createStatus = ({ db, now, probe }: StatusOptions): Status => {
  const instance = randomBytes(8).toString('hex')
  const minutes = createMinutes(now)
  const history = createHistoryReader(db, now)
  let made: { atMs: number; document: StatusDocument } | undefined

  return {
    addAnswer: minutes.addAnswer,
    async probe() {
      const atMs = now()
      // A probe that fails, or is too slow, has no age.
      const ageMs = await within(probeTimeoutMs, probe()).catch(() => undefined)
      minutes.addProbe(atMs, ageMs)
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
    async prune() {
      await pruneServiceMinutes(db, keptDays)
    },
    document() {
      const nowMs = now()
      if (!made || Math.abs(nowMs - made.atMs) >= documentMs) {
        made = { atMs: nowMs, document: createStatusDocument(history.current(), minutes.unsettled(), nowMs) }
      }
      return made.document
    },
  }
}
