import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Test } from 'tap'
import { createChangeSource } from '../app/cache/changes.ts'
import { createFence } from '../app/cache/fence.ts'
import { createFreshnessCheck, createLeaseClock, type FreshnessCheck } from '../app/cache/freshness.ts'
import { createPoller, type Poller } from '../app/cache/poller.ts'
import type { SharedCache } from '../app/cache/redis.ts'
import { parseConfig } from '../app/config/config.ts'
import { createSecrets } from '../app/config/secrets.ts'
import { variables } from '../app/config/variables.ts'
import { createDb, createPool, operatorRole, type QueuedDb, readerRole } from '../app/db/connect.ts'
import { migrate } from '../app/db/migrate.ts'
import type { Db, Plan } from '../app/db/schema.ts'
import { createExportSource, type ExportSource } from '../app/export/source.ts'
import { createApiKey } from '../app/identity/api-keys.ts'
import { ensureSigningKeys } from '../app/identity/key-rotation.ts'
import { loadSigningKeys } from '../app/identity/signing-keys.ts'
import type { LimitStore, SlotStore } from '../app/limits/store.ts'
import type { LogStream } from '../app/observe/log-stream.ts'
import { freePort, testPostgres } from './servers.ts'

export const publicUrl = 'http://api.test'
export const secretKey = 'a secret of the tests that is longer than thirty-two characters'

export type TestDatabase = {
  url: string
  /** Sees and changes the rows of every customer. */
  operator: QueuedDb
  /** The serving role. */
  reader: QueuedDb
  /** The serving role, for queries that data requests must not delay. */
  reserved: QueuedDb
  exportSource: ExportSource
  close(): Promise<void>
}

const ignore = () => {}
/** Longer than any test. */
const patientMs = 60_000

const connect = (
  url: string,
  role: string | undefined,
  {
    max = 4,
    turns = max,
    longestWaitMs = patientMs,
  }: { max?: number; turns?: number; longestWaitMs?: number } = {},
) => {
  // As in production: only the service's statements have a timeout.
  const patience = role === readerRole ? {} : { statementTimeoutMs: 0 }
  const options = { ...(role ? { role } : {}), ...patience, max, applicationName: 'test', onError: ignore }
  return createDb(createPool(url, options), { turns, longestWaitMs })
}

const exportPool = (url: string, totalMs: number, max: number) =>
  createPool(url, {
    role: readerRole,
    max,
    applicationName: 'test exports',
    onError: ignore,
    isStreaming: true,
    statementTimeoutMs: totalMs,
  })

/** By default, these exports never time out. */
export const createTestExports = (
  url: string,
  { idleMs = patientMs, max = 8, ...clock }: { idleMs?: number; max?: number; now?: () => number } = {},
) => {
  const pool = exportPool(url, patientMs, max)
  const source = createExportSource({ pool, max, idleMs, totalMs: patientMs, ...clock })
  return { source, close: () => pool.end() }
}

/**
 * A new database with the current schema and a signing key. `longestWaitMs`: of the queue for connections. By default
 * it refuses no request, even on a busy machine.
 */
export const createTestDatabase = async ({ longestWaitMs = patientMs } = {}): Promise<TestDatabase> => {
  const asOwner = async (url: string, act: (owner: Db) => Promise<unknown>) => {
    const owner = connect(url, undefined, { max: 1 })
    await act(owner)
    await owner.destroy()
  }
  const server = await testPostgres((url) =>
    asOwner(url, async (owner) => {
      await migrate(owner)
      await ensureSigningKeys(owner, createSecrets([secretKey]))
    }),
  )
  // Otherwise the copy of the template looks like a restored backup, and would empty its change log.
  await asOwner(server.url, (owner) =>
    sql`update change_state set identity = change_identity()`.execute(owner),
  )
  const operator = connect(server.url, operatorRole)
  const reader = connect(server.url, readerRole, { longestWaitMs })
  // As in production, queued work leaves one connection free.
  const reserved = connect(server.url, readerRole, { max: 3, turns: 2, longestWaitMs })
  const exports = createTestExports(server.url)
  const close = async () => {
    await exports.close()
    await operator.destroy()
    await reader.destroy()
    await reserved.destroy()
    await server.stop()
  }
  return { url: server.url, operator, reader, reserved, exportSource: exports.source, close }
}

