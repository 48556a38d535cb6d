import { Kysely, type Logger, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { StatementEnd } from '../observe/tracing.ts'
import { createPlaces, type Places } from '../overload/places.ts'
import { createTurns, ofAnswers, type Turns } from '../overload/turns.ts'
import { createSocket } from './copy/socket.ts'
import { type ReadRow, RowQuery, toText } from './page/row-query.ts'
import type { Database, Db } from './schema.ts'

/** The role that answers requests: sees one customer, under row level security. */
export const readerRole = 'certdata_reader'
/** The role that imports and administers: a policy of its own lets it see every customer. */
export const operatorRole = 'certdata_operator'

/** Longest a request's statement may run. */
const statementTimeoutMs = 5_000
/** Longest anybody waits for an answer: a server that hangs does not end statements itself. */
const answerTimeoutMs = statementTimeoutMs + 1_000
/** Longest a request waits for a connection before it is refused. */
const connectTimeoutMs = 5_000

/** Of the connections for requests: what one customer's pages have at most, so that slow ones leave others some. */
const shareOfOne = 0.8

/** The driver's own words for a statement that it waits for no longer. */
const lateMessage = 'Query read timeout'
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

const markForm = /^\/\* (page(?:_[\da-f]+)?) \*\/ /

/**
 * Begins the text of a page's statement: of one that connections keep prepared with its name, which is the same
 * text's for ever.
 */
export const pageMark = (name: `page_${string}` | 'page'): string => `/* ${name} */ `

/**
 * A connection whose statement was not answered in time is given up with it: the machine at its other end may be
 * gone without a word, and the pool would hand it out again and again, until the system gives up sending after a
 * quarter of an hour.
 */
class MortalClient extends pg.Client {
  // The overloads of pg's `query` are many: what it takes is passed on as it came.
  override query(...given: unknown[]): never {
    const answer = (super.query as (...all: unknown[]) => unknown).apply(this, given)
    if (answer instanceof Promise) answer.catch((error: Error) => this.giveUpWhen(error))
    return answer as never
  }

  giveUpWhen({ message }: Error): void {
    // With a statement under way it destroys the socket instead of taking leave.
    if (message === lateMessage) void this.end().catch(() => {})
  }
}

/** Reads the answers of marked statements as bytes; `prepares`: sends their text once, and from then on only values. */
const clientOf = (prepares: boolean) =>
  class extends MortalClient {
    override query(...given: unknown[]): never {
      const [text, values] = given
      const mark = typeof text === 'string' ? markForm.exec(text)?.[1] : undefined
      const ask = super.query as (...all: unknown[]) => unknown
      if (mark === undefined) return ask.apply(this, given) as never
      const name = prepares && mark !== 'page' ? mark : ''
      return this.read((callback) => {
        ask.call(this, new RowQuery(name, text as string, (values as unknown[]).map(toText), callback))
      }) as never
    }

    /**
     * Once it is answered, nothing leads from the statement to its answer: the driver's timer for it outlives it, and
     * what a dead timer leads to is kept until the next full collection, be it 40 kB for each page.
     */
    private read(ask: (callback: (error: Error | null, result?: unknown) => void) => void): Promise<unknown> {
      return new Promise((resolve, reject) => {
        let settle: { resolve: typeof resolve; reject: typeof reject } | undefined = { resolve, reject }
        ask((error, result) => {
          const { resolve, reject } = settle ?? {}
          settle = undefined
          if (!error) return resolve?.(result)
          this.giveUpWhen(error)
          reject?.(error)
        })
      })
    }
  }

export type ConnectOptions = {
  /** Role taken on connection; absent: the login's own. */
  role?: string
  /** Connections at most. */
  max: number
  applicationName: string
  onError: (error: Error) => void
  /** Milliseconds; 0 = none, for imports and migrations. */
  statementTimeoutMs?: number
  /** Statements whose answers go on for longer than anybody would wait for a first one: exports. */
  isStreaming?: boolean
  /** Whether marked statements are kept prepared: not through a pooler that hands out connections by transaction. */
  prepares?: boolean
}

/**
 * A pool of connections; connects when first asked. Lost idle connections are reported and replaced.
 */
export const createPool = (url: string, options: ConnectOptions): pg.Pool => {
  const waits = options.statementTimeoutMs === 0 || options.isStreaming
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs ?? statementTimeoutMs,
    ...(waits ? {} : { query_timeout: answerTimeoutMs }),
    types,
    stream: createSocket,
    Client: clientOf(options.prepares === true) as typeof pg.Client,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    ...(options.role ? { options: `-c role=${options.role}` } : {}),
  })
  pool.on('error', options.onError)
  // While a connection is in use the pool does not listen, and an event that nobody hears ends the process. Its
  // statement is rejected anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

