import { cutMark } from '../../export/xlsx/text.ts'
import { JsonError, parseUniqueJson } from '../../http/unique-json.ts'
import type { FieldKind } from '../../records/resources/kind.ts'
import { quoteText } from '../quote.ts'
import { type DateReader, readCertainDate } from './dates.ts'
import { isSpreadsheetError } from './no-record.ts'
import type { TableCell } from './rows.ts'

export type CellValue = { value?: unknown; fault?: string }

const guarded = /^'+[=+\-@\t\r]/

const unguard = (cell: string): string => (guarded.test(cell) ? cell.slice(1) : cell)

/** The inverse of `joinTexts` of the export. */
const splitTexts = (joined: string): string[] => {
  const texts = ['']
  for (const [part] of joined.matchAll(/\\[;\\]|;|[^;\\]+|\\/g)) {
    if (part === ';') texts.push('')
    else texts[texts.length - 1] += /^\\./.test(part) ? part.slice(1) : part
  }
  return texts
}

const readJson = (cell: string): CellValue => {
  try {
    return { value: parseUniqueJson(cell) }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return { fault: `not JSON: ${error.message}` }
  }
}

/** As an XLSX export writes periods: `2024-04-24 to 2029-04-24 (initial); 2029-04-25 to unlimited (renewal)`. */
const periodText = /^(\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d|unlimited) \((\w+)\)$/

const readPeriods = (cell: string): CellValue | undefined => {
  const periods = cell.split(/;\s*/).map((text) => periodText.exec(text.trim()))
  if (periods.includes(null)) return undefined
  const value = periods.map((period) => {
    const [, from, until, basis] = period as string[]
    return { from, until: until === 'unlimited' ? null : until, basis }
  })
  return { value }
}

const readDateCell = (cell: string, readDate: DateReader | undefined): CellValue => {
  const value = readDate?.(cell) ?? readCertainDate(cell)
  if (value) return { value }
  const found = `found ${quoteText(cell)}`
  if (readDate) return { fault: `expected a date in the form of --dates; ${found}` }
  const form = /^\d{1,2}-\p{L}{3}-\d\d$/u.test(cell) ? 'DD-MON-YY' : 'DD.MM.YYYY'
  return {
    fault: `expected a date as YYYY-MM-DD; ${found}; for another form add --dates, such as --dates ${form}`,
  }
}

const wholeNumber = /^(-?\d{1,15})(?:[.,]0+)?$/

const readInteger = (cell: string): CellValue => {
  const number = wholeNumber.exec(cell)?.[1]
  return number === undefined
    ? { fault: `expected a whole number; found ${quoteText(cell)}` }
    : { value: Number(number) }
}

/** Converts a cell, as the CSV export or a saved XLSX export has it, to a field's value. */
export const readValue = (
  { kind, array }: Pick<FieldKind, 'kind' | 'array'>,
  cell: TableCell,
  readDate: DateReader | undefined,
): CellValue => {
  if (cell === undefined)
    return { fault: 'not UTF-8; name the encoding, such as --encoding windows-1252 or cp850' }
  if (cell === null) return { value: null }
  if (isSpreadsheetError(cell)) {
    return { fault: `an error of the spreadsheet; found ${quoteText(cell)}; correct the cell` }
  }
  if (cell.endsWith(cutMark)) {
    return { fault: 'the XLSX export has cut this text; import the CSV export' }
  }
  if (array) return { value: splitTexts(unguard(cell)) }
  if (kind === 'json') return readPeriods(cell) ?? readJson(cell)
  if (kind === 'date') return readDateCell(cell.trim(), readDate)
  if (kind === 'integer') return readInteger(cell.trim())
  return { value: unguard(cell) }
}
