import type { AuditEvent } from './record.ts'

export type FlushOptions = {
  /** What was counted since the last time. */
  drain: () => AuditEvent[]
  /** Writes some entries, all or none. */
  write: (events: readonly AuditEvent[]) => Promise<void>
  /** Told how many entries were given up. */
  onLost: (count: number) => void
}

export type Flush = (() => Promise<void>) & {
  /** Entries that the database did not take yet. */
  unsent(): number
}

const batchSize = 1_000
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
    const events = unsent.concat(drain())
    unsent = []
    let sent = 0
    try {
      for (; sent < events.length; sent += batchSize) await write(events.slice(sent, sent + batchSize))
    } catch (error) {
      unsent = events.slice(sent, sent + maxUnsent)
      const lost = events.length - sent - unsent.length
      if (lost > 0) onLost(lost)
      throw error
    }
  }
  const flush = () => {
    flight ??= send().finally(() => {
      flight = undefined
    })
    return flight
  }
  return Object.assign(flush, { unsent: () => unsent.length })
}
