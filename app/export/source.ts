import type { Pool, PoolClient } from 'pg'
import { unavailable } from '../errors.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { refuseQuota } from '../limits/meters.ts'
import type { Sql } from '../records/sql/column.ts'
import { type ExportLimits, type ExportSession, openSession } from './session.ts'

export type ExportSource = {
  /**
   * Opens a session; `first` takes the snapshot and returns one row. If no
   * connection is free, cuts the slowest reader below 64 KiB/s. Rejects with quota_exceeded if the customer
   * has its share of the connections, with unavailable if all are in use, or with the driver's errors.
   */
  open<First>(customerId: string, first: Sql): Promise<ExportSession<First>>
  readonly running: number
}

export type ExportSourceOptions = ExportLimits & {
  pool: Pick<Pool, 'connect'>
  max: number
}

const retryAfterSeconds = 5
/** A reader below this rate, before compression, is cut when another export needs its connection. */
const slowBytesPerSecond = 64 * 1024

/** Half of the connections, and at least one. All visitors of the demo share one. */
const getShare = (customerId: string, max: number): number =>
  customerId === demoCustomerId ? 1 : Math.max(1, Math.floor(max / 2))

/** Reads for exports on separate connections, so that an export never takes one from a request. */
export const createExportSource = ({ pool, max, ...limits }: ExportSourceOptions): ExportSource => {
  let running = 0
  const held = new Map<string, number>()
  const sessions = new Map<ExportSession<unknown>, string>()

  const count = (customerId: string, by: number): void => {
    running += by
    const own = (held.get(customerId) ?? 0) + by
    if (own > 0) held.set(customerId, own)
    else held.delete(customerId)
  }

  const cutSlowest = (customerId?: string): void => {
    let slowest: ExportSession<unknown> | undefined
    let least = slowBytesPerSecond
    for (const [session, owner] of sessions) {
      const pace = session.pace() ?? Number.POSITIVE_INFINITY
      if (pace >= least || (customerId ?? owner) !== owner) continue
      slowest = session
      least = pace
    }
    slowest?.cut(`another one needs its connection, and the client read ${Math.round(least / 1024)} KiB/s`)
  }

  const connect = async (customerId: string): Promise<PoolClient> => {
    const hasShare = () => (held.get(customerId) ?? 0) >= getShare(customerId, max)
    // The demo's visitors are many clients, so a slow one must not block the rest.
    if (hasShare() && customerId === demoCustomerId) cutSlowest(customerId)
    if (hasShare()) throw refuseQuota({ violated: ['exports'], retryAfterSeconds })
    if (running >= max) cutSlowest()
    if (running >= max) throw unavailable(retryAfterSeconds)
    count(customerId, 1)
    try {
      return await pool.connect()
    } catch (error) {
      count(customerId, -1)
      throw error
    }
  }

  return {
    get running() {
      return running
    },
    async open<First>(customerId: string, first: Sql) {
      const client = await connect(customerId)
      let end = () => {}
      const session = await openSession<First>(client, customerId, first, limits, (isBroken) => {
        count(customerId, -1)
        client.release(isBroken)
        end()
      })
      sessions.set(session, customerId)
      end = () => sessions.delete(session)
      return session
    },
  }
}
