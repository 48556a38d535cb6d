import pg from 'pg'
import { formatEpoch } from '../cache/epoch.ts'
import type { ChangeEvent, Poll } from '../cache/fence.ts'
import type { ChangeSource } from '../cache/poller.ts'
import { parseSnapshot, type Snapshot } from '../cache/snapshot.ts'
import { after } from '../limits/timer.ts'

export type ChangeSourceOptions = {
  url: string
  /** Role taken on connection; absent: the login's own. */
  role?: string | undefined
  /** How far back a new process reads the log: as long as answers in Redis may be good. */
  reachSeconds: number
  /** Longest a poll may take, connecting included; shorter than the lease. */
  timeoutMs?: number
}

const defaultTimeoutMs = 400
/** Customers and resources that one poll tells apart; beyond, everything counts as changed. */
const mostEvents = 10_000

type Row = {
  snapshot: string
  at: string
  identity: string
  started: string
  recovering: boolean
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
  if (row.recovering) throw new Error('The database is a standby: DATABASE_URL must name the primary')
  const isWhole = since !== undefined && row.found <= mostEvents
  return {
    snapshot: parseSnapshot(row.snapshot),
    since,
    at: row.at,
    epoch: formatEpoch(row.identity, row.started),
    events: isWhole ? parseEvents(row.events) : undefined,
  }
}

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // Not a bare timer: a process that was suspended would call late what lies there unread.
  const stop = after(ms, () => reject(new Error(`no answer in ${ms} ms`)))
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
  }
}

/**
 * The change log on a connection of its own, so that no request's statement is in its way. A connection that
 * failed or was late is dropped, and the next poll makes another; nothing is kept in the session, so that a
 * pooler may stand between.
 */
export const createChangeSource = (options: ChangeSourceOptions): ChangeSource => {
  const { url, role, reachSeconds, timeoutMs = defaultTimeoutMs } = options
  let client: Promise<pg.Client> | undefined
  let current: pg.Client | undefined
  let isClosed = false

  const drop = () => {
    const dropped = current as (pg.Client & { connection?: { stream?: { destroy(): void } } }) | undefined
    client = undefined
    current = undefined
    // Not `end()`: it would wait for a server that may hang.
    dropped?.connection?.stream?.destroy()
  }

  const open = async (): Promise<pg.Client> => {
    if (isClosed) throw new Error('closed')
    const opened = new pg.Client({
      connectionString: url,
      application_name: 'certdata changes',
      ...(role ? { options: `-c role=${role}` } : {}),
    })
    current = opened
    opened.on('error', () => {
      if (current === opened) drop()
    })
    await opened.connect()
    return opened
  }

  const ask = async <Result extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Result> => {
    client ??= open()
    const query = client.then((connected) => connected.query<Result>(text, values))
    try {
      const { rows } = await within(timeoutMs, query)
      return rows[0] as Result
    } catch (error) {
      query.catch(() => {})
      drop()
      throw error
    }
  }

  return {
    async begin() {
      const text = `select begin_changes($1::integer * interval '1 second') as since`
      const { since } = await ask<{ since: string | null }>(text, [reachSeconds])
      return since === null ? undefined : parseSnapshot(since)
    },
    async poll(since) {
      const values = [since?.text ?? null, mostEvents]
      return toPoll(await ask<Row>('select * from poll_changes($1, $2)', values), since)
    },
    async close() {
      isClosed = true
      drop()
    },
  }
}
