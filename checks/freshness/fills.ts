import type pg from 'pg'
import type { Fence } from '../../app/cache/fence.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import type { NamedStatement } from '../../app/db/connect.ts'
import { resourceNames } from '../../app/records/resources/index.ts'

export type Counters = {
  fills: number
  mostFillsAtOnce: number
  /** Number of statements that the standby answered. */
  fromStandby: number
}

type Callback = (error: unknown, result?: pg.QueryResult) => void
type Query = (statement: NamedStatement) => Promise<pg.QueryResult>
/** Reads the statement of a page or record. `ask` is the connection's query function. */
type Reader = (ask: Query, statement: NamedStatement) => Promise<pg.QueryResult>

/** The statement behind every page and record, see app/records/sql/statement.ts. */
const isFill = (text: string) => text.includes('picked') && text.includes('app.customer_id')

/** Returns a pool whose page statements go through `read`. */
const throughReader = (pool: pg.Pool, read: Reader): pg.Pool => {
  const wrapped = new WeakSet<pg.PoolClient>()
  const wrap = (client: pg.PoolClient): pg.PoolClient => {
    if (wrapped.has(client)) return client
    wrapped.add(client)
    const ask = client.query.bind(client) as unknown as (...given: unknown[]) => Promise<pg.QueryResult>
    const query = (statement: NamedStatement, ...rest: [Callback?]) => {
      if (typeof statement !== 'object' || !isFill(statement.text ?? '')) return ask(statement, ...rest)
      const reading = read(ask, statement)
      const [callback] = rest
      if (!callback) return reading
      reading.then((result) => callback(null, result), callback)
    }
    return Object.assign(client, { query })
  }
  const connect = async () => wrap(await pool.connect())
  return Object.assign(Object.create(pool) as pg.Pool, { connect, end: () => pool.end() })
}

/** Counts the statements that fill the cache, and the most that run at the same time. */
export const countFills = (pool: pg.Pool, counters: Counters): pg.Pool => {
  let running = 0
  return throughReader(pool, async (ask, statement) => {
    counters.fills += 1
    running += 1
    counters.mostFillsAtOnce = Math.max(counters.mostFillsAtOnce, running)
    try {
      return await ask(statement)
    } finally {
      running -= 1
    }
  })
}

/** All resources, because the statement does not show which ones its answer depends on. */
const everything = [...resourceNames]

/** Counts the statements that the standby answered. */
export const countFromStandby = (pool: pg.Pool, counters: Counters): pg.Pool =>
  throughReader(pool, async (ask, statement) => {
    const result = await ask(statement)
    counters.fromStandby += 1
    return result
  })

/**
 * Plants a fault: fills from a standby pretend to be the primary's, with the standby's snapshot. If the fence
 * finds that snapshot too old, the primary is read.
 */
export const trustStandby = (pool: pg.Pool, standby: pg.Pool, fence: Fence, counters: Counters): pg.Pool =>
  throughReader(pool, async (ask, statement) => {
    const result = await standby.query({ text: statement.text, values: statement.values })
    const [row] = result.rows as Record<string, unknown>[]
    const epoch = fence.last?.epoch
    if (!row || epoch === undefined || row.standby === '') return ask(statement)
    const snapshot = parseSnapshot(String(row.snapshot))
    const customerId = String(statement.values[0])
    if (fence.compare({ customerId, dependsOn: everything, snapshot, epoch }) !== 'fresh') {
      return ask(statement)
    }
    counters.fromStandby += 1
    // As the primary would answer: an epoch contains the start time of its server.
    Object.assign(row, { server: epoch.split(' ')[1], standby: '' })
    return result
  })

/** Plants a fault: a standby is read without a check of its history. */
export const believeStandby = (standby: pg.Pool, fence: Fence, counters: Counters): pg.Pool =>
  throughReader(standby, async (ask, statement) => {
    const result = await ask(statement)
    counters.fromStandby += 1
    for (const row of result.rows) row.standby = fence.last?.mark
    return result
  })
