import { after, within } from '../overload/timer.ts'
import { type AnyRow, type Connection, connect } from './connection.ts'
import type { ChangeSource } from './poller.ts'
import { formatEpoch, parseSnapshot, type Snapshot } from './snapshot.ts'
import type { ChangeEvent, Poll } from './stamped.ts'

export type ChangeSourceOptions = {
  url: string
  role?: string | undefined
  /** How far back a new process reads the log: the longest lifetime of an answer in Redis. */
  reachSeconds: number
  timeoutMs?: number
  /** Minimum time without a response after which a poll is repeated on a second connection. */
  patienceMs?: number
}

const defaultTimeoutMs = 400
const defaultPatienceMs = 200
/** Seven round trips of 200 ms: TCP, the request for TLS, two for TLS 1.2, the start, two for a password. */
const connectMs = 1_400
/** With more events, everything counts as changed. */
const mostEvents = 10_000
/** A code of PostgreSQL. */
const readOnlyTransaction = '25006'

type Row = {
  snapshot: string
  at: string
  identity: string
  started: string
  mark: string | null
  events: string | null
  found: number
  distrusted: string[]
}

const parseEvents = (text: string | null): ChangeEvent[] =>
  text === null
    ? []
    : text.split(',').map((event) => {
        const [xid, customerId = '', resource = ''] = event.split(' ')
        return { xid: Number(xid), customerId, resource }
      })

const toPoll = (row: Row, since: Snapshot | undefined): Poll => {
  const isWhole = since !== undefined && row.found <= mostEvents
  return {
    snapshot: parseSnapshot(row.snapshot),
    since,
    at: row.at,
    epoch: formatEpoch(row.identity, row.started),
    mark: row.mark ?? '',
    events: isWhole ? parseEvents(row.events) : undefined,
    distrusted: row.distrusted,
  }
}

/** Every start of a server needs a new mark, and a standby cannot write one. So this also refuses each poll of a standby. */
const throwStandby = (error: Error & { code?: string }): never => {
  if (error.code !== readOnlyTransaction) throw error
  throw new Error('The database is a standby: DATABASE_URL must name the primary', { cause: error })
}

/** Needs no session state, so poolers work. See docs/decisions/0071-a-second-connection-for-a-hanging-poll.md. */
export const createChangeSource = (options: ChangeSourceOptions): ChangeSource => {
  const { reachSeconds, timeoutMs = defaultTimeoutMs, patienceMs = defaultPatienceMs } = options
  let kept: Connection | undefined
  let inUse: Connection[] = []
  let isClosed = false
  let patience = patienceMs

  const open = (): Connection => {
    if (isClosed) throw new Error('closed')
    const connection = connect(options)
    inUse.push(connection)
    return connection
  }

  const dropAllBut = (winner: Connection | undefined) => {
    for (const connection of inUse) if (connection !== winner) connection.drop()
    inUse = []
  }

  /** `isDue` resolves when a second connection should repeat the statement. */
  const awaitRepeat = (first: Promise<unknown>, wasKept: boolean) => {
    const { promise: isDue, resolve, reject } = Promise.withResolvers<void>()
    const stop = after(patience, resolve)
    // A refused new connection would be refused again.
    first.catch(wasKept ? () => resolve() : reject)
    const cancel = () => {
      stop()
      reject(new Error('over'))
    }
    return { isDue, cancel }
  }

  const queryRow = async <Row extends AnyRow>(text: string, values: unknown[]): Promise<Row> => {
    const queryOn = async (connection: Connection) => ({
      connection,
      row: await connection.queryRow<Row>(text, values),
    })
    const previous = kept?.isLost ? undefined : kept
    kept = undefined
    if (previous) inUse.push(previous)
    const begun = performance.now()
    const firstConnection = previous ?? open()
    const first = queryOn(firstConnection)
    const repeat = awaitRepeat(first, previous !== undefined)
    const second = repeat.isDue.then(() => queryOn(open()))
    try {
      const limitMs = previous ? timeoutMs : connectMs + timeoutMs
      const { connection, row } = await within(limitMs, Promise.any([first, second]))
      const isFirst = connection === firstConnection
      patience = isFirst ? Math.max(patienceMs, 2 * (performance.now() - begun)) : patienceMs
      if (!isClosed) kept = connection
      return row
    } catch (error) {
      throw error instanceof AggregateError ? error.errors.at(-1) : error
    } finally {
      repeat.cancel()
      dropAllBut(kept)
    }
  }

  const begin = async (): Promise<Snapshot | undefined> => {
    const text = `select begin_changes($1::integer * interval '1 second') as since`
    const { since } = await queryRow<{ since: string | null }>(text, [reachSeconds]).catch(throwStandby)
    return since === null ? undefined : parseSnapshot(since)
  }

  const pollOnce = async (since: Snapshot | undefined): Promise<Row> => {
    const text = 'select p.*, current_mark() as mark from poll_changes($1, $2) p'
    return queryRow<Row>(text, [since?.text ?? null, mostEvents])
  }

  return {
    begin,
    async poll(since) {
      let row = await pollOnce(since)
      // The server has restarted since its last mark. `begin` writes one.
      if (row.mark === null) {
        await begin()
        row = await pollOnce(since)
      }
      return toPoll(row, since)
    },
    async close() {
      isClosed = true
      kept?.drop()
      kept = undefined
      dropAllBut(undefined)
    },
  }
}
