import pg, { type Connection } from 'pg'
import { type ColumnRange, readRows, splitColumns } from './row-bytes.ts'

/** A part of these bytes. */
export type Slice = Readonly<{ bytes: Buffer; start: number; end: number }>

/** What a page's statement answers, read by its columns' places; see `pageStatement`. */
export type ReadRow = {
  snapshot: string
  at: string
  server: string
  standby: string
  found: number
  last: [string[]] | null
  total: number | null
  included: string | null
  data: Slice | null
}

type Callback = (error: Error | null, result?: { rows: ReadRow[] }) => void

/** Columns before `last`. Their values are ASCII. */
const stampColumns = 4

/** Every column is binary: texts and JSON are the same bytes, and numbers are big endian. */
const toRow = (bytes: Buffer): ReadRow => {
  const columns = splitColumns(bytes)
  const text = ({ start, end }: ColumnRange) => bytes.toString('utf8', start, end)
  const stamps = columns.slice(0, stampColumns) as ColumnRange[]
  const [snapshot, at, server, standby] = stamps.map(text) as [string, string, string, string]
  const [found, last, total, included, data] = columns.slice(stampColumns)
  return {
    snapshot,
    at,
    server,
    standby,
    found: bytes.readInt32BE((found as ColumnRange).start),
    last: last ? JSON.parse(text(last)) : null,
    total: total ? Number(bytes.readBigInt64BE(total.start)) : null,
    included: included ? text(included) : null,
    data: data ? { bytes, start: data.start, end: data.end } : null,
  }
}

/**
 * A page's statement as the driver's own query. Only its row is read in front of the driver and stays bytes: as a string
 * it would be decoded, put together and encoded again. `name` empty: not kept prepared.
 */
export const createRowQuery = (
  name: string,
  text: string,
  values: readonly unknown[],
  callback: Callback,
): pg.Query => {
  let row: ReadRow | undefined
  const settle = (error: Error | null) => {
    const rows = row ? [row] : []
    row = undefined
    callback(error, { rows })
  }
  const query = new pg.Query({
    name,
    text,
    values: [...values],
    binary: true,
    callback: settle,
  } as pg.QueryConfig)
  const submit = query.submit.bind(query)
  query.submit = (connection: Connection) => {
    readRows(connection.stream, (bytes) => {
      row = toRow(bytes)
    })
    return submit(connection)
  }
  return query
}
