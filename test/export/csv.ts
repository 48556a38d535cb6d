import { parse } from 'csv-parse/sync'

/** Null if the cell is empty and not quoted. */
export type Cell = string | null

/** Parses a CSV file with another parser than the import's. */
export const parseCells = (text: string): Cell[][] =>
  parse(text, {
    cast: (value: string, { quoting }: { quoting: boolean }) => (value === '' && !quoting ? null : value),
    relax_column_count: false,
    record_delimiter: '\r\n',
  }) as unknown as Cell[][]

/** Removes the quote that keeps spreadsheets from running a text as a formula. */
export const unguard = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

export const splitTexts = (cell: Cell): string[] => {
  if (cell === null) return []
  const elements: string[] = []
  let element = ''
  for (let i = 0; i < cell.length; i++) {
    if (cell[i] === '\\') element += cell[++i]
    else if (cell[i] === ';') {
      elements.push(element)
      element = ''
    } else element += cell[i]
    if (i === cell.length - 1) elements.push(element)
  }
  return cell === '' ? [''] : elements
}
