import type { AuditEvent } from './record.ts'

type FlushOptions = {
  /** What was counted since the last time, some at a time. */
  drain: () => AsyncIterable<readonly AuditEvent[]>
  /** Writes some entries, all or none. */
  write: (events: readonly AuditEvent[]) => Promise<void>
  /** Told how many entries were given up. */
  onLost: (count: number) => void
}

/** To write so many as JSON takes a fifth of a millisecond, in which nobody is answered. */
const batchSize = 200
/** Entries kept while the database does not take them: about 20 MB. What comes beyond is lost, and said. */
const maxUnsent = 20_000

/**
 * Writes what was counted, in batches; rejects where one is not taken, and keeps that and the following for the
 * next time. Calls at the same time are one. `unsent` counts the entries that the database did not take yet.
 */
export const createFlush = ({ drain, write, onLost }: FlushOptions) => {
  const unsent: AuditEvent[] = []
  let flight: Promise<void> | undefined

  /** Writes until fewer than `least` are left. Returns why a batch was not taken. */
  const writeDown = async (least: number): Promise<unknown> => {
    try {
      while (unsent.length >= least) {
        await write(unsent.slice(0, batchSize))
        unsent.splice(0, batchSize)
      }
      return undefined
    } catch (error) {
      return error
    }
  }
  const send = async () => {
    // What is left goes first. While the database does not take it, counts grow where they are.
    let failure = await writeDown(1)
    if (failure !== undefined) throw failure
    let lost = 0
    // None is made before those before it are written or given up: a busy minute has more than memory should hold.
    for await (const events of drain()) {
      unsent.push(...events)
      failure ??= await writeDown(batchSize)
      lost += unsent.splice(maxUnsent).length
    }
    failure ??= await writeDown(1)
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
