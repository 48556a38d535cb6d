import type { Connection, Submittable } from 'pg'
import { readRows, splitColumns } from './row-bytes.ts'

/** Bytes with what may be written over around them: as much as lies before `start`, and behind `end`. */
export type Slice = Readonly<{ bytes: Buffer; start: number; end: number }>

/** What a page's statement answers, read by its columns' places; see `pageStatement`. */
export type ReadRow = {
  snapshot: string
  at: string
  server: string
  recovering: boolean
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

/** Behind the records: the member `page` with its cursor, in nearly every answer. */
const roomBytes = 512

/** All columns but the last are texts of a few bytes. */
const toRow = (bytes: Buffer): ReadRow => {
  const columns = splitColumns(bytes)
  const text = (index: number) => {
    const column = columns[index]
    return column ? bytes.toString('latin1', column.start, column.end) : null
  }
  const number = (index: number) => {
    const written = text(index)
    return written === null ? null : Number(written)
  }
  const [last, included, data] = [columns[5], columns[7], columns[8]]
  return {
    snapshot: text(0) as string,
    at: text(1) as string,
    server: text(2) as string,
    recovering: text(3) === 't',
    found: number(4) as number,
    last: last ? JSON.parse(bytes.toString('utf8', last.start, last.end)) : null,
    total: number(6),
    included: included ? bytes.toString('utf8', included.start, included.end) : null,
    data: data ? { bytes, start: data.start, end: data.end } : null,
  }
}

/** What pg's types leave out of the connection. */
type Wire = Connection & {
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(statement: { name: string; text: string }): void
  bind(bound: { statement: string; values: unknown[] }): void
  execute(): void
}

/**
 * A page's statement as the driver takes queries of others. Its records stay bytes: as a string they would be
 * decoded, put together and encoded again. It does not ask what its columns are called. `name` empty: not kept.
 */
export class RowQuery implements Submittable {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
  /** The driver wraps it where it bounds the time. */
  callback: Callback
  #row: ReadRow | undefined

  constructor(name: string, text: string, values: unknown[], callback: Callback) {
    this.name = name
    this.text = text
    this.values = values
    this.callback = callback
  }

  submit(connection: Connection): void {
    const wire = connection as Wire
    const { name, text, values } = this
    readRows(wire.stream, roomBytes, (bytes) => {
      this.#row = toRow(bytes)
    })
    wire.stream.cork()
    if (name === '' || !(wire.parsedStatements[name] ?? wire.submittedNamedStatements[name])) {
      wire.parse({ name, text })
      if (name !== '') wire.submittedNamedStatements[name] = text
    }
    wire.bind({ statement: name, values })
    wire.execute()
    wire.sync()
    wire.stream.uncork()
  }

  handleReadyForQuery(): void {
    const row = this.#row
    this.callback(null, { rows: row ? [row] : [] })
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleCommandComplete(): void {}
}
