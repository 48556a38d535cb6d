import type { Config } from '../config/config.ts'
import { createDb, createPool, type QueuedDb, type StatementEnd } from '../db/connect.ts'
import { readerRole } from '../db/roles.ts'
import { UnfitConnection } from '../db/session-check.ts'
import { createExportSource, type ExportSource } from '../export/source.ts'
import type { PoolFigures } from '../observe/service-metrics.ts'
import type { Log } from './log.ts'

export type Pools = {
  db: QueuedDb
  /** For logins, rights, the audit trail, status, background work and features. Data requests never use it. */
  reserved: QueuedDb
  replica: QueuedDb | undefined
  exportSource: ExportSource
  figures: () => Readonly<Record<string, PoolFigures>>
  /** Checks a connection of each pool but `reserved`, or rejects. Ignores an unreachable standby. */
  checkConnections: () => Promise<void>
  close: () => Promise<void>
}

type PoolsOptions = {
  config: Config
  log: Log
  url: string
  onStatement: ((statement: StatementEnd) => void) | undefined
  onUnfit: (error: Error) => void
}

const reservedConnections = 3
/** A new connection takes three round trips, or seven with TLS and a password. */
const minIdle = 2
/** Logins leave one connection for other uses. */
const loginTurns = reservedConnections - 1

type PoolCounts = { totalCount: number; idleCount: number; waitingCount: number }

const describePool = (
  { totalCount, idleCount, waitingCount }: PoolCounts,
  max: number,
  queue = { waiting: 0, refused: 0 },
): PoolFigures => ({
  open: totalCount,
  idle: idleCount,
  waiting: waitingCount + queue.waiting,
  refused: queue.refused,
  max,
})

type Pool = ReturnType<typeof createPool>

const connectOnce = async (pool: Pool) => (await pool.connect()).release()

/** Creates the connection pools. */
export const openPools = ({ config, log, url, onStatement, onUnfit }: PoolsOptions): Pools => {
  const {
    databasePool,
    databaseReplicaUrl: replicaUrl,
    databasePrepared: prepares,
    queueMs: longestWaitMs,
  } = config
  const { pool: max, ...limits } = config.exports
  // The end of a pool does not wait until its connections are closed, and the bundled database stops next.
  let isClosing = false
  const common = (variable: string, use: string) => ({
    role: readerRole,
    serving: { variable, onUnfit },
    warn: (message: string) => log.warn({ use }, message),
    onError: (error: Error) => {
      if (!isClosing) log.warn({ reason: error.message }, `an idle ${use} connection was lost`)
    },
  })
  const open = (at: string, size: number, variable = 'DATABASE_URL') =>
    createPool(at, {
      ...common(variable, 'database'),
      max: size,
      minIdle,
      applicationName: 'certdata',
    })
  const primaryPool = open(url, databasePool)
  const db = createDb(primaryPool, { onStatement, longestWaitMs, prepares })
  const reservedPool = open(url, reservedConnections)
  const reserved = createDb(reservedPool, { onStatement, longestWaitMs, turns: loginTurns })
  const exportPool = createPool(url, {
    ...common('DATABASE_URL', 'export'),
    max,
    applicationName: 'certdata exports',
    isStreaming: true,
    statementTimeoutMs: limits.totalMs,
  })
  const standby =
    replicaUrl === undefined ? undefined : open(replicaUrl, databasePool, 'DATABASE_REPLICA_URL')
  const replica = standby && createDb(standby, { onStatement, longestWaitMs, prepares })
  return {
    db,
    reserved,
    replica,
    exportSource: createExportSource({ pool: exportPool, max, ...limits }),
    figures: () => ({
      primary: describePool(primaryPool, databasePool, db.queue),
      reserved: describePool(reservedPool, reservedConnections, reserved.queue),
      exports: describePool(exportPool, max),
      ...(standby && replica ? { replica: describePool(standby, databasePool, replica.queue) } : {}),
    }),
    async checkConnections() {
      await Promise.all([primaryPool, exportPool].map(connectOnce))
      await (standby && connectOnce(standby))?.catch((error: unknown) => {
        if (error instanceof UnfitConnection) throw error
      })
    },
    async close() {
      isClosing = true
      await db.destroy()
      await reserved.destroy()
      await exportPool.end()
      await replica?.destroy()
    },
  }
}
