import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { inTurn, type QueuedDb } from '../db/connect.ts'
import { instantText } from '../db/instant.ts'
import { requireFraming } from '../http/require-framing.ts'
import type { Principal } from '../identity/principal.ts'
import { toAccountName } from '../limits/address.ts'
import type { Concurrency, Ending } from '../limits/concurrency.ts'
import type { ExportColumn, Sql } from '../records/sql/column.ts'
import { begunStream } from './begun-stream.ts'
import { getFormat } from './formats.ts'
import type { ExportSource } from './source.ts'

/** Cost of an export in the quota `minute` (contract, section 8). */
export const exportCost = 10

export type ExportRequest = Readonly<{
  principal: Principal
  type: string
  /** HEAD does not read the rows. */
  isHead: boolean
  httpVersion: string
  address: string
  /** Closes when the answer ends or its client disconnects. */
  ending: Ending
  countRows: (rows: number) => void
}>

export type ExportRows = Readonly<{
  name: string
  columns: readonly ExportColumn[]
  /** The statement after its select list. The conditions must include `s.customer_id`. */
  from: Sql
  hasMark?: boolean
}>

export type ExportAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  next?: string | undefined
  isCompressed: boolean
}>

export type Exports = {
  /**
   * Takes one of the customer's places. Call it before `answer`. Rejects with http_version_not_supported and
   * quota_exceeded.
   */
  hold(request: ExportRequest): Promise<void>
  /**
   * Returns the rows as a stream that has its first bytes. Rejects with unavailable or the statement's error.
   */
  answer(request: ExportRequest, rows: ExportRows): Promise<ExportAnswer>
}

type Deps = {
  db: QueuedDb
  source: ExportSource
  concurrency: Concurrency
  today: () => string
}

const columnList = (columns: readonly ExportColumn[]) =>
  sql.join(columns.map(({ name, value }) => sql`${value} as ${sql.ref(name)}`))

/** RFC 6266 without escapes: other characters become dashes. */
const fileName = (name: string, day: string, extension: string) =>
  `${name.replace(/[^A-Za-z0-9._-]/g, '-')}-${day}.${extension}`

/** Serves exports of any rows, without a framework: a free place, a snapshot, rows as bytes. */
export const createExports = ({ db, source, concurrency, today }: Deps): Exports => {
  const moment = sql<{ at: string }>`select ${sql.raw(instantText('now()'))} as at`

  return {
    async hold({ principal, isHead, httpVersion, address, ending }) {
      requireFraming(httpVersion)
      if (!isHead) await concurrency.hold(toAccountName(principal, address), 'exports', ending)
    },
    async answer(request, { name, columns, from, hasMark = false }) {
      const { principal, isHead, ending, countRows } = request
      const { contentType: type, extension, isCompressed, toStatement, write } = getFormat(request.type)
      const { customerId } = principal
      const toHeaders = (at = '') => ({
        'content-disposition': `attachment; filename="${fileName(name, today(), extension)}"`,
        'data-as-of': at,
      })
      if (isHead) {
        const { rows } = await inTurn(db, customerId, () => moment.execute(db))
        return { type, body: undefined, headers: toHeaders(rows[0]?.at), isCompressed }
      }
      const session = await source.open<{ at: string }>(customerId, moment)
      const statement = toStatement(sql`select ${columnList(columns)} ${from}`)
      const stream = session.stream([statement], (rows) => write(rows, columns, { hasMark }), countRows)
      const body = await begunStream(stream, ending)
      return { type, body, headers: toHeaders(session.first.at), isCompressed }
    },
  }
}
