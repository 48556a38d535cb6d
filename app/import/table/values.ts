import { JsonError, parseUniqueJson } from '../../http/unique-json.ts'
import type { FieldKind } from '../../records/resources/kind.ts'
import type { DateReader } from './dates.ts'
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

const isoDate = /^\d{4}-\d\d-\d\d$/

const toIsoDate = (cell: string, readDate: DateReader | undefined): CellValue => {
  if (isoDate.test(cell)) return { value: cell }
  const value = readDate?.(cell)
  if (value) return { value }
  return {
    fault: readDate
      ? 'expected a date in the form of --dates'
      : 'expected a date as YYYY-MM-DD; for another form add --dates, such as --dates DD.MM.YYYY',
  }
}

/** Converts a cell, as the CSV export writes it, to a field's value. A malformed integer stays a text. */
export const readValue = (
  { kind, array }: Pick<FieldKind, 'kind' | 'array'>,
  cell: TableCell,
  readDate: DateReader | undefined,
): CellValue => {
  if (cell === undefined)
    return { fault: 'not UTF-8; name the encoding, such as --encoding windows-1252 or cp850' }
  if (cell === null) return { value: null }
  if (array) return { value: splitTexts(unguard(cell)) }
  if (kind === 'json') return readJson(cell)
  if (kind === 'date') return toIsoDate(cell, readDate)
  if (kind === 'integer') return { value: /^-?\d{1,15}$/.test(cell) ? Number(cell) : cell }
  return { value: unguard(cell) }
}
