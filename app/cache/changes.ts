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
  connectMs?: number
  /** A poll without a response for this time is repeated on a second connection. */
  patienceMs?: number
}

const defaultTimeoutMs = 400
const defaultPatienceMs = 200
/** Seven round trips of 200 ms: TCP, the request for TLS, TLS, the start message, three for a password. */
const defaultConnectMs = 1_400
/** With more events, everything counts as changed. */
const mostEvents = 10_000

type Row = {
  snapshot: string
  at: string
  identity: string
  started: string
  recovering: boolean
  mark: string | null
  events: string | null
  found: number
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
  }
}

/** Needs no session state, so poolers work. See docs/decisions/0071-a-second-connection-for-a-hanging-poll.md. */
export const createChangeSource = (options: ChangeSourceOptions): ChangeSource => {
  const { reachSeconds, timeoutMs = defaultTimeoutMs, patienceMs = defaultPatienceMs } = options
  const { connectMs = defaultConnectMs } = options
  let kept: Connection | undefined
  let asked: Connection[] = []
  let isClosed = false
  let patience = patienceMs

  const open = (): Connection => {
    if (isClosed) throw new Error('closed')
    const connection = connect(options)
    asked.push(connection)
    return connection
  }

  const dropAskedBut = (winner: Connection | undefined) => {
    for (const connection of asked) if (connection !== winner) connection.drop()
    asked = []
  }

  const doubt = (first: Promise<unknown>, isKept: boolean) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stop = after(patience, resolve)
    // A refused new connection would be refused again.
    first.catch(isKept ? () => resolve() : reject)
    const end = () => {
      stop()
      reject(new Error('over'))
    }
    return { promise, end }
  }

  const ask = async <Row extends AnyRow>(text: string, values: unknown[]): Promise<Row> => {
    const askOn = async (connection: Connection) => ({
      connection,
      row: await connection.ask<Row>(text, values),
    })
    const former = kept?.isLost ? undefined : kept
    kept = undefined
    if (former) asked.push(former)
    const begun = performance.now()
    const firstAsked = former ?? open()
    const first = askOn(firstAsked)
    const doubted = doubt(first, former !== undefined)
    const second = doubted.promise.then(() => askOn(open()))
    try {
      const limitMs = former ? timeoutMs : connectMs + timeoutMs
      const { connection, row } = await within(limitMs, Promise.any([first, second]))
      patience =
        connection === firstAsked ? Math.max(patienceMs, 2 * (performance.now() - begun)) : patienceMs
      if (!isClosed) kept = connection
      return row
    } catch (error) {
      throw error instanceof AggregateError ? error.errors.at(-1) : error
    } finally {
      doubted.end()
      dropAskedBut(kept)
    }
  }

  const begin = async (): Promise<Snapshot | undefined> => {
    const text = `select begin_changes($1::integer * interval '1 second') as since`
    const { since } = await ask<{ since: string | null }>(text, [reachSeconds])
    return since === null ? undefined : parseSnapshot(since)
  }

  const pollOnce = async (since: Snapshot | undefined): Promise<Row> => {
    const values = [since?.text ?? null, mostEvents]
    const row = await ask<Row>('select p.*, current_mark() as mark from poll_changes($1, $2) p', values)
    if (row.recovering) throw new Error('The database is a standby: DATABASE_URL must name the primary')
    return row
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
      dropAskedBut(undefined)
    },
  }
}
