import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { instantText } from '../db/instant.ts'
import type { Principal } from '../identity/principal.ts'
import { accountOf } from '../limits/address.ts'
import type { Concurrency, Ending } from '../limits/concurrency.ts'
import type { ExportColumn, Sql } from '../records/sql/column.ts'
import { begunStream } from './begun-stream.ts'
import { createCsvEncoder, csvHeader, csvType } from './csv.ts'
import { createJsonEncoder, linesType, objectParts } from './json-lines.ts'
import type { Selection } from './session.ts'
import type { ExportSource } from './source.ts'

/** The media types of an export, as `Accept` names them, in order of preference. */
export const exportTypes = [linesType, 'text/csv'] as const
export type ExportType = (typeof exportTypes)[number]

/** What an export costs of the quota `minute` (contract, section 8). */
export const exportCost = 10

export type ExportRequest = Readonly<{
  principal: Principal
  /** One of `exportTypes`. */
  type: string
  /** Headers only are asked for: no statement. */
  isHead: boolean
  /** The client's address. */
  address: string
  /** The answer's end, or its client's. */
  ending: Ending
  /** Told of rows as they go out, for the audit trail. */
  countRows: (rows: number) => void
}>

/** Rows of any origin: a list of records, or one that a document defines. */
export type ExportRows = Readonly<{
  /** Of the file, without extension. */
  name: string
  /** In the order that the format is to show them. */
  columns: readonly ExportColumn[]
  /**
   * What follows the select list: `from …` with all conditions, the order and the limit. `s.customer_id` is to be
   * among the conditions.
   */
  from: Sql
}>

export type ExportAnswer = Readonly<{
  type: string
  body: Buffer | Readable
  headers: Readonly<Record<string, string>>
}>

export type Exports = {
  /**
   * The rows as a stream whose first bytes are there. Rejects with quota_exceeded (two at once), unavailable, with
   * what `describe` throws, which is called once a place is free, and with what the statement fails with before
   * its first row. A failure after that destroys the stream.
   */
  answer(request: ExportRequest, describe: () => ExportRows): Promise<ExportAnswer>
}

type Deps = {
  source: ExportSource
  concurrency: Concurrency
  /** The UTC date, YYYY-MM-DD: part of the file's name. */
  today: () => string
}

type Format = {
  type: string
  extension: string
  head: (columns: readonly ExportColumn[]) => string
  encoder: (columns: readonly ExportColumn[]) => Selection['encoder']
}

const formats: Readonly<Record<ExportType, Format>> = {
  [linesType]: {
    type: linesType,
    extension: 'ndjson',
    head: () => '',
    encoder: (columns) => createJsonEncoder(objectParts(columns), '}'),
  },
  'text/csv': { type: csvType, extension: 'csv', head: csvHeader, encoder: createCsvEncoder },
}

const columnList = (columns: readonly ExportColumn[]) =>
  sql.join(columns.map(({ name, value }) => sql`${value} as ${sql.ref(name)}`))

/** RFC 6266 without escapes: anything beyond plain letters becomes a dash. */
const fileName = (name: string, day: string, extension: string) =>
  `${name.replace(/[^A-Za-z0-9._-]/g, '-')}-${day}.${extension}`

/** Exports without a framework: a free place → a snapshot → rows as bytes. Knows no resource. */
export const createExports = ({ source, concurrency, today }: Deps): Exports => {
  const moment = sql`select ${sql.raw(instantText('now()'))} as at`

  return {
    async answer(request, describe) {
      const { principal, isHead, ending, countRows } = request
      const { type, extension, head, encoder } = formats[request.type as ExportType]
      if (!isHead) await concurrency.hold(accountOf(principal, request.address), 'exports', ending)
      const { name, columns, from } = describe()
      const session = await source.open<{ at: string }>(principal.customerId, moment, isHead)
      const headers = {
        'content-disposition': `attachment; filename="${fileName(name, today(), extension)}"`,
        'data-as-of': session.first.at,
      }
      if (isHead) {
        await session.close()
        return { type, body: Buffer.alloc(0), headers }
      }
      const statement = sql`select ${columnList(columns)} ${from}`
      const options = { head: head(columns), onRows: countRows }
      const stream = session.stream([{ statement, encoder: encoder(columns) }], options)
      return { type, body: await begunStream(stream, ending), headers }
    },
  }
}
