import type { Pool } from 'pg'
import { unavailable } from '../errors.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { toQuotaError } from '../limits/meters.ts'
import type { Sql } from '../records/sql/column.ts'
import { type ExportLimits, type ExportSession, openSession } from './session.ts'

export type ExportSource = {
  /**
   * Opens a session, see `openSession`. If no connection is free, cuts the slowest client below 64 KiB/s. Rejects
   * with quota_exceeded if the customer has its share, unavailable if all are in use, or the driver's errors.
   */
  open<First>(customerId: string, first: Sql): Promise<ExportSession<First>>
  readonly running: number
}

export type ExportSourceOptions = ExportLimits & {
  pool: Pick<Pool, 'connect'>
  max: number
}

const retryAfterSeconds = 5
/** Before compression. A client below this rate is cut when another export needs its connection. */
const slowBytesPerSecond = 64 * 1024

/** All visitors of the demo share one connection. */
const getShare = (customerId: string, max: number): number =>
  customerId === demoCustomerId ? 1 : Math.max(1, Math.floor(max / 2))

/** `session`: `undefined` while it is opened. */
type Slot = { customerId: string; session?: ExportSession<unknown> }

/** Creates the source of sessions. Its connections are separate, so that exports take none from requests. */
export const createExportSource = ({ pool, max, ...limits }: ExportSourceOptions): ExportSource => {
  const slots = new Set<Slot>()

  const hasShare = (customerId: string): boolean => {
    const own = [...slots].filter((slot) => slot.customerId === customerId)
    return own.length >= getShare(customerId, max)
  }
  const cutSlowest = (isCandidate: (slot: Slot) => boolean = () => true): void => {
    let slowest: ExportSession<unknown> | undefined
    let least = slowBytesPerSecond
    for (const slot of slots) {
      const pace = slot.session?.getPace()
      if (pace === undefined || pace >= least || !isCandidate(slot)) continue
      slowest = slot.session
      least = pace
    }
    slowest?.cut(`another one needs its connection, and the client read ${Math.round(least / 1024)} KiB/s`)
  }
  const take = (customerId: string): Slot => {
    // A slow visitor of the demo must not block the others.
    if (customerId === demoCustomerId && hasShare(customerId))
      cutSlowest((slot) => slot.customerId === customerId)
    if (hasShare(customerId)) throw toQuotaError({ violated: ['exports'], retryAfterSeconds })
    if (slots.size >= max) cutSlowest()
    if (slots.size >= max) throw unavailable(retryAfterSeconds)
    const slot = { customerId }
    slots.add(slot)
    return slot
  }

  return {
    get running() {
      return slots.size
    },
    async open<First>(customerId: string, first: Sql) {
      const slot = take(customerId)
      const client = await pool.connect().catch((error) => {
        slots.delete(slot)
        throw error
      })
      const release = (isBroken: boolean) => {
        slots.delete(slot)
        client.release(isBroken)
      }
      const session = await openSession<First>({ client, customerId, limits, release }, first)
      slot.session = session
      return session
    },
  }
}
