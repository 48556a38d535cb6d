import { sql } from 'kysely'
import type { ExportColumn, Sql } from '../records/sql/column.ts'
import type { RowBatches } from './rows.ts'

// Literals with `E` mean the same with and without standard_conforming_strings.
const backslash = sql.raw(String.raw`E'\\'`)
/** Spreadsheets run these as formulas. With leading quotes too, so that an import can always remove one. */
const formula = sql.raw(String.raw`E'^''*[=+@\t\r-]'`)
/** Also edges that some readers trim, and empty text, which would be null. */
const quotable = sql.raw(String.raw`E'[",\r\n\ufeff]|^ | $|^$'`)

const guard = (text: Sql): Sql => sql`case when ${text} ~ ${formula} then '''' || ${text} else ${text} end`

const quote = (text: Sql): Sql =>
  sql`case when ${text} ~ ${quotable} then '"' || replace(${text}, '"', '""') || '"' else ${text} end`

/** All characters that begin a formula are before `A`, and a comparison is cheaper than the expression. */
const guardAndQuote = (text: Sql): Sql =>
  sql`case when ${text} >= 'A' then ${quote(text)} else ${quote(guard(text))} end`

/** Joins texts with `;`, escaped in a text as `\;`, and a backslash as `\\`. Null for an empty array. */
const joinTexts = (texts: Sql): Sql => {
  const escaped = sql`replace(replace(coalesce(e.text, ''), ${backslash}, ${backslash} || ${backslash}), ';', ${backslash} || ';')`
  return sql`case when cardinality(${texts}) = 0 then null
    when strpos(array_to_string(${texts}, ''), ';') > 0 or strpos(array_to_string(${texts}, ''), ${backslash}) > 0
      then (select string_agg(${escaped}, ';' order by e.place) from unnest(${texts}) with ordinality e (text, place))
    else array_to_string(${texts}, ';', '') end`
}

/** With the collation of all records, because the default one may not compare by bytes. */
const toText = (value: Sql): Sql => sql`(${value})::text collate "C"`

const toValue = ({ kind, value }: ExportColumn): Sql => {
  if (kind === 'texts') return toText(joinTexts(value))
  return ['text', 'json', 'periods'].includes(kind) ? toText(value) : value
}

/** Cells of the other kinds need neither quotes nor a guard: a negative number stays a number. */
const toCell = ({ kind, name }: ExportColumn): Sql => {
  const value = sql`x.${sql.id(name)}`
  if (kind === 'text' || kind === 'texts') return guardAndQuote(value)
  if (kind === 'json' || kind === 'periods') return quote(value)
  return kind === 'boolean' ? sql`${value}::text` : value
}

/** PostgreSQL passes at most 100 arguments to a function. */
const mostArguments = 50

const joinCells = (cells: readonly Sql[]): Sql => {
  const parts: Sql[] = []
  for (let at = 0; at < cells.length; at += mostArguments) {
    const part = cells.slice(at, at + mostArguments)
    parts.push(sql`format(${sql.lit(part.map(() => '%s').join())}, ${sql.join(part)})`)
  }
  return sql.join(parts, sql.raw(` || ',' || `))
}

/**
 * Returns a statement that selects each row as one text: a line of CSV (RFC 4180) without its end. A null is an empty
 * cell, `""` in a table of one column, because readers skip empty lines. `from`: the statement after its select list.
 * Dates need the DateStyle ISO, which `openSession` sets. See docs/decisions/0202-postgresql-writes-the-lines-of-csv.md.
 */
export const selectCsvLines = (columns: readonly ExportColumn[], from: Sql): Sql => {
  const values = columns.map((column) => sql`${toValue(column)} as ${sql.id(column.name)}`)
  const cells = columns.map(toCell)
  const [only] = cells
  const line = cells.length === 1 ? sql`coalesce((${only})::text, '""')` : joinCells(cells)
  // `offset 0` computes each value once, though a cell mentions it several times.
  return sql`select ${line} as line from (select ${sql.join(values)} ${from} offset 0) x`
}

/** Writes CSV with a header, also without rows. Names of columns need no quotes. */
export async function* writeCsv(
  batches: RowBatches,
  columns: readonly ExportColumn[],
  hasByteOrderMark: boolean,
): AsyncGenerator<string> {
  let head = `${hasByteOrderMark ? '\ufeff' : ''}${columns.map(({ name }) => name).join()}\r\n`
  for await (const rows of batches) {
    yield head + rows.map(([line]) => `${line}\r\n`).join('')
    head = ''
  }
  if (head !== '') yield head
}
