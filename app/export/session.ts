import type { Readable } from 'node:stream'
import type { PoolClient, QueryConfig } from 'pg'
import { compile } from '../db/statement-cache.ts'
import type { Sql } from '../records/sql/column.ts'
import { type RowStreamOptions, streamRows } from './row-stream.ts'
import { type RowBatches, readRows } from './rows.ts'

export type WriteRows = (rows: RowBatches) => AsyncIterator<string | Buffer>

/** A transaction that reads one snapshot. Holds a connection until it or its stream is closed. */
export type ExportSession<First> = Readonly<{
  first: First
  /** Streams the rows of the statements. Call it once: the end of the stream closes the session. */
  stream(statements: readonly Sql[], write: WriteRows, onRows?: (rows: number) => void): Readable
  close(): Promise<void>
  /** Returns the client's bytes per second. `undefined` until the stream has waited 30 s for the client. */
  getPace(): number | undefined
  cut(reason: string): void
}>

export type ExportLimits = Pick<RowStreamOptions, 'idleMs' | 'totalMs' | 'now'>

/** For statements that read no rows of the export. */
const frameTimeoutMs = 5_000

/**
 * The interval lets PostgreSQL notice a closed connection. Dates are written by DateStyle.
 */
const begin = ({ totalMs }: ExportLimits) => `begin isolation level repeatable read read only;
  set local client_connection_check_interval = 250; set local datestyle = iso;
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

type Opening = Readonly<{
  client: PoolClient
  customerId: string
  limits: ExportLimits
  /** `isBroken`: the connection cannot be reused. */
  release: (isBroken: boolean) => void
}>

/**
 * Opens a transaction as a customer. `first` returns one row of the snapshot. Calls `release` once, also before
 * it rejects with an error of the driver.
 */
export const openSession = async <First>(
  { client, customerId, limits, release }: Opening,
  first: Sql,
): Promise<ExportSession<First>> => {
  let isOpen = true
  let rows: ReturnType<typeof streamRows> | undefined
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await ask(client, 'rollback').then(
      () => release(false),
      () => release(true),
    )
  }
  /** Closes the connection, which also ends a running statement. */
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
        const pieces = write(counted(readRows(client, statements), onRows))
        rows = streamRows({ pieces, ...limits, finish: close, abandon })
        return rows.stream
      },
      close,
      getPace: () => rows?.getPace(),
      cut: (reason) => rows?.stream.destroy(new Error(`the export was cut: ${reason}`)),
    }
  } catch (error) {
    abandon()
    throw error
  }
}
