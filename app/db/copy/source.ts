import type { Pool, PoolClient } from 'pg'
import { ApiError } from '../../errors.ts'
import type { Sql } from '../../export/column.ts'
import { type ExportLimits, type ExportSession, openSession } from './session.ts'

export type ExportSource = {
  /**
   * Begins to read as a customer. The first statement takes the snapshot; its one row is told. Rejects with
   * unavailable where no connection is left for exports, and with the driver's errors.
   */
  open<First>(customerId: string, first: Sql): Promise<ExportSession<First>>
  /** Connections in use. */
  readonly running: number
}

export type ExportSourceOptions = ExportLimits & {
  /** Connections of the serving role, for nothing else. */
  pool: Pick<Pool, 'connect'>
  /** Exports that may run at once: each holds a connection. */
  max: number
}

const retryAfterSeconds = '5'

/**
 * Reads for exports on connections of their own, so that they never take one from a request. What is read goes
 * from PostgreSQL's `COPY` to the client's socket with nothing kept between.
 */
export const createExportSource = ({ pool, max, ...limits }: ExportSourceOptions): ExportSource => {
  let running = 0

  const connect = async (): Promise<PoolClient> => {
    if (running >= max) throw new ApiError('unavailable', { headers: { 'retry-after': retryAfterSeconds } })
    running += 1
    try {
      return await pool.connect()
    } catch (error) {
      running -= 1
      throw error
    }
  }

  return {
    get running() {
      return running
    },
    async open(customerId, first) {
      const client = await connect()
      return openSession(client, customerId, first, limits, (isBroken) => {
        running -= 1
        client.release(isBroken)
      })
    },
  }
}
