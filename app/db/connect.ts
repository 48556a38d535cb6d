import { Kysely, type Logger, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Owner } from '../overload/fair-queue.ts'
import { createQueue, type Queue } from '../overload/queue.ts'
import { answerTimeoutMs, connectTimeoutMs, MortalClient, statementTimeoutMs } from './client.ts'
import type { Database, Db } from './schema.ts'
import { pinSession } from './session.ts'
import { explainRefusal, requireFit, UnfitConnection, type Wall } from './wall.ts'

export { operatorRole, readerRole } from './roles.ts'

/** Idle for so long, a connection is asked whether anybody is there, which Node does ten times, a second apart. */
const keepAliveAfterMs = 10_000

const parseText = (value: string) => value
const parsers = new Map<number, (value: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  // As text: a JavaScript Date has neither PostgreSQL's microseconds nor a day without a time zone.
  [pg.types.builtins.DATE, parseText],
  [pg.types.builtins.TIMESTAMPTZ, parseText],
])
const types = {
  getTypeParser: (oid: number, format?: string) =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

export type ConnectOptions = {
  /** Role of the connections, which each new one must have. Optional: defaults to the login's own. */
  role?: string
  /** Connections at most. */
  max: number
  /** Connections that stay open though nobody uses them, because a new one takes round trips; absent: none. */
  kept?: number
  applicationName: string
  onError: (error: Error) => void
  /** Milliseconds; 0 = none, for imports and migrations. */
  statementTimeoutMs?: number
  /** Statements whose answers go on for longer than anybody would wait for a first one: exports. */
  isStreaming?: boolean
  /** For connections of the serving role: row level security must bind each new one. */
  wall?: ServingWall
}

export type ServingWall = Pick<Wall, 'variable'> & {
  /** Told of a connection that the service must not use. */
  onUnfit: (error: UnfitConnection) => void
}

/**
 * A pool of connections; connects when first asked. Lost idle connections are reported and replaced.
 */
export const createPool = (url: string, options: ConnectOptions): pg.Pool => {
  const statementTimeout = options.statementTimeoutMs ?? statementTimeoutMs
  // Exports set their timeout in each transaction.
  const wall = options.wall && {
    variable: options.wall.variable,
    statementTimeoutMs: options.isStreaming ? undefined : statementTimeout,
  }
  const waits = options.statementTimeoutMs === 0 || options.isStreaming
  const pool = new pg.Pool({
    connectionString: pinSession(url, options.role),
    max: options.max,
    min: options.kept ?? 0,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeout,
    ...(waits ? {} : { query_timeout: answerTimeoutMs }),
    types,
    Client: MortalClient,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    onConnect: (client) => requireFit(client, { role: options.role, wall }, answerTimeoutMs),
  })
  if (options.wall && wall) reportUnfit(pool, wall, options.wall.onUnfit)
  pool.on('error', options.onError)
  // While a connection is in use the pool does not listen, and an event that nobody hears ends the process. Its
  // statement is rejected anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Has the pool tell of connections that it must not hand out. */
const reportUnfit = (pool: pg.Pool, wall: Wall, onUnfit: ServingWall['onUnfit']): void => {
  const connect = pool.connect.bind(pool)
  const refuse = (error: Error): never => {
    const reason = explainRefusal(error, wall)
    if (reason instanceof UnfitConnection) onUnfit(reason)
    throw reason
  }
  const connectOrRefuse = (callback?: Parameters<typeof connect>[0]) =>
    callback ? connect(callback) : connect().catch(refuse)
  Object.assign(pool, { connect: connectOrRefuse })
}

/** `name`: connections keep the statement prepared under it, so it must be unique to the text. */
export type NamedStatement = { name?: string | undefined; text: string; values: unknown[] }

/** How long a statement took that has just ended; `failed`: it was refused or not answered. */
export type StatementEnd = { sql: string; milliseconds: number; failed: boolean }

type OnStatement = (statement: StatementEnd) => void

type ReadRow = (statement: NamedStatement) => Promise<unknown>
type Serving = { readRow: ReadRow; queue: Queue }
const servings = new WeakMap<Db, Serving>()

/** Reads through the driver: a page costs kysely as much time again, and it has no names for prepared statements. */
const createReadRow =
  (pool: pg.Pool, { onStatement, prepares = false }: DbOptions): ReadRow =>
  async ({ name, text, values }) => {
    const startedAt = performance.now()
    const client = await pool.connect()
    let failure: Error | undefined
    try {
      const { rows } = await client.query({ text, values, ...(prepares && name ? { name } : {}) })
      return rows[0]
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      // A connection that refused a statement takes the next one; one that did not answer in time may never do.
      client.release(failure instanceof pg.DatabaseError ? undefined : failure)
      const milliseconds = performance.now() - startedAt
      onStatement?.({ sql: text, milliseconds, failed: failure !== undefined })
    }
  }

/**
 * Runs `work`, which uses one connection of `db` at a time, in this owner's turn. Rejects with 503 `overloaded` if no
 * turn comes before the queue's deadline, and as `work` does. `owner`: the customer, or the network of a client that has
 * not proved yet which customer it is.
 */
export const inTurn = <T>(db: Db, owner: Owner, work: () => Promise<T>): Promise<T> =>
  servingOf(db).queue.run(owner, work)

/** Reads the one row of a statement in this customer's turn. Rejects as `inTurn` does. */
export const readRowInTurn = <Row>(db: Db, customerId: string, statement: NamedStatement): Promise<Row> => {
  const { queue, readRow } = servingOf(db)
  return queue.run(customerId, () => readRow(statement) as Promise<Row>)
}

/** The queue in front of the connections of `db`, for metrics. */
export const queueOf = (db: Db): Pick<Queue, 'waiting' | 'refused'> => servingOf(db).queue

const servingOf = (db: Db): Serving => servings.get(db) as Serving

/** Absent: a second, as `QUEUE_SECONDS` has it. */
const defaultLongestWaitMs = 1_000

export type DbOptions = {
  /** Told of each statement once it has ended. */
  onStatement?: OnStatement | undefined
  /** Milliseconds that work waits for its turn at most. */
  longestWaitMs?: number
  /** Pieces of work in turns at once; absent: as many as there are connections. */
  turns?: number
  /** Whether connections keep named statements prepared: not through a pooler that hands them out by transaction. */
  prepares?: boolean
}

/** The pool's connections for kysely and in turns; `destroy()` ends the pool. */
export const createDb = (pool: pg.Pool, options: DbOptions = {}): Db => {
  const { onStatement, longestWaitMs = defaultLongestWaitMs, turns = pool.options.max } = options
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    ...(onStatement ? { log: toLogger(onStatement) } : {}),
  })
  const queue = createQueue({ turns, longestWaitMs })
  servings.set(db, { readRow: createReadRow(pool, options), queue })
  return db
}

const toLogger =
  (onStatement: OnStatement): Logger =>
  ({ level, query, queryDurationMillis }) =>
    onStatement({ sql: query.sql, milliseconds: queryDurationMillis, failed: level === 'error' })
