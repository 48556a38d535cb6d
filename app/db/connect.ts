import { Kysely, type Logger, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Owner } from '../overload/fair-queue.ts'
import { createQueue, type Queue } from '../overload/queue.ts'
import { dropConnection } from '../wire/driver.ts'
import { fitPool } from './fit-pool.ts'
import type { Database, Db } from './schema.ts'
import { pinSession } from './session.ts'
import { checkSession, explainRefusal, type Serving, UnfitConnection } from './session-check.ts'

export { operatorRole, readerRole } from './roles.ts'

export const statementTimeoutMs = 5_000
/** For the driver, because a hung server does not enforce its own statement timeout. */
export const answerTimeoutMs = statementTimeoutMs + 1_000
export const connectTimeoutMs = 5_000

/**
 * Passes an answer on. Destroys the connection if there is none in time, so that the answer rejects: the pool would reuse
 * a hanging connection for up to 15 minutes.
 */
const limitAnswer = async <T>(client: pg.ClientBase, answer: Promise<T>): Promise<T> => {
  const timer = setTimeout(dropConnection, answerTimeoutMs, client)
  try {
    return await answer
  } finally {
    clearTimeout(timer)
  }
}

/** Limits statements without a callback. The driver's own limit is not used: see `query`. */
class LimitedClient extends pg.Client {
  override query(...given: unknown[]): never {
    const answer = (super.query as (...all: unknown[]) => unknown).apply(this, given)
    return (answer instanceof Promise ? limitAnswer(this, answer) : answer) as never
  }
}

/**
 * Runs a statement. By callback, because V8 keeps each result of the driver's promise or of its `query_timeout` until the
 * next collection of the whole heap. See docs/decisions/0279-pages-are-read-by-callback.md.
 */
const query = (client: pg.ClientBase, statement: pg.QueryConfig): Promise<readonly unknown[]> =>
  new Promise((resolve, reject) => {
    void client.query(statement, (error: Error | null, result) =>
      error ? reject(error) : resolve(result.rows),
    )
  })

/** PostgreSQL frees prepared statements only when their connection ends. */
const maxLifetimeSeconds = 1_800

/** Then Node sends ten probes, one second apart. */
const keepAliveAfterMs = 10_000