/** The owner of the database. The caller destroys the connections. */
export const connectOwner = ({ url }: Pick<TestDatabase, 'url'>, max = 1): QueuedDb =>
  connect(url, undefined, { max })

/**
 * Returns SQL that runs a statement without the triggers of a table. Afterwards they fire always again, as the migrations
 * set them: with a plain `enable trigger`, the service would soon distrust the table.
 */
export const withoutTriggers = (table: string, statement: string): string => `
  alter table ${table} disable trigger all;
  ${statement};
  alter table ${table} enable trigger all;
  do $$ declare trigger_name name; begin
    for trigger_name in select tgname from pg_trigger where tgrelid = '${table}'::regclass and not tgisinternal loop
      execute format('alter table ${table} enable always trigger %I', trigger_name);
    end loop;
  end $$`

/** Closes these one after the other when the test ends. */
export const closeAfter = (
  test: Pick<Test, 'teardown'>,
  ...parts: ({ close(): Promise<unknown> } | { destroy(): Promise<unknown> })[]
): void =>
  test.teardown(async () => {
    for (const part of parts) await ('close' in part ? part.close() : part.destroy())
  })

/** Makes reads of products wait until the returned function is called. */
export const lockProducts = async ({ operator }: Pick<TestDatabase, 'operator'>) => {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const held = operator.transaction().execute(async (transaction) => {
    await sql`lock table products in access exclusive mode`.execute(transaction)
    locked.resolve()
    await released.promise
  })
  // `held` rejects if the table cannot be locked.
  await Promise.race([locked.promise, held])
  return async (): Promise<void> => {
    released.resolve()
    await held
  }
}

export type TestClock = {
  /** Added to every clock of the service. */
  offsetMs: number
  /** Stops the monotonic clock, except for the offset, so that all requests of a test count in one window. */
  isStopped?: boolean
  /** Added to the wall clock of the instance only, as if its clock had been set. */
  stepMs?: number
}

export type TestAppOptions = {
  env?: Record<string, string>
  shared?: SharedCache
  limitStore?: LimitStore & SlotStore
  /** Replaces the fence of the database. Closed with the app. */
  polls?: Polls
  clock?: TestClock
  /** Issuer and audience of tokens. Defaults to `publicUrl`. */
  origin?: string
  isDraining?: () => boolean
  /** The service measures its availability from then on. By default it does not. */
  started?: Promise<void>
  logStream?: LogStream
  /** Timeout of a poll of the change log. By default it never times out. */
  pollMs?: number
  /** Defaults to the lease of production. */
  leaseMs?: number
  wrapExports?: (pool: pg.Pool) => Pick<pg.Pool, 'connect'>
}

/** Tests send more requests than a customer may. */
const noLimits = Object.fromEntries(
  Object.keys(variables).flatMap((name) => (name.startsWith('LIMIT_') ? [[name, '1000000']] : [])),
)

type FenceOptions = Pick<TestAppOptions, 'pollMs' | 'leaseMs'>

/** The check and the poller of one fence, as in production. */
export type Polls = Readonly<{ freshness: FreshnessCheck; poller: Pick<Poller, 'listen' | 'close'> }>

/** Starts a poller. By default no poll times out, because answers would then be stale on a busy machine. */
export const startTestFence = async (url: string, { pollMs = patientMs, leaseMs }: FenceOptions = {}) => {
  const fence = createFence()
  const poller = createPoller({
    source: createChangeSource({ url, role: readerRole, reachSeconds: 600, timeoutMs: pollMs }),
    fence,
    clock: createLeaseClock(() => performance.now(), Date.now),
    warn: ignore,
    ...(leaseMs === undefined ? {} : { leaseMs }),
  })
  await poller.start()
  return { fence, poller, freshness: createFreshnessCheck(fence, poller, 300_000) }
}

