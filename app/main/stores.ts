import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { createChangeSource } from '../cache/changes.ts'
import { createFence } from '../cache/fence.ts'
import { createJudge, type Judge } from '../cache/freshness.ts'
import { createLeaseClock } from '../cache/lease.ts'
import { createPoller, type Poller } from '../cache/poller.ts'
import { createRedisCache, type SharedCache } from '../cache/redis.ts'
import type { Config } from '../config/config.ts'
import { createSecrets, type Secrets } from '../config/secrets.ts'
import { createDb, createPool, queueOf, readerRole, type StatementEnd } from '../db/connect.ts'
import { listPendingMigrations } from '../db/migrate.ts'
import type { Db } from '../db/schema.ts'
import { findServingRole } from '../db/serving-role.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { UnfitConnection } from '../db/wall.ts'
import { createExportSource, type ExportSource } from '../export/source.ts'
import { loadSigningKeys, type SigningKeys } from '../identity/signing-keys.ts'
import { createRedisLimits } from '../limits/redis.ts'
import type { SlotStore } from '../limits/slots.ts'
import type { LimitStore } from '../limits/store.ts'
import type { LocalDatabase } from '../local/local-database.ts'
import { openSecretKeys } from '../local/secret-keys.ts'
import type { PoolFigures } from '../observe/service-metrics.ts'
import { after } from '../overload/timer.ts'

export type Log = {
  info(message: string): void
  warn(details: object, message: string): void
}

export type Stores = {
  /** Connections that read data for customers. */
  db: Db
  /** Connections for logins, facts about keys and customers, revocations and the audit trail. */
  reserved: Db
  replica: Db | undefined
  /** Connections for exports. */
  exportSource: ExportSource
  shared: SharedCache | undefined
  judge: Judge
  poller: Poller
  limitStore: (LimitStore & SlotStore) | undefined
  secrets: Secrets
  signingKeys: SigningKeys
  /** Set where nothing is configured and the bundled PostgreSQL serves. */
  local: LocalDatabase | undefined
  ping: () => Promise<void>
  /** Connections, by what they are for. */
  pools: () => Readonly<Record<string, PoolFigures>>
  close: () => Promise<void>
}

/** Data requests never use these, so that logins and revocations work however much is read. */
const reservedConnections = 3
/** Logins take turns by address and leave one connection to all else. */
const loginTurns = reservedConnections - 1

/** Between attempts to reach the database at start. */
const retryMs = 1_000

/** Host, port and database, without the login; a socket's URL has no host to show. */
const describeAddress = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed?.hostname ? `${parsed.host}${parsed.pathname}` : 'its socket'
}

/** Its code is loaded only where it serves: no instance needs it that is given a database. */
const openLocal = async (config: Config, packageRoot: string, log: Log): Promise<LocalDatabase> => {
  const { openLocalDatabase } = await import('../local/local-database.ts')
  return openLocalDatabase(config, packageRoot, log)
}

/** Tries `open` until the database can be asked for all of it. `signal` ends it. Other errors are thrown. */
const untilReachable = async <T>(
  url: string,
  log: Log,
  signal: AbortSignal,
  open: () => Promise<T>,
): Promise<T> => {
  let wasReported = false
  for (;;) {
    try {
      const opened = await open()
      if (wasReported) log.info('PostgreSQL answers')
      return opened
    } catch (error) {
      if (!isUnreachable(error)) throw error
      const reason = error instanceof Error ? error.message || error.name : String(error)
      const where = describeAddress(url)
      if (!wasReported) {
        const every = `${retryMs / 1000} s`
        log.warn(
          { reason },
          `PostgreSQL at ${where} (DATABASE_URL) does not answer: trying again every ${every}`,
        )
      }
      wasReported = true
      await delay(retryMs, undefined, { signal })
    }
  }
}

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

/** PostgreSQL's word for a login that may not take the role that its connection asks for. */
const insufficientPrivilege = '42501'

const explainUnreadable = (cause: unknown): unknown => {
  if (isUnreachable(cause)) return cause
  if (cause instanceof UnfitConnection) return cause
  const isForbidden = (cause as { code?: unknown }).code === insufficientPrivilege
  const advice = isForbidden
    ? `the login of DATABASE_URL may not: \`grant ${readerRole} to <login>\``
    : 'run `npx certdata migrate` first'
  return new Error(`The schema cannot be read: ${advice}`, { cause })
}

const requireCurrentSchema = async (db: Db): Promise<void> => {
  const pending = await listPendingMigrations(db).catch((error: unknown) => {
    throw explainUnreadable(error)
  })
  if (pending.length > 0) {
    throw new Error(`The schema lacks ${pending.join(', ')}: run \`npx certdata migrate\` first`)
  }
}

type Pool = ReturnType<typeof createPool>

/** Opens a connection of each serving pool, which is then judged. A standby may be away. */
const requireFit = async (pools: readonly Pool[], standby: Pool | undefined): Promise<void> => {
  const judge = async (pool: Pool) => (await pool.connect()).release()
  await Promise.all(pools.map(judge))
  await (standby && judge(standby))?.catch((error: unknown) => {
    if (error instanceof UnfitConnection) throw error
  })
}

