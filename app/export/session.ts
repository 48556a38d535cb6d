import type { Readable } from 'node:stream'
import type { PoolClient, QueryConfig } from 'pg'
import type { Sql } from '../records/sql/column.ts'
import { compile } from '../records/sql/compile.ts'
import { watchPace } from './pace.ts'
import { type RowStreamOptions, streamRows } from './row-stream.ts'
import { type RowBatches, readRows } from './rows.ts'

/** Writes rows as the bytes of a file. */
export type WriteRows = (rows: RowBatches) => AsyncIterator<string | Buffer>

/** A transaction that reads from one snapshot. Holds a connection until it is closed or its stream is. */
export type ExportSession<First> = Readonly<{
  /** What the first statement said. */
  first: First
  /**
   * The rows of each statement, in order, as the bytes that `write` makes of them; once. Closes the session, however it
   * ends. `onRows` is called with the number of rows of each batch.
   */
  stream(statements: readonly Sql[], write: WriteRows, onRows?: (rows: number) => void): Readable
  /** Gives the connection back, and resolves then. A second call does nothing. */
  close(): Promise<void>
  /** How fast the client reads, in bytes per second. `undefined` if that is not measured yet; see `watchPace`. */
  pace(): number | undefined
  /** Destroys the stream, and so ends the session. The reason is in the error. */
  cut(reason: string): void
}>

/** How long a client may take, in milliseconds. */
export type ExportLimits = Pick<RowStreamOptions, 'idleMs' | 'totalMs'> & {
  /** Monotonic milliseconds. */
  now?: () => number
}

/** Longest a statement may take that only begins or ends. */
const frameTimeoutMs = 5_000

/**
 * Without JIT: compiling a statement to machine code would delay its first row. PostgreSQL checks the connection of a
 * running statement, and ends the statement if its client is gone.
 */
const begin = ({ totalMs }: ExportLimits) => `begin isolation level repeatable read read only;
  set local jit = off; set local client_connection_check_interval = 250;
  set local statement_timeout = ${Math.ceil(totalMs)}`

const ask = async <Row>(client: PoolClient, text: string, values: unknown[] = []): Promise<Row[]> => {
  const query = { text, values, query_timeout: frameTimeoutMs } as QueryConfig
  return (await client.query(query)).rows as Row[]
}

const counted = async function* (rows: RowBatches, onRows: (rows: number) => void): RowBatches {
  for await (const batch of rows) {
    onRows(batch.length)
    yield batch
  }
}

/**
 * Begins to read as a customer; `first` takes the snapshot and has one row. `release` is called once, with whether
 * the connection is of no more use. Rejects with the driver's errors, then released.
 */
export const openSession = async <First>(
  client: PoolClient,
  customerId: string,
  first: Sql,
  limits: ExportLimits,
  release: (isBroken: boolean) => void,
): Promise<ExportSession<First>> => {
  let isOpen = true
  let stream: Readable | undefined
  let pace = (): number | undefined => undefined
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await ask(client, 'rollback').then(
      () => release(false),
      () => release(true),
    )
  }
  /** Closes the connection, and with it a statement that still runs. */
  const abandon = () => {
    if (!isOpen) return
    isOpen = false
    release(true)
  }
  try {
    await ask(client, begin(limits))
    await ask(client, `select set_config('app.customer_id', $1, true)`, [customerId])
    const { text, values } = compile(first)
    const [row] = await ask<First>(client, text, values)
    return {
      first: row as First,
      stream(statements, write, onRows = () => {}) {
        const rows = streamRows({
          pieces: write(counted(readRows(client, statements), onRows)),
          ...limits,
          finish: close,
          abandon,
        })
        pace = watchPace(rows, limits.now ?? (() => performance.now()))
        stream = rows
        return rows
      },
      close,
      pace: () => pace(),
      cut: (reason) => stream?.destroy(new Error(`the export was cut: ${reason}`)),
    }
  } catch (error) {
    abandon()
    throw error
  }
}
