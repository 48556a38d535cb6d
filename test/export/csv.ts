import { parse } from 'csv-parse/sync'

/** A cell of a file: null where nothing stands, also not quotes. */
export type Cell = string | null

/** The cells of a CSV file by a parser of its own, quoted empty ones told from those without anything. */
export const parseCells = (text: string): Cell[][] =>
  parse(text, {
    cast: (value: string, { quoting }: { quoting: boolean }) => (value === '' && !quoting ? null : value),
    relax_column_count: false,
    record_delimiter: '\r\n',
  }) as unknown as Cell[][]

/** A text as its author wrote it: without the quote that keeps it from being a formula. */
export const unguard = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

/** The elements of a cell that joins texts. */
export const splitTexts = (cell: Cell): string[] => {
  if (cell === null) return []
  const elements: string[] = []
  let element = ''
  for (let i = 0, joined = unguard(cell); i < joined.length; i++) {
    if (joined[i] === '\\') element += joined[++i]
    else if (joined[i] === ';') {
      elements.push(element)
      element = ''
    } else element += joined[i]
    if (i === joined.length - 1) elements.push(element)
  }
  return cell === '' ? [''] : elements
}
