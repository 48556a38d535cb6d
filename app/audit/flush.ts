import type { AuditEvent } from './record.ts'

export type FlushOptions = {
  /** What was counted since the last time, some at a time. */
  drain: () => AsyncIterable<readonly AuditEvent[]>
  /** Writes some entries, all or none. */
  write: (events: readonly AuditEvent[]) => Promise<void>
  /** Told how many entries were given up. */
  onLost: (count: number) => void
}

export type Flush = (() => Promise<void>) & {
  /** Entries that the database did not take yet. */
  unsent(): number
}

/** To write so many as JSON takes a fifth of a millisecond, in which nobody is answered. */
const batchSize = 200
/** Entries kept while the database does not take them: about 20 MB. What comes beyond is lost, and said. */
const maxUnsent = 20_000

/**
 * Writes what was counted, in batches; rejects where one is not taken, and keeps that and the following for the
 * next time. Calls at the same time are one.
 */
export const createFlush = ({ drain, write, onLost }: FlushOptions): Flush => {
  let unsent: AuditEvent[] = []
  let flight: Promise<void> | undefined

  const send = async () => {
    let [pending, failure, lost]: [AuditEvent[], unknown, number] = [unsent, undefined, 0]
    unsent = []
    /** Of `pending`, until fewer than `least` are left. */
    const writeDown = async (least: number) => {
      let sent = 0
      try {
        while (failure === undefined && pending.length - sent >= least) {
          const batch = pending.slice(sent, sent + batchSize)
          await write(batch)
          sent += batch.length
        }
      } catch (error) {
        failure = error
      }
      pending = pending.slice(sent)
    }
    // What is left goes first. While the database does not take it, counts grow where they are.
    await writeDown(1)
    if (failure !== undefined) {
      unsent = pending
      throw failure
    }
    // None is made before those before it are written or given up: a busy minute has more than memory should hold.
    for await (const events of drain()) {
      pending = pending.concat(events)
      await writeDown(batchSize)
      if (pending.length > maxUnsent) {
        lost += pending.length - maxUnsent
        pending = pending.slice(0, maxUnsent)
      }
    }
    await writeDown(1)
    unsent = pending
    if (lost > 0) onLost(lost)
    if (failure !== undefined) throw failure
  }
  const flush = () => {
    flight ??= send().finally(() => {
      flight = undefined
    })
    return flight
  }
  return Object.assign(flush, { unsent: () => unsent.length })
}