const parseText = (value: string) => value
const parsers = new Map<number, (value: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  // A JavaScript Date has no microseconds, and no date without a time zone.
  [pg.types.builtins.DATE, parseText],
  [pg.types.builtins.TIMESTAMPTZ, parseText],
])
const types = {
  getTypeParser: (oid: number, format?: string) =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

export type ConnectOptions = {
  role?: string
  max: number
  minIdle?: number
  applicationName: string
  operator?: string | undefined
  onError: (error: Error) => void
  /** Above 6 s, it also needs `isStreaming`. 0: no limit, also none of the login or server. */
  statementTimeoutMs?: number
  /** Has no response timeout. */
  isStreaming?: boolean
  /** For the serving role. Refuses connections without row level security or (unless streaming) a timeout. */
  serving?: Pick<Serving, 'variable'> & { onUnfit: OnUnfit }
  /** Gets warnings of a pool that fits itself to the connections that the database grants. Defaults to no fitting. */
  warn?: (message: string) => void
}

type OnUnfit = (error: UnfitConnection) => void

/** Creates a pool that connects on first use. `onError` gets the errors of idle connections. */
export const createPool = (url: string, options: ConnectOptions): pg.Pool => {
  const statementTimeout = options.statementTimeoutMs ?? statementTimeoutMs
  const serving = options.serving && {
    variable: options.serving.variable,
    statementTimeoutMs: options.isStreaming ? undefined : statementTimeout,
  }
  const isUnlimited = statementTimeout === 0
  const pool = new pg.Pool({
    connectionString: pinSession(url, { role: options.role, operator: options.operator, isUnlimited }),
    max: options.max,
    min: options.minIdle ?? 0,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    ...(serving ? { maxLifetimeSeconds } : {}),
    statement_timeout: statementTimeout,
    types,
    Client: isUnlimited || options.isStreaming ? pg.Client : LimitedClient,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    onConnect: (client) => checkSession(client, { role: options.role, serving }, answerTimeoutMs),
  })
  if (options.warn) fitPool(pool, { warn: options.warn })
  if (options.serving && serving) reportUnfit(pool, serving, options.serving.onUnfit)
  pool.on('error', options.onError)
  // The pool does not listen to a connection in use. An unhandled error event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const reportUnfit = (pool: pg.Pool, serving: Serving, onUnfit: OnUnfit): void => {
  const connect = pool.connect.bind(pool)
  const throwReason = (error: Error): never => {
    const reason = explainRefusal(error, serving)
    if (reason instanceof UnfitConnection) onUnfit(reason)
    throw reason
  }
  const connectFit = (callback?: Parameters<typeof connect>[0]) =>
    callback ? connect(callback) : connect().catch(throwReason)
  Object.assign(pool, { connect: connectFit })
}

export type NamedStatement = { name?: string | undefined; text: string; values: unknown[] }

export type StatementEnd = { sql: string; milliseconds: number; failed: boolean }

type OnStatement = (statement: StatementEnd) => void

type ReadRows = (statement: NamedStatement) => Promise<readonly unknown[]>

export type QueuedDb = Db & Readonly<{ queue: Queue; readRows: ReadRows }>

/** Without kysely, which doubles the cost of a page and cannot name prepared statements. */
const createReadRows =
  (pool: pg.Pool, { onStatement, prepares = false }: DbOptions): ReadRows =>
  async ({ name, text, values }) => {
    const startedAt = performance.now()
    const client = await pool.connect()
    let failure: Error | undefined
    try {
      const statement = { text, values, ...(prepares && name ? { name } : {}) }
      return await limitAnswer(client, query(client, statement))
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      // After an error that PostgreSQL did not send, the connection may hang.
      client.release(failure instanceof pg.DatabaseError ? undefined : failure)
      const milliseconds = performance.now() - startedAt
      onStatement?.({ sql: text, milliseconds, failed: failure !== undefined })
    }
  }

/** Runs `work`, which may use one connection at a time, in the turn of `owner`. Rejects with `overloaded`. */
export const inTurn = <T>(db: QueuedDb, owner: Owner, work: () => Promise<T>): Promise<T> =>
  db.queue.run(owner, work)

/** Reads a row (`undefined` if there is none) when it is the customer's turn. Rejects as `inTurn` does. */
export const readRowInTurn = <Row>(
  { queue, readRows }: QueuedDb,
  customerId: string,
  statement: NamedStatement,
): Promise<Row> => queue.run(customerId, async () => (await readRows(statement))[0] as Row)

const defaultLongestWaitMs = 1_000

export type DbOptions = {
  onStatement?: OnStatement | undefined
  longestWaitMs?: number
  turns?: number
  /** Prepares named statements, which poolers in transaction mode do not support. */
  prepares?: boolean
}

/** Adds kysely and a queue, which only `inTurn` and `readRowInTurn` use. `destroy()` ends the pool. */
export const createDb = (pool: pg.Pool, options: DbOptions = {}): QueuedDb => {
  const { onStatement, longestWaitMs = defaultLongestWaitMs, turns = pool.options.max } = options
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    ...(onStatement ? { log: toLogger(onStatement) } : {}),
  })
  const queue = createQueue({ turns, longestWaitMs })
  return Object.assign(db, { queue, readRows: createReadRows(pool, options) })
}

const toLogger =
  (onStatement: OnStatement): Logger =>
  ({ level, query, queryDurationMillis }) =>
    onStatement({ sql: query.sql, milliseconds: queryDurationMillis, failed: level === 'error' })
