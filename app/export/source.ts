import type { Pool, PoolClient } from 'pg'
import { unavailable } from '../errors.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { refuseQuota } from '../limits/meters.ts'
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

/** Creates the source of sessions. Its connections are separate, so that exports take none from requests. */
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
    // A slow visitor of the demo must not block the others.
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
