import type { Connection, Submittable } from 'pg'
import { bindMessages } from './bind-messages.ts'
import { type Column, readRows, splitColumns } from './row-bytes.ts'

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

type Result = { rows: ReadRow[] }
type Callback = (error: Error | null, result?: Result) => void

/** A parameter as text, which is how PostgreSQL takes all of them here; undefined and null: none. */
export const toText = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.map(quoteElement).join(',')}}`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`no parameter of a page: ${typeof value}`)
}

const quoteElement = (element: unknown): string => {
  if (typeof element !== 'string') throw new TypeError(`no array of a page has a ${typeof element}`)
  return `"${element.replace(/[\\"]/g, '\\$&')}"`
}

/** Of the nine columns the records alone are binary. */
const formats = [0, 0, 0, 0, 0, 0, 0, 0, 1] as const

/** What stands before `last` is ASCII of a few bytes a column: one string, of which each is a part. */
const lastColumn = 5

const toRow = (bytes: Buffer): ReadRow => {
  const columns = splitColumns(bytes)
  const [last, total, included, data] = columns.slice(lastColumn)
  const stamps = columns.slice(0, lastColumn) as Column[]
  const before = bytes.toString('latin1', 0, stamps.at(-1)?.end)
  const [snapshot, at, server, standby, found] = stamps.map(({ start, end }) => before.slice(start, end)) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const text = (column: Column) => bytes.toString('utf8', column.start, column.end)
  return {
    snapshot,
    at,
    server,
    standby,
    found: Number(found),
    last: last ? JSON.parse(text(last)) : null,
    total: total ? Number(text(total)) : null,
    included: included ? text(included) : null,
    data: data ? { bytes, start: data.start, end: data.end } : null,
  }
}

/** What pg's types leave out of the connection. */
type Wire = Connection & {
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(statement: { name: string; text: string }): void
}

/**
 * A page's statement as the driver takes queries of others. Its records stay bytes: as a string they would be
 * decoded, put together and encoded again. It does not ask what its columns are called. `name` empty: not kept.
 */
export class RowQuery implements Submittable {
  readonly name: string
  readonly text: string
  readonly values: readonly (string | null)[]
  /** The driver wraps it where it bounds the time. */
  callback: Callback
  #row: ReadRow | undefined

  constructor(name: string, text: string, values: readonly (string | null)[], callback: Callback) {
    this.name = name
    this.text = text
    this.values = values
    this.callback = callback
  }

  submit(connection: Connection): void {
    const wire = connection as Wire
    const { name, text, values } = this
    readRows(wire.stream, (bytes) => {
      this.#row = toRow(bytes)
    })
    const isKnown = name !== '' && (wire.parsedStatements[name] ?? wire.submittedNamedStatements[name])
    if (!isKnown) {
      wire.stream.cork()
      wire.parse({ name, text })
      if (name !== '') wire.submittedNamedStatements[name] = text
    }
    if (wire.stream.writable) wire.stream.write(bindMessages(name, values, formats))
    if (!isKnown) wire.stream.uncork()
  }

  handleReadyForQuery(): void {
    const row = this.#row
    this.#row = undefined
    this.callback(null, { rows: row ? [row] : [] })
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleCommandComplete(): void {}
}
