import type { AuditEvent } from './record.ts'

type FlushOptions = {
  drain: () => Iterable<readonly AuditEvent[]>
  /** Atomic: writes all events or none. */
  write: (events: readonly AuditEvent[]) => Promise<void>
  onLost: (count: number) => void
}

const batchSize = 200
/** Events kept while the database is unavailable: about 20 MB. More are dropped and passed to `onLost` as a number. */
const maxUnsent = 20_000

/** The returned function rejects if a write fails; the next call tries again. Concurrent calls share one run. */
export const createFlush = ({ drain, write, onLost }: FlushOptions) => {
  const unsent: AuditEvent[] = []
  let flight: Promise<void> | undefined

  /** Returns the error of a failed write. */
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
    // If this fails, nothing is drained: counters take less memory than events.
    let failure = await writeDown(1)
    if (failure !== undefined) throw failure
    let lost = 0
    // Batch by batch, because a busy minute has more events than memory should hold.
    for (const events of drain()) {
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
