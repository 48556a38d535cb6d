import { findDialect, parseRows, type TableRow } from './rows.ts'

/** A title, its date and a blank line are usual. */
const maxTitleRows = 20

const countFilled = ({ cells }: TableRow) => cells.filter((cell) => cell !== null && cell !== '').length

/**
 * Finds the line of the header below a title: the first of 20 rows with at least half as many filled cells as the fullest
 * one. `headText`: the start of the table. `undefined` if the first row is the header, or the table has one column.
 */
export const findHeaderLine = async (headText: string): Promise<number | undefined> => {
  const dialect = findDialect(headText, 1, maxTitleRows)
  const rows: TableRow[] = []
  for await (const row of parseRows(ReadableStream.from([Buffer.from(headText)]), dialect)) {
    if (dialect.hasSeparatorLine && row.line === 1) continue
    rows.push(row)
    if (rows.length === maxTitleRows) break
  }
  const most = Math.max(...rows.map(countFilled))
  const header = rows.find((row) => countFilled(row) >= 2 && 2 * countFilled(row) >= most)
  return header === rows[0] ? undefined : header?.line
}
