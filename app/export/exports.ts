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

/** Requests that an export costs in the quota `minute`. */
export const exportCost = 10

export type ExportRequest = Readonly<{
  principal: Principal
  type: string
  isHead: boolean
  httpVersion: string
  address: string
  /** Closes when the response ends or its client disconnects. */
  ending: Ending
  countRows: (rows: number) => void
}>

export type ExportRows = Readonly<{
  name: string
  columns: readonly ExportColumn[]
  /** The statement after its select list. Its conditions must include the customer. */
  from: Sql
  hasByteOrderMark?: boolean
}>

/** An answer that is not cached. `body`: `undefined` for HEAD of a stream. `next`: URL of the next page. */
export type LiveAnswer = Readonly<{
  type: string
  body: Buffer | Readable | undefined
  headers: Readonly<Record<string, string>>
  next?: string | undefined
  /** Prevents (further) compression. Also true for events, which compression would delay. */
  isCompressed?: boolean
}>

export type Exports = {
  /** Call it before `answer`. Holds a slot until `ending` closes. Rejects for HTTP/1.0 or quota_exceeded. */
  hold(request: ExportRequest): Promise<void>
  /** Resolves to a begun stream. Rejects like `ExportSource.open` and the statement; HEAD like `inTurn`. */
  answer(request: ExportRequest, rows: ExportRows): Promise<LiveAnswer>
}

type Deps = {
  db: QueuedDb
  source: ExportSource
  concurrency: Concurrency
  today: () => string
}

/** Other characters would need the escapes of RFC 6266. */
const fileName = (name: string, day: string, extension: string) =>
  `${name.replace(/[^A-Za-z0-9._-]/g, '-')}-${day}.${extension}`

/** Creates the exports of any rows: of records, custom endpoints and the audit trail. */
export const createExports = ({ db, source, concurrency, today }: Deps): Exports => {
  const moment = sql<{ at: string }>`select ${sql.raw(instantText('now()'))} as at`

  return {
    async hold({ principal, isHead, httpVersion, address, ending }) {
      requireFraming(httpVersion)
      if (!isHead) await concurrency.hold(toAccountName(principal, address), 'exports', ending)
    },
    async answer(request, { name, columns, from, hasByteOrderMark = false }) {
      const { principal, isHead, ending, countRows } = request
      const { contentType: type, extension, isCompressed, select, write } = getFormat(request.type)
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
      const stream = session.stream(
        [select(columns, from)],
        (rows) => write(rows, columns, hasByteOrderMark),
        countRows,
      )
      const body = await begunStream(stream, ending)
      return { type, body, headers: toHeaders(session.first.at), isCompressed }
    },
  }
}
