import Papa from 'papaparse'
import type { ColumnKind, ExportColumn } from '../records/sql/column.ts'
import type { Cell, RowBatches } from './rows.ts'

const options: Papa.UnparseConfig = {
  newline: '\r\n',
  quotes: (cell) => cell === '',
}

const toLines = (rows: (string | null | undefined)[][]): string => `${Papa.unparse(rows, options)}\r\n`

/** Spreadsheets run these as formulas. With leading quotes too, so that an import can always remove one. */
const formula = /^'*[=+\-@\t\r]/

const guard = (text: string): string => (formula.test(text) ? `'${text}` : text)

const joinedSpecial = /[;\\]/g

/** Joins texts with `;`, escaped in a text as `\;`, and a backslash as `\\`. Null for an empty array. */
export const joinTexts = (texts: readonly (string | null)[]): string | null =>
  texts.length === 0 ? null : texts.map((text) => (text ?? '').replace(joinedSpecial, '\\$&')).join(';')

const toText = (cell: Cell): string => guard(cell as string)

const toTexts = (cell: Cell): string | null => {
  const joined = joinTexts(cell as readonly string[])
  return joined === null ? null : guard(joined)
}

/** Other kinds are not guarded: a negative number stays a number. */
const writers: Partial<Record<ColumnKind, (cell: Cell) => string | null>> = { text: toText, texts: toTexts }

/** Writes CSV (RFC 4180) with a header, also without rows. An empty batch would become an empty line. */
export async function* writeCsv(
  batches: RowBatches,
  columns: readonly ExportColumn[],
  hasByteOrderMark: boolean,
): AsyncGenerator<string> {
  const toCells = columns.map(({ kind }) => writers[kind] ?? String)
  // Readers skip empty lines, so a table of one column has quotes in the cells of null.
  const empty = columns.length === 1 ? '' : null
  let head = `${hasByteOrderMark ? '\ufeff' : ''}${toLines([columns.map(({ name }) => name)])}`
  for await (const rows of batches) {
    const cells = rows.map((row) =>
      row.map((cell, index) => (cell === null ? empty : (toCells[index]?.(cell) ?? empty))),
    )
    yield head + toLines(cells)
    head = ''
  }
  if (head !== '') yield head
}
