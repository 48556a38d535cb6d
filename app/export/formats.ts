import type { Readable } from 'node:stream'
import { type FormatName, mediaTypes } from '../http/formats.ts'
import type { QueryShape } from '../records/query/controls.ts'
import type { ExportColumn } from '../records/sql/column.ts'
import type { PieceStream } from '../wire/copy-stream.ts'
import type { RowEncoder } from '../wire/row.ts'
import { createCsvEncoder, csvHeader } from './csv.ts'
import { createJsonEncoder, objectParts } from './json-lines.ts'
import { createSheetEncoder } from './xlsx/rows.ts'
import { packWorkbook } from './xlsx/workbook.ts'

/** How rows are written. */
export type RowWriting = Readonly<{
  /** What stands before the first row. */
  head: string
  encoder: RowEncoder
  /** Makes a file of what was written; absent: it is one. */
  pack?: (rows: PieceStream) => Readable
}>

export type ExportFormat = Readonly<{
  /** `Content-Type`: the media type, with what is to be said beside. */
  contentType: string
  extension: string
  /** Whether a row is cells in the order asked for. Else it is JSON, as on a page. */
  isTable: boolean
  /** Which parameters it takes. */
  shape: Extract<QueryShape, 'export' | 'csv'>
  /** Whether its bytes are compressed already, so that no content coding is put on top. */
  isCompressed: boolean
  writing(columns: readonly ExportColumn[], options: { hasMark: boolean }): RowWriting
}>

const byteOrderMark = '\ufeff'

/** Every format of an export. A new one is a row here and its name and media type in `app/http/formats.ts`. */
const formats: Readonly<Record<Exclude<FormatName, 'json'>, ExportFormat>> = {
  ndjson: {
    contentType: mediaTypes.ndjson,
    extension: 'ndjson',
    isTable: false,
    shape: 'export',
    isCompressed: false,
    writing: (columns) => ({ head: '', encoder: createJsonEncoder(objectParts(columns), '}') }),
  },
  csv: {
    // RFC 4180, with what RFC 7111 lets be said of it.
    contentType: `${mediaTypes.csv}; charset=utf-8; header=present`,
    extension: 'csv',
    isTable: true,
    shape: 'csv',
    isCompressed: false,
    writing: (columns, { hasMark }) => ({
      head: `${hasMark ? byteOrderMark : ''}${csvHeader(columns)}`,
      encoder: createCsvEncoder(columns),
    }),
  },
  xlsx: {
    contentType: mediaTypes.xlsx,
    extension: 'xlsx',
    isTable: true,
    shape: 'export',
    isCompressed: true,
    writing: (columns) => ({
      head: '',
      encoder: createSheetEncoder(columns),
      pack: (rows) => packWorkbook(rows, columns),
    }),
  },
}

const names = Object.keys(formats) as (keyof typeof formats)[]

/** The media types of an export, as `Accept` names them, in order of preference. */
export const exportTypes: readonly string[] = names.map((name) => mediaTypes[name])

/** Returns the format of a media type. Throws where it is none of `exportTypes`. */
export const formatOf = (type: string): ExportFormat => {
  const name = names.find((each) => mediaTypes[each] === type)
  if (!name) throw new Error(`${type} is no format of an export`)
  return formats[name]
}