type AskPage = (owner: string, text: string, values: readonly unknown[]) => Promise<ReadRow>
type OnStatement = (statement: StatementEnd) => void

type Pages = { ask: AskPage; places: Places }
const pages = new WeakMap<Db, Pages>()

/** At the pool everybody would stand behind one customer's burst. */
const borrow = (pool: pg.Pool, places: Places, owner: string): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    const connect = () => {
      pool.connect().then(resolve, (error) => {
        places.giveBack(owner)
        reject(error)
      })
    }
    places.take(owner, connect, reject)
  })

/** Kysely's way to a connection and back costs a page as much as reading its answer. */
const createAskPage =
  (pool: pg.Pool, onStatement: OnStatement | undefined, places: Places, turns: Turns): AskPage =>
  async (owner, text, values) => {
    const startedAt = performance.now()
    const client = await borrow(pool, places, owner)
    let failure: Error | undefined
    let row: ReadRow
    try {
      const { rows } = (await client.query(text, values as unknown[])) as unknown as { rows: ReadRow[] }
      row = rows[0] as ReadRow
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      // First: who is next stands at the pool when the connection comes back, and has it at once.
      places.giveBack(owner)
      // One that has refused a statement takes the next; one that did not answer in time may never do.
      client.release(failure instanceof pg.DatabaseError ? undefined : failure)
      const milliseconds = performance.now() - startedAt
      onStatement?.({ sql: text, milliseconds, failed: failure !== undefined })
    }
    // The connection has its next statement by now. What remains to be done costs more than all that was done here.
    await new Promise<void>((resolve) => turns.take(owner, resolve))
    return row
  }

/**
 * Answers the statement of a page, whose text begins with its mark, as one row. Owners (customers) take turns where
 * connections are few. Rejects as the driver does, and with ETIMEDOUT where none became free in time.
 */
export const askPage = (db: Db, owner: string, text: string, values: readonly unknown[]): Promise<ReadRow> =>
  (pages.get(db) as Pages).ask(owner, text, values)

/** Pages that wait before the pool for a connection. */
export const pagesWaiting = (db: Db): number => (pages.get(db) as Pages).places.waiting

/** The same pool as kysely's; `destroy()` ends it. `onStatement` is told of each, once it has ended. */
export const createDb = (pool: pg.Pool, onStatement?: OnStatement): Db => {
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    ...(onStatement ? { log: toLogger(onStatement) } : {}),
  })
  const count = pool.options.max
  const ofOne = Math.max(1, Math.floor(count * shareOfOne))
  const places = createPlaces({ count, ofOne, longestWaitMs: connectTimeoutMs })
  pages.set(db, { ask: createAskPage(pool, onStatement, places, createTurns(ofAnswers)), places })
  return db
}

const toLogger =
  (onStatement: OnStatement): Logger =>
  ({ level, query, queryDurationMillis }) =>
    onStatement({ sql: query.sql, milliseconds: queryDurationMillis, failed: level === 'error' })

/**
 * The role that serving connections must take: none where the login is already without rights of its own
 * (a pooler that refuses start-up options needs such a login), else the reader.
 * Throws the driver's error where the database is unreachable.
 */
export const findServingRole = async (url: string): Promise<string | undefined> => {
  const client = new MortalClient({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
  }) as pg.Client
  // What happens to it between statements is told by the next one.
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query('select current_user as role')
    return rows[0].role === readerRole ? undefined : readerRole
  } finally {
    await client.end()
  }
}
