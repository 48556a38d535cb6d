import type { AuditEvent } from './record.ts'

type FlushOptions = {
  drain: () => Iterable<readonly AuditEvent[]>
  /** Writes all entries or none. */
  write: (events: readonly AuditEvent[]) => Promise<void>
  /** Called with the number of entries that were given up. */
  onLost: (count: number) => void
}

const batchSize = 200
/** Entries kept while the database is unavailable: about 20 MB. More are dropped and reported. */
const maxUnsent = 20_000

/**
 * Creates a function that writes the counted entries in batches. It keeps unsent entries for the next call if
 * a write fails, and rejects. Concurrent calls share one run.
 */
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
    // The rest of the last run first. If that fails, drain nothing: the counters keep counting.
    let failure = await writeDown(1)
    if (failure !== undefined) throw failure
    let lost = 0
    // Created batch by batch: a busy minute has more entries than memory should hold.
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
