import { date } from '../../../../schemas/fields.ts'
import { cutMark } from '../../../export/xlsx/text.ts'
import { JsonError, parseUniqueJson } from '../../../http/unique-json.ts'
import { countryFields } from '../../../import/country-codes.ts'
import { quoteText } from '../../../import/quote.ts'
import type { FieldKind } from '../../../records/resources/kind.ts'
import { findCountryCode, suggestCountry } from '../country-names.ts'
import { type DateReader, readCertainDate } from './dates.ts'
import { type ColumnMapping, toValueKey } from './mapping.ts'
import { isSpreadsheetError } from './no-record.ts'
import type { TableCell } from './rows.ts'

/** `faults`: why the cell, or texts of its list, have no value. */
export type CellValue = { value: unknown; faults?: never } | { value?: never; faults: string[] }

const faulty = (fault: string): CellValue => ({ faults: [fault] })

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
    return faulty(`not JSON: ${error.message}`)
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

/** Dates in which null means unlimited, and words for it. */
const unlimitedDates = ['valid_until']
const unlimitedWords = ['unbefristet', 'unbegrenzt', 'unlimited', 'indefinite']

const readDateCell = (name: string | undefined, cell: string, dates: DateReader | undefined): CellValue => {
  const formed = dates?.read(cell)
  const value = formed ?? readCertainDate(cell)
  if (value && date.safeParse(value).success) return { value }
  if (value)
    return faulty(`no such day${formed ? ` in the form ${dates?.form}` : ''}; found ${quoteText(cell)}`)
  const hasNoEnd = unlimitedDates.some((each) => each === name) && unlimitedWords.includes(toValueKey(cell))
  if (hasNoEnd) return { value: null }
  const found = `found ${quoteText(cell)}`
  if (dates) return faulty(`expected a date as ${dates.form} (--dates) or YYYY-MM-DD; ${found}`)
  const form = /^\d{1,2}-\p{L}{3}-\d\d$/u.test(cell) ? 'DD-MON-YY' : 'DD.MM.YYYY'
  return faulty(
    `expected a date as YYYY-MM-DD; ${found}; for another form add --dates, such as --dates ${form}`,
  )
}

const wholeNumber = /^(-?\d{1,15})(?:[.,]0+)?$/

const readInteger = (cell: string): CellValue => {
  const number = wholeNumber.exec(cell)?.[1]
  return number === undefined
    ? faulty(`expected a whole number; found ${quoteText(cell)}`)
    : { value: Number(number) }
}

const readCountry = (name: string): CellValue => {
  const value = findCountryCode(name)
  if (value !== undefined) return { value }
  return faulty(
    `expected a country's code, or its name in English or German; found ${quoteText(name)}${suggestCountry(name)}`,
  )
}

type FieldReading = Pick<FieldKind, 'kind' | 'array'> & Readonly<{ name?: string }>

const readText = ({ name, kind }: FieldReading, text: string, dates: DateReader | undefined): CellValue => {
  if (kind === 'date') return readDateCell(name, text.trim(), dates)
  if (kind === 'integer') return readInteger(text.trim())
  return name !== undefined && countryFields.includes(name) ? readCountry(text) : { value: text }
}

const splitBy = (cell: string, separators: readonly string[]): string[] =>
  separators
    .reduce((texts, separator) => texts.flatMap((text) => text.split(separator)), [cell])
    .map((text) => text.trim())
    .filter((text) => text !== '')

const replace = (text: string, mapping: ColumnMapping | undefined): string | null => {
  const replacement = mapping?.values.size ? mapping.values.get(toValueKey(text)) : undefined
  return replacement === undefined ? text : replacement
}

const readList = (
  field: FieldReading,
  cell: string,
  mapping: ColumnMapping | undefined,
  dates: DateReader | undefined,
): CellValue => {
  const texts = mapping?.separators === undefined ? splitTexts(cell) : splitBy(cell, mapping.separators)
  const kept = texts.map((text) => replace(text, mapping)).filter((text) => text !== null)
  const values = kept.map((text) => readText(field, text, dates))
  const faults = values.flatMap(({ faults = [] }) => faults)
  return faults.length > 0 ? { faults } : { value: values.map(({ value }) => value) }
}

/** Converts a cell, as the CSV export, a saved XLSX export or the `mapping` has it, to a field's value. */
export const readValue = (
  field: FieldReading,
  cell: TableCell,
  dates?: DateReader,
  mapping?: ColumnMapping,
): CellValue => {
  if (cell === undefined)
    return faulty('not UTF-8; name the encoding, such as --encoding windows-1252 or cp850')
  if (cell === null) return { value: null }
  const text = unguard(cell)
  const replaced = field.array ? text : replace(text, mapping)
  if (replaced === null) return { value: null }
  if (replaced === text && isSpreadsheetError(cell)) {
    return faulty(`an error of the spreadsheet; found ${quoteText(cell)}; correct the cell`)
  }
  if (cell.endsWith(cutMark)) {
    return faulty('the XLSX export has cut this text; import the CSV export')
  }
  if (field.array) return readList(field, text, mapping, dates)
  if (field.kind === 'json') return readPeriods(replaced) ?? readJson(replaced)
  return readText(field, replaced, dates)
}