/**
 * Opens what the service reads from: the configured database, or the bundled one made ready; Redis where
 * configured. Waits for a database that is not there yet. Throws with what to do where it is there and
 * not fit: schema not current, signing key sealed with another SECRET_KEY. `onStatement`: told of each statement.
 */
export const openStores = async (
  config: Config,
  packageRoot: string,
  log: Log,
  signal: AbortSignal,
  onStatement?: (statement: StatementEnd) => void,
): Promise<Stores> => {
  const local = config.databaseUrl === undefined ? await openLocal(config, packageRoot, log) : undefined
  const url = local?.url ?? (config.databaseUrl as string)
  try {
    return await untilReachable(url, log, signal, () =>
      openOn({ config, packageRoot, log, local, url, onStatement }),
    )
  } catch (error) {
    await local?.release()
    throw error
  }
}

type Opening = {
  config: Config
  packageRoot: string
  log: Log
  local: LocalDatabase | undefined
  url: string
  onStatement: ((statement: StatementEnd) => void) | undefined
}

/** Opens all stores, or none. */
const openOn = async (opening: Opening): Promise<Stores> => {
  const { config, packageRoot, log, local, url, onStatement } = opening
  const secretKeys = local?.secretKeys ?? openSecretKeys(config, packageRoot)
  const secrets = createSecrets(secretKeys)
  const role = await findServingRole(url)
  let isOpen = false
  const wallOf = (variable: string) => ({
    variable,
    onUnfit: (error: Error) => {
      // Nobody catches it, which ends the process in order (app/main/end.ts). Until all is open, the start throws it.
      if (isOpen)
        process.nextTick(() => {
          throw error
        })
    },
  })
  const open = (at: string, max: number, variable = 'DATABASE_URL') =>
    createPool(at, {
      ...(role === undefined ? {} : { role }),
      max,
      wall: wallOf(variable),
      applicationName: 'certdata',
      prepares: config.databasePrepared,
      onError: (error) => log.warn({ reason: error.message }, 'an idle database connection was lost'),
    })
  const { databasePool, queueMs: longestWaitMs } = config
  const primaryPool = open(url, databasePool)
  const db = createDb(primaryPool, { onStatement, longestWaitMs })
  const reservedPool = open(url, reservedConnections)
  const reserved = createDb(reservedPool, { onStatement, longestWaitMs, turns: loginTurns })
  const replicaUrl = config.databaseReplicaUrl
  const { pool: max, ...limits } = config.exports
  const exportPool = createPool(url, {
    ...(role === undefined ? {} : { role }),
    ...{ max, applicationName: 'certdata exports', isStreaming: true, statementTimeoutMs: limits.totalMs },
    wall: wallOf('DATABASE_URL'),
    onError: (error) => log.warn({ reason: error.message }, 'an idle export connection was lost'),
  })
  const exportSource = createExportSource({ pool: exportPool, max, ...limits })
  const replicaPool =
    replicaUrl === undefined ? undefined : open(replicaUrl, databasePool, 'DATABASE_REPLICA_URL')
  const replica = replicaPool && createDb(replicaPool, { onStatement, longestWaitMs })
  const pools = () => ({
    primary: describePool(primaryPool, databasePool, queueOf(db)),
    reserved: describePool(reservedPool, reservedConnections, queueOf(reserved)),
    exports: describePool(exportPool, max),
    ...(replicaPool && replica ? { replica: describePool(replicaPool, databasePool, queueOf(replica)) } : {}),
  })
  const monotonicNow = () => performance.now()
  const fence = createFence()
  const { cacheTtlSeconds, staleMaxSeconds } = config
  const poller = createPoller({
    source: createChangeSource({ url, role, reachSeconds: cacheTtlSeconds }),
    fence,
    clock: createLeaseClock(monotonicNow, Date.now),
    warn: (message, error) => log.warn({ reason: error?.message }, message),
  })
  const warn = (message: string, error?: Error) => log.warn({ reason: error?.message }, message)
  const epoch = () => fence.last?.epoch ?? ''
  let shared: SharedCache | undefined
  let limitStore: (LimitStore & SlotStore) | undefined
  const closeAll = async () => {
    await poller.close()
    await shared?.close()
    await limitStore?.close()
    await db.destroy()
    await reserved.destroy()
    await exportPool.end()
    await replica?.destroy()
  }
  const close = async () => {
    await closeAll()
    await local?.release()
  }
  try {
    await requireCurrentSchema(reserved)
    await requireFit([primaryPool, exportPool], replicaPool)
    await poller.start()
    const judge = createJudge(fence, poller, staleMaxSeconds * 1000)
    const signingKeys = await loadSigningKeys(reserved, secrets)
    if (config.redisUrl)
      shared = createRedisCache({ url: config.redisUrl, secrets, epoch, ttlSeconds: cacheTtlSeconds, warn })
    if (config.redisUrl) limitStore = createRedisLimits({ url: config.redisUrl, after, warn })
    const ping = async () => {
      if (poller.isLeased()) return
      // Bounded, where a statement of ours would wait as long as a server that hangs.
      if (!(await poller.confirm())) throw new Error('The database does not answer')
    }
    isOpen = true
    return {
      db,
      reserved,
      replica,
      exportSource,
      shared,
      judge,
      poller,
      limitStore,
      secrets,
      signingKeys,
      local,
      ping,
      pools,
      close,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}
