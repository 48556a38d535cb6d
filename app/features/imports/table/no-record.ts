import { quoteText } from '../../../import/quote.ts'
import type { TableCell, TableRow } from './rows.ts'

/** Errors of Excel in every language (`#N/A`, `#WERT!`, `#¿NOMBRE?`), of LibreOffice, and too narrow columns. */
const excelError = /^(?:#(?:N\/A|NV|N\/D|[¡¿]?[\p{Lu}\d_/]{2,20}[!?])|#{3,}|(?:Err|Fehler):\d{3})$/u

/** Whether a cell, or a text of its list, is a spreadsheet's error. */
export const isSpreadsheetError = (cell: string): boolean =>
  excelError.test(cell.trim()) || cell.split(';').some((text) => excelError.test(text.trim()))

const totalWord =
  /^(?:(?:grand |sub)?total|sum|count|(?:gesamt|zwischen)?summe|(?:gesamt|teil)?ergebnis|gesamt(?:anzahl)?|anzahl):?$/i

const isTotalWord = (cell: TableCell) => typeof cell === 'string' && totalWord.test(cell.trim())

/** Excel counts (`12 products`) and sums (`=SUM(…)`). A record has a text with a letter first. */
const isNumeric = (cell: TableCell) =>
  cell === null || (typeof cell === 'string' && /^\s*(?:$|'?[\d.,=+-])/.test(cell))

/**
 * Returns a function that describes a row that is no record: the header once more, or a total. A total has such a
 * word in `id`, or no `id`, and otherwise only numbers, so that a record of an export is never a total.
 */
export const createNoRecordCheck = (
  header: readonly TableCell[],
  columns: readonly Readonly<{ index: number; field: string }>[],
) => {
  const names = header.map((cell) => (cell ?? '').trim())
  const idIndex = columns.find(({ field }) => field === 'id')?.index ?? -1
  return ({ cells }: TableRow): string | undefined => {
    if (names.every((name, index) => name === (cells[index] ?? '').trim())) {
      return 'the header once more, which is no record'
    }
    const word = cells.find(isTotalWord)
    if (word === undefined || (cells[idIndex] !== null && !isTotalWord(cells[idIndex]))) return undefined
    if (!cells.every((cell) => isTotalWord(cell) || isNumeric(cell))) return undefined
    return `a total, which is no record; found ${quoteText(word as string)}`
  }
}