export const createTestApp = async (
  database: TestDatabase,
  options: TestAppOptions = {},
): Promise<FastifyInstance> => {
  const { env = {}, shared, limitStore, clock = { offsetMs: 0 }, origin = publicUrl } = options
  const secrets = createSecrets([secretKey])
  const builtAt = performance.now()
  const config = parseConfig({ LOG_LEVEL: 'silent', NODE_ENV: 'test', ...noLimits, ...env })
  const { freshness, poller } = options.polls ?? (await startTestFence(database.url, options))
  const { pool: max, ...exportLimits } = config.exports
  const exports = exportPool(database.url, exportLimits.totalMs, max)
  const pool = options.wrapExports?.(exports) ?? exports
  // Loaded here, because half of the test files need no app.
  const { build } = await import('../app/app.ts')
  const app = await build({
    config,
    publicUrl: origin,
    db: database.reader,
    reserved: database.reserved,
    exportSource: createExportSource({ pool, max, ...exportLimits }),
    shared,
    limitStore,
    freshness,
    databaseNow: () => Date.now() + clock.offsetMs,
    listen: poller.listen,
    secrets,
    signingKeys: await loadSigningKeys(database.reader, secrets),
    now: () => Date.now() + clock.offsetMs + (clock.stepMs ?? 0),
    monotonicNow: () => (clock.isStopped ? builtAt : performance.now()) + clock.offsetMs,
    ping: async () => {},
    isDraining: options.isDraining ?? (() => false),
    hasEdge: process.env.TEST_EDGE !== 'off',
    started: options.started,
    ...(options.logStream ? { logStream: options.logStream } : {}),
  })
  app.addHook('onClose', async () => {
    await poller.close()
    await exports.end()
  })
  await app.ready()
  return app
}

/** Listens at the origin that its tokens and links name. */
export const listenTestApp = async (
  database: TestDatabase,
  options: TestAppOptions = {},
): Promise<{ app: FastifyInstance; origin: string }> => {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const app = await createTestApp(database, { ...options, origin })
  await app.listen({ host: 'localhost', port })
  return { app, origin }
}

/** Polls the condition. Rejects after `deadlineMs`. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  deadlineMs = 30_000,
): Promise<void> => {
  const end = Date.now() + deadlineMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`never: ${what}`)
    await delay(5)
  }
}

/** Returns a new key of a new or existing customer, with all scopes by default. */
export const addCustomer = async (
  { operator }: Pick<TestDatabase, 'operator'>,
  customerId: string,
  { plan = 'premium', scopes = null }: { plan?: Plan; scopes?: string[] | null } = {},
): Promise<string> => {
  await operator
    .insertInto('customers')
    .values({ customer_id: customerId, name: customerId, plan })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { apiKey, keyId, secretSha256 } = createApiKey()
  await operator
    .insertInto('api_keys')
    .values({ customer_id: customerId, key_id: keyId, secret_sha256: secretSha256, scopes })
    .execute()
  return apiKey
}

export type Get = (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>

/** Requests have `no-cache`, so that answers are never older than the request. */
export const logIn = async (app: FastifyInstance, apiKey: string): Promise<{ token: string; get: Get }> => {
  const answer = await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: apiKey } })
  const token = answer.json().access_token as string
  const get: Get = (url, headers = {}) =>
    app.inject({
      method: 'GET',
      url,
      headers: { authorization: `Bearer ${token}`, 'cache-control': 'no-cache', ...headers },
    } as InjectOptions)
  return { token, get }
}

export const asCustomer = async (
  database: TestDatabase,
  app: FastifyInstance,
  customerId: string,
  options?: { plan?: Plan; scopes?: string[] | null },
) => logIn(app, await addCustomer(database, customerId, options))
