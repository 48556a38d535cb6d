import type { Pool, PoolClient } from 'pg'
import { unavailable } from '../errors.ts'
import { demoCustomerId } from '../identity/principal.ts'
import { refuseQuota } from '../limits/meters.ts'
import type { Sql } from '../records/sql/column.ts'
import { type ExportLimits, type ExportSession, openSession } from './session.ts'

export type ExportSource = {
  /**
   * Begins to read as a customer. The first statement takes the snapshot; its one row is returned. `isBrief`:
   * only that row is read, so that it does not count as one of the customer's exports. Rejects with
   * quota_exceeded where the customer has its share of the connections, with unavailable where none is left,
   * and with the driver's errors.
   */
  open<First>(customerId: string, first: Sql, isBrief?: boolean): Promise<ExportSession<First>>
  /** Connections in use. */
  readonly running: number
}

export type ExportSourceOptions = ExportLimits & {
  /** Connections of the serving role, for nothing else. */
  pool: Pick<Pool, 'connect'>
  /** Exports that may run at once: each holds a connection. */
  max: number
}

const retryAfterSeconds = 5

/** Half of the connections, and at least one. The demo has one, however many visitors share it. */
const shareOf = (customerId: string, max: number): number =>
  customerId === demoCustomerId ? 1 : Math.max(1, Math.floor(max / 2))

/** Reads for exports on separate connections, so that an export never takes one from a request. */
export const createExportSource = ({ pool, max, ...limits }: ExportSourceOptions): ExportSource => {
  let running = 0
  const held = new Map<string, number>()

  const count = (customerId: string, by: number): void => {
    running += by
    const own = (held.get(customerId) ?? 0) + by
    if (own > 0) held.set(customerId, own)
    else held.delete(customerId)
  }

  const connect = async (customerId: string, isBrief: boolean): Promise<PoolClient> => {
    if (!isBrief && (held.get(customerId) ?? 0) >= shareOf(customerId, max)) {
      throw refuseQuota({ violated: ['exports'], retryAfterSeconds })
    }
    if (running >= max) {
      throw unavailable(retryAfterSeconds)
    }
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
    async open(customerId, first, isBrief = false) {
      const client = await connect(customerId, isBrief)
      return openSession(client, customerId, first, limits, (isBroken) => {
        count(customerId, -1)
        client.release(isBroken)
      })
    },
  }
}
