import { mediaTypes } from '../http/formats.ts'
import type { ExportColumn, Sql } from '../records/sql/column.ts'
import { selectCsvLines, writeCsv } from './csv.ts'
import { selectJson, writeLines } from './json-lines.ts'
import { type RowBatches, selectColumns } from './rows.ts'
import { writeWorkbook } from './xlsx/workbook.ts'

export type ExportFormat = Readonly<{
  contentType: string
  extension: string
  /** Whether columns are in the requested order, otherwise in the schema's. */
  isTable: boolean
  /** Ids and instants are the last columns, unless the client has named fields. */
  isReadableFirst?: true
  isCompressed: boolean
  /** Returns the statement whose rows `write` gets. `from`: the statement after its select list. */
  select(columns: readonly ExportColumn[], from: Sql): Sql
  write(
    rows: RowBatches,
    columns: readonly ExportColumn[],
    hasByteOrderMark: boolean,
  ): AsyncIterator<string | Buffer>
}>

const formats: Readonly<Record<string, ExportFormat>> = {
  [mediaTypes.ndjson]: {
    contentType: mediaTypes.ndjson,
    extension: 'ndjson',
    isTable: false,
    isCompressed: false,
    select: (columns, from) => selectJson(selectColumns(columns, from)),
    write: writeLines,
  },
  [mediaTypes.csv]: {
    // Parameters: RFC 4180, section 3, and RFC 7111.
    contentType: `${mediaTypes.csv}; charset=utf-8; header=present`,
    extension: 'csv',
    isTable: true,
    isCompressed: false,
    select: selectCsvLines,
    write: writeCsv,
  },
  [mediaTypes.xlsx]: {
    contentType: mediaTypes.xlsx,
    extension: 'xlsx',
    isTable: true,
    isReadableFirst: true,
    isCompressed: true,
    select: selectColumns,
    write: (rows, columns) => writeWorkbook(rows, columns),
  },
}

/** Media types, in order of preference for `Accept`. */
export const exportTypes: readonly string[] = Object.keys(formats)

/** Returns the format of a media type. Throws if it is not in `exportTypes`. */
export const getFormat = (type: string): ExportFormat => {
  const format = formats[type]
  if (!format) throw new Error(`${type} is no format of an export`)
  return format
}
