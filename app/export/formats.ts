import { type FormatName, mediaTypes } from '../http/formats.ts'
import type { QueryShape } from '../records/query/controls.ts'
import type { ExportColumn, Sql } from '../records/sql/column.ts'
import { writeCsv } from './csv.ts'
import { selectJson, writeLines } from './json-lines.ts'
import type { RowBatches } from './rows.ts'
import { writeWorkbook } from './xlsx/workbook.ts'

export type ExportFormat = Readonly<{
  contentType: string
  extension: string
  /** True: a row is cells, in the requested order. False: a row is a JSON text in the schema's order. */
  isTable: boolean
  /** Ids and instants are the last columns, unless the client has named fields. */
  isReadableFirst?: true
  shape: Extract<QueryShape, 'export' | 'csv'>
  isCompressed: boolean
  toStatement(rows: Sql): Sql
  write(
    rows: RowBatches,
    columns: readonly ExportColumn[],
    options: { hasMark: boolean },
  ): AsyncIterator<string | Buffer>
}>

const asTable = (rows: Sql): Sql => rows

const formats: Readonly<Record<Exclude<FormatName, 'json'>, ExportFormat>> = {
  ndjson: {
    contentType: mediaTypes.ndjson,
    extension: 'ndjson',
    isTable: false,
    shape: 'export',
    isCompressed: false,
    toStatement: selectJson,
    write: writeLines,
  },
  csv: {
    // Parameters: RFC 4180, section 3, and RFC 7111.
    contentType: `${mediaTypes.csv}; charset=utf-8; header=present`,
    extension: 'csv',
    isTable: true,
    shape: 'csv',
    isCompressed: false,
    toStatement: asTable,
    write: (rows, columns, { hasMark }) => writeCsv(rows, columns, hasMark),
  },
  xlsx: {
    contentType: mediaTypes.xlsx,
    extension: 'xlsx',
    isTable: true,
    isReadableFirst: true,
    shape: 'export',
    isCompressed: true,
    toStatement: asTable,
    write: (rows, columns) => writeWorkbook(rows, columns),
  },
}

const names = Object.keys(formats) as (keyof typeof formats)[]

/** Media types, in order of preference for `Accept`. */
export const exportTypes: readonly string[] = names.map((name) => mediaTypes[name])

/** Returns the format of a media type. Throws if it is not in `exportTypes`. */
export const getFormat = (type: string): ExportFormat => {
  const name = names.find((each) => mediaTypes[each] === type)
  if (!name) throw new Error(`${type} is no format of an export`)
  return formats[name]
}

/** Returns which parameters a list accepts for a media type. */
export const toShape = (type: string): Exclude<QueryShape, 'item'> =>
  type === mediaTypes.json ? 'page' : getFormat(type).shape
