import { performance } from 'node:perf_hooks'
import type { Deps } from '../../plugins/deps.ts'
import { createChangeSource } from '../cache/changes.ts'
import { createFence } from '../cache/fence.ts'
import { createFreshnessCheck, createLeaseClock } from '../cache/freshness.ts'
import { createPoller, type Poller } from '../cache/poller.ts'
import type { Config } from '../config/config.ts'
import { createSecrets } from '../config/secrets.ts'
import type { StatementEnd } from '../db/connect.ts'
import { listPendingMigrations } from '../db/migrate.ts'
import { readerRole } from '../db/roles.ts'
import type { Db } from '../db/schema.ts'
import { UnfitConnection } from '../db/session-check.ts'
import { regainTrust } from '../db/trust.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { features } from '../features.ts'
import { loadSigningKeys } from '../identity/signing-keys.ts'
import type { LocalDatabase } from '../local/local-database.ts'
import { openSecretKeys } from '../local/secret-keys.ts'
import type { Log } from './log.ts'
import { openPools, type Pools } from './pools.ts'
import { untilReachable } from './until-reachable.ts'

const insufficientPrivilege = '42501'

const explainUnreadable = (cause: unknown): unknown => {
  if (isUnreachable(cause)) return cause
  if (cause instanceof UnfitConnection) return cause
  const isForbidden = (cause as { code?: unknown }).code === insufficientPrivilege
  const advice = isForbidden
    ? `the login of DATABASE_URL may not: \`grant ${readerRole} to <login>\``
    : 'run `npx --no certdata migrate` first'
  return new Error(`The schema cannot be read: ${advice}`, { cause })
}

/** Rejects with the command to run if the schema is old or unreadable, but unchanged if it is unreachable. */
export const requireCurrentSchema = async (db: Db): Promise<void> => {
  const pending = await listPendingMigrations(db).catch((error: unknown) => {
    throw explainUnreadable(error)
  })
  if (pending.length > 0) {
    throw new Error(`The schema lacks ${pending.join(', ')}: run \`npx --no certdata migrate\` first`)
  }
}

type StoreDeps = Pick<Deps, 'shared' | 'freshness' | 'limitStore' | 'secrets' | 'signingKeys' | 'ping'>

export type Stores = StoreDeps &
  Pick<Pools, 'db' | 'reserved' | 'replica' | 'exportSource'> & {
    poller: Poller
    /** The bundled PostgreSQL, if no database is configured. */
    local: LocalDatabase | undefined
    pools: Pools['figures']
    close: () => Promise<void>
  }

type StoresOptions = {
  config: Config
  packageRoot: string
  log: Log
  signal: AbortSignal
  onStatement?: ((statement: StatementEnd) => void) | undefined
}

const openLocal = async (config: Config, packageRoot: string, log: Log): Promise<LocalDatabase> => {
  const { openLocalDatabase } = await import('../local/local-database.ts')
  return openLocalDatabase(config, packageRoot, log, features)
}

/** Waits for the database and opens Redis if configured. Rejects with the remedy if the database is unfit. */
export const openStores = async (options: StoresOptions): Promise<Stores> => {
  const { config, packageRoot, log, signal } = options
  const local = config.databaseUrl === undefined ? await openLocal(config, packageRoot, log) : undefined
  const url = local?.url ?? (config.databaseUrl as string)
  try {
    return await untilReachable(url, log, signal, () => openOn({ ...options, local, url }))
  } catch (error) {
    await local?.release()
    throw error
  }
}

const reportTrust = (trust: Awaited<ReturnType<typeof regainTrust>>, log: Log): void => {
  const { repaired, faults, ended } = trust
  for (const trigger of repaired)
    log.warn({ trigger }, 'the start has repaired a trigger that did not always fire')
  for (const fault of faults)
    log.warn({ fault }, 'changes may be missing: run `certdata migrate` after the repair')
  if (ended.length > 0)
    log.warn({ resources: ended }, 'all triggers are right: cached answers are trusted again')
}

type Opening = StoresOptions & { local: LocalDatabase | undefined; url: string }

const openOn = async (opening: Opening): Promise<Stores> => {
  const { config, packageRoot, log, local, url, onStatement } = opening
  const secretKeys = local?.secretKeys ?? openSecretKeys(config, packageRoot)
  const secrets = createSecrets(secretKeys)
  let isOpen = false
  // An uncaught error ends the process (app/main/end.ts); a second one would end it before the reason is
  // logged. Until all stores are open, the start rejects instead.
  const onUnfit = (error: Error) => {
    if (!isOpen) return
    isOpen = false
    process.nextTick(() => {
      throw error
    })
  }
  const pools = openPools({ config, log, url, onStatement, onUnfit })
  const { db, reserved, replica, exportSource } = pools
  const warn = (message: string, error?: Error) => log.warn({ reason: error?.message }, message)
  const fence = createFence()
  const { cacheTtlSeconds, staleMaxSeconds, redisUrl } = config
  const poller = createPoller({
    source: createChangeSource({ url, role: readerRole, reachSeconds: cacheTtlSeconds }),
    fence,
    clock: createLeaseClock(() => performance.now(), Date.now),
    warn,
  })
  let shared: Deps['shared']
  let limitStore: Deps['limitStore']
  const close = async () => {
    await poller.close()
    await shared?.close()
    await limitStore?.close()
    await pools.close()
  }
  try {
    await requireCurrentSchema(reserved)
    // The preparation of the bundled database has just checked the triggers.
    reportTrust(local?.trust ?? (await regainTrust(reserved)), log)
    await pools.checkConnections()
    await poller.start()
    const freshness = createFreshnessCheck(fence, poller, staleMaxSeconds * 1000)
    const signingKeys = await loadSigningKeys(reserved, secrets)
    if (redisUrl) {
      const { openRedisStores } = await import('./redis-stores.ts')
      const opened = openRedisStores({ url: redisUrl, config, secrets, fence, warn })
      shared = opened.shared
      limitStore = opened.limitStore
    }
    const ping = async () => {
      if (poller.isLeased()) return
      // A poll has a shorter timeout than a statement.
      if (!(await poller.confirm())) throw new Error('The database does not answer')
    }
    isOpen = true
    return {
      db,
      reserved,
      replica,
      exportSource,
      pools: pools.figures,
      shared,
      freshness,
      poller,
      limitStore,
      secrets,
      signingKeys,
      local,
      ping,
      async close() {
        await close()
        await local?.release()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
