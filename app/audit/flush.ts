import type { AuditEvent } from './record.ts'

type FlushOptions = {
  drain: () => Iterable<readonly AuditEvent[]>
  /** Atomic: writes all events or none. */
  write: (events: readonly AuditEvent[]) => Promise<void>
  onLost: (count: number) => void
}

const batchSize = 200
/** Events kept after a failed write, about 20 MB. Later ones of `drain` are dropped; `onLost` counts them. */
const maxUnsent = 20_000

/** The returned function rejects if a write fails; the next call tries again. Concurrent calls share one run. */
export const createFlush = ({ drain, write, onLost }: FlushOptions) => {
  const unsent: AuditEvent[] = []
  let running: Promise<void> | undefined

  const writeBatches = async (least: number): Promise<void> => {
    while (unsent.length >= least) {
      await write(unsent.slice(0, batchSize))
      unsent.splice(0, batchSize)
    }
  }
  const send = async () => {
    // If this fails, nothing is drained: counters take less memory than events.
    await writeBatches(1)
    let failure: unknown
    let lost = 0
    // Batch by batch, because a busy minute has more events than memory should hold.
    for (const events of drain()) {
      unsent.push(...events)
      if (failure === undefined) {
        await writeBatches(batchSize).catch((error: unknown) => {
          failure = error
        })
      }
      lost += unsent.splice(maxUnsent).length
    }
    if (lost > 0) onLost(lost)
    if (failure !== undefined) throw failure
    await writeBatches(1)
  }
  const flush = () => {
    running ??= send().finally(() => {
      running = undefined
    })
    return running
  }
  return Object.assign(flush, { unsent: () => unsent.length })
}
