import { type ImportEntry, UnusableFile } from '../../../import/entry.ts'
import {
  type BadLine,
  checkLine,
  findResource,
  type LineOptions,
  type ParsedLine,
} from '../../../import/line.ts'
import { quoteText } from '../../../import/quote.ts'
import type { ResourceName } from '../../../records/resources/define.ts'
import { messages } from '../file-kind.ts'
import { planColumns, type TableColumn } from './columns.ts'
import { createDateReader } from './dates.ts'
import { createDescriber } from './describe.ts'
import { toUtf8 } from './encoding.ts'
import { findHeaderLine } from './header-line.ts'
import { type ColumnMapping, toValueKey } from './mapping.ts'
import { createNoRecordCheck } from './no-record.ts'
import { findDialect, parseRows, type TableCell, type TableRow } from './rows.ts'
import { formatSplit, listUnsplit } from './separators.ts'
import { createSpoiledCheck } from './spoiled.ts'
import { readValue } from './values.ts'

export type TableOptions = {
  /** Of all rows. Otherwise the table has a column `resource`. */
  resource?: ResourceName | undefined
  /** See `getEncodingLabel`. Optional. By default it is detected. */
  encoding?: string | undefined
  /** Form of dates, such as `DD.MM.YYYY`, in addition to `YYYY-MM-DD`. */
  dates?: string | undefined
  mappings?: readonly ColumnMapping[]
  /** Line of the header. The lines above it are a title. Optional. Defaults to the first row. */
  headerLine?: number | undefined
}

type Reading = TableOptions & LineOptions
type RowReader = (row: TableRow) => ParsedLine | BadLine

/** Of fields of the envelope, and of fields that the row's resource does not have. */
const text = { kind: 'text', array: false } as const

/** A text with a replacement is as the map wants it. */
const warnOfUnsplit = ({ field, mapping }: TableColumn, value: unknown): string[] => {
  if (!Array.isArray(value)) return []
  const warned = new Set<string>()
  const { separators = [';'] } = mapping ?? {}
  const texts = (value as string[]).filter((text) => !mapping?.values.has(toValueKey(text)))
  return texts.flatMap((text) => {
    const unsplit = listUnsplit(text, separators).filter((separator) => !warned.has(separator))
    for (const separator of unsplit) warned.add(separator)
    return unsplit.map(
      (separator) =>
        `${field}: ${JSON.stringify(separator)} is within a text, at which the list is not split; found ${quoteText(text)}; if it separates, map the column with ${formatSplit([...separators, separator])}`,
    )
  })
}

const createConverter = (columns: readonly TableColumn[], { dates }: Reading) => {
  const readDate = dates === undefined ? undefined : createDateReader(dates)
  const checkSpoiled = createSpoiledCheck()
  return ({ line, cells }: TableRow, resource: unknown) => {
    const fields = findResource(resource)?.fields
    const converted = {
      record: { resource } as Record<string, unknown>,
      faults: [] as string[],
      warnings: [] as string[],
    }
    for (const column of columns) {
      const { index, field, mapping } = column
      const [cell, kind] = [cells[index], fields?.get(field)]
      if (kind?.computed) continue
      // In a table of several resources, the fields of the others are empty.
      if (!kind && cell === null) continue
      const { value, faults = [] } = readValue(kind ?? text, cell, readDate, mapping)
      converted.record[field] = value
      converted.faults.push(...faults.map((fault) => `${field}: ${fault}`))
      if (kind?.kind !== 'text') continue
      converted.warnings.push(...warnOfUnsplit(column, value))
      for (const each of [value ?? []].flat())
        converted.warnings.push(...checkSpoiled(field, each as string, line))
    }
    return converted
  }
}

const createRowReader = (
  header: readonly TableCell[],
  columns: readonly TableColumn[],
  options: Reading,
): RowReader => {
  const width = header.length
  const checkNoRecord = createNoRecordCheck(header, columns)
  const { resource } = options
  const convert = createConverter(columns, options)
  const describe = createDescriber(columns)
  const resourceIndex = columns.find(({ field }) => field === 'resource')?.index ?? -1
  return (row) => {
    const { line, cells, fault } = row
    const reason = fault ?? checkNoRecord(row)
    if (reason !== undefined) return { line, reason }
    if (cells.length < width || cells.slice(width).some((cell) => cell !== null)) {
      const cause =
        cells.length < width
          ? 'a line break within a cell may have divided the row'
          : 'a cell may contain the separator'
      const reason = `expected ${width} cells as in the header; found ${cells.length}; ${cause}: write such a cell in quotes, or save the table as CSV again`
      return { line, reason }
    }
    const named = cells[resourceIndex] ?? resource
    const { record, faults, warnings } = convert(row, named)
    if (resource && named !== resource) faults.push(`resource: this import is for ${resource} only`)
    return checkLine(line, record, options, { faults, warnings, describe })
  }
}

const openTable = ({ cells, fault }: TableRow, options: Reading): RowReader => {
  if (fault !== undefined) throw new UnusableFile(`The header of the table: ${fault}`)
  const header = cells.slice(0, cells.findLastIndex((cell) => cell !== null) + 1)
  return createRowReader(header, planColumns(header, options), options)
}

/** Adds the line of the header to its faults, if there is a title above it. */
const withHeaderLine = async (error: unknown, headText: string, options: Reading): Promise<unknown> => {
  if (!(error instanceof UnusableFile) || options.headerLine !== undefined) return error
  const line = await findHeaderLine(headText)
  if (line === undefined) return error
  return new UnusableFile(
    `The table has a title: its header seems to be in line ${line}. Add --header-line ${line}`,
    { cause: error },
  )
}

/** Yields the rows from the header on. Throws `UnusableFile` if no row begins in its line. */
export async function* readRows(
  bytes: AsyncIterable<Uint8Array>,
  headText: string,
  headerLine: number | undefined,
): AsyncGenerator<TableRow> {
  const dialect = findDialect(headText, headerLine)
  const firstLine = headerLine ?? (dialect.hasSeparatorLine ? 2 : 1)
  let isFirst = true
  for await (const row of parseRows(bytes, dialect)) {
    if (row.line < firstLine) continue
    if (isFirst && headerLine !== undefined && row.line !== headerLine)
      throw new UnusableFile(`--header-line ${headerLine}: no row of the table begins in this line`)
    isFirst = false
    yield row
  }
}

/**
 * Yields each row of a CSV table, checked like a JSON line. `head`: the first bytes of the source. Throws
 * `UnusableFile` before the first row if the file is no table or its header has faults, and an `Error` at a
 * row above 1 MiB or at invalid bytes of an encoding other than UTF-8.
 */
export async function* readTable(
  source: AsyncIterable<Uint8Array>,
  head: Buffer,
  options: Reading,
): AsyncGenerator<ImportEntry> {
  const { bytes, headText } = toUtf8(source, head, options.encoding)
  if (/^\s*[{[]/.test(headText)) throw new UnusableFile(messages.json)
  let readRow: RowReader | undefined
  for await (const row of readRows(bytes, headText, options.headerLine)) {
    if (readRow) {
      const characters = row.cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0)
      yield { parsed: readRow(row), characters }
      continue
    }
    try {
      readRow = openTable(row, options)
    } catch (error) {
      throw await withHeaderLine(error, headText, options)
    }
  }
}
