import type { Readable } from 'node:stream'
import type { PoolClient, QueryConfig } from 'pg'
import type { Sql } from '../records/sql/column.ts'
import { compile, compileLiterally } from '../records/sql/literal.ts'
import { cancelStatement } from '../wire/cancel.ts'
import { type CopyOptions, type CopyStatement, type PieceStream, streamCopy } from '../wire/copy-stream.ts'
import type { RowEncoder } from '../wire/row.ts'
import { watchPace } from './pace.ts'

/** A `select`, and how its rows are written. */
export type Selection = Readonly<{ statement: Sql; encoder: RowEncoder }>

/** A transaction that reads from one snapshot. Holds a connection until it is closed or its stream is. */
export type ExportSession<First> = Readonly<{
  /** What the first statement said. */
  first: First
  /** The rows of each selection, in order, as bytes; once. Closes the session, however it ends. */
  stream(
    selections: readonly Selection[],
    options?: Partial<Pick<CopyOptions, 'head' | 'onRows'>>,
  ): PieceStream
  /** Gives the connection back, and resolves then. A second call does nothing. */
  close(): Promise<void>
  /** How fast the client reads, in bytes per second. `undefined` if that is not measured yet; see `watchPace`. */
  pace(): number | undefined
  /** Destroys the stream, and so ends the session. The reason is in the error. */
  cut(reason: string): void
}>

/** How long a client may take, in milliseconds. */
export type ExportLimits = Pick<CopyOptions, 'idleMs' | 'totalMs'> & {
  /** Monotonic milliseconds. */
  now?: () => number
}

/** Longest a statement may take that only begins or ends. */
const frameTimeoutMs = 5_000

/** What the encoders rely on; and compiling a statement to machine code would delay its first row. */
const begin = ({ totalMs }: ExportLimits) => `begin isolation level repeatable read read only;
  set local time zone 'UTC'; set local datestyle = 'ISO, YMD'; set local jit = off;
  set local statement_timeout = ${Math.ceil(totalMs)}`

const ask = async <Row>(client: PoolClient, text: string, values: unknown[] = []): Promise<Row[]> => {
  const query = { text, values, query_timeout: frameTimeoutMs } as QueryConfig
  return (await client.query(query)).rows as Row[]
}

const toCopy = ({ statement, encoder }: Selection): CopyStatement => ({
  text: `copy (${compileLiterally(statement)}) to stdout`,
  encoder,
})

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
  /** Ends with the connection: what still runs on it is of no use to anybody. */
  const abandon = () => {
    if (!isOpen) return
    isOpen = false
    cancelStatement(client)
    release(true)
  }
  try {
    await ask(client, begin(limits))
    await ask(client, `select set_config('app.customer_id', $1, true)`, [customerId])
    const { text, values } = compile(first)
    const [row] = await ask<First>(client, text, values)
    return {
      first: row as First,
      stream(selections, { head = '', onRows = () => {} } = {}) {
        const onEnd = async (isClean: boolean) => (isClean ? close() : abandon())
        try {
          const statements = selections.map(toCopy)
          const rows = streamCopy({ client, statements, ...limits, head, onRows, onEnd })
          pace = watchPace(rows, limits.now ?? (() => performance.now()))
          stream = rows
          return rows
        } catch (error) {
          void close()
          throw error
        }
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
