import { sql } from 'kysely'
import { inTurn } from '../../db/connect.ts'
import { selectInstant } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import { type ExportAnswer, type ExportRequest, type Exports, exportCost } from '../../export/exports.ts'
import { mediaTypes } from '../../http/formats.ts'
import { chooseType, typeByFormat } from '../../http/media-type.ts'
import { formatPairs, parsePairs } from '../../http/pairs.ts'
import { type CursorCodec, isOfSelection, readCursor, refuseQuery } from '../../records/query/cursor.ts'
import { defaultLimit } from '../../records/query/query.ts'
import { resolveInstant } from '../../records/query/values.ts'
import type { Sql } from '../../records/sql/column.ts'
import { session } from '../../records/sql/session.ts'
import type { TrailList } from './lists.ts'
import { parseTrailQuery, selectionOf, type TrailQuery } from './query.ts'

/** The media types of the trail: pages, and lines of a whole list. */
export const trailTypes: readonly string[] = [mediaTypes.json, mediaTypes.ndjson]

/** What a request costs of the quota `minute`. */
export const trailCost = (rawQuery: string, accept: string | undefined): number =>
  chooseType(accept, rawQuery, trailTypes) === mediaTypes.ndjson ? exportCost : 1

type TrailRequest = ExportRequest & Readonly<{ rawQuery: string }>

// See docs/decisions/0100-customers-read-copies-of-what-was-hashed.md.
export type Trail = {
  /**
   * A page or the whole of a list, for the customer who asks. Rejects with invalid_query, invalid_cursor,
   * quota_exceeded, and as the database does.
   */
  answer(request: TrailRequest, list: TrailList): Promise<ExportAnswer>
}

type TrailDeps = {
  db: Db
  exports: Exports
  cursors: CursorCodec
  publicUrl: string
  /** The UTC date, YYYY-MM-DD. */
  today: () => string
}

const conditionsOf = (list: TrailList, { conditions }: TrailQuery, today: string): Sql => {
  const given = [...conditions].map(([name, values]) => {
    const filter = list.filters[name] as TrailList['filters'][string]
    const isInstant = filter.kind === 'instant'
    return filter.condition(isInstant ? values.map((value) => resolveInstant(value, today)) : values)
  })
  return sql.join([list.where, ...given], sql.raw(' and '))
}

type PageRow = { at: string; place: string | null } & Record<string, string | null>

const pageStatement = (
  list: TrailList,
  customerId: string,
  conditions: Sql,
  after: string | undefined,
  limit: number,
) => {
  const columns = list.columns.map(({ name, value }) => sql`${value}::text as ${sql.ref(name)}`)
  const further = after === undefined ? sql`` : sql`and ${list.order} < ${after}::bigint`
  return sql<PageRow>`select ${selectInstant('now()')} as "data_as_of", page.*
    from ${session(customerId, false)}
    left join lateral (
      select ${list.order}::text as place, ${sql.join(columns)} from ${list.from}
      where ${conditions} ${further} order by ${list.order} desc limit ${limit + 1}::integer
    ) page on true`
}

/** The query of the next page: what was asked, and its cursor. The query is known to be without faults. */
const nextQuery = (rawQuery: string, cursor: string): string => {
  const asked = parsePairs(rawQuery).filter(({ name }) => name !== 'cursor')
  return formatPairs([...asked.map(({ name, value }) => [name, value ?? ''] as const), ['cursor', cursor]])
}

/** A row as the lines of an export have it, byte for byte. */
const toJson = ({ columns }: TrailList, row: PageRow): string =>
  `{${columns
    .map(({ name, kind }) => {
      const value = row[name] ?? null
      return `"${name}":${kind === 'json' ? value : JSON.stringify(value)}`
    })
    .join(',')}}`

/** The trail as its customers read it: query → statement → bytes. Nothing is kept, so that no copy is anywhere. */
export const createTrail = ({ db, exports, cursors, publicUrl, today }: TrailDeps): Trail => {
  const parse = ({ principal, type, rawQuery }: TrailRequest, list: TrailList): TrailQuery => {
    const { customerId } = principal
    const outcome = parseTrailQuery(list, type !== mediaTypes.json, rawQuery)
    if ('query' in outcome) return outcome.query
    throw refuseQuery(cursors, customerId, outcome, `${publicUrl}/v1/${list.path}`, (corrected) => {
      const isExport = (typeByFormat(corrected) ?? type) !== mediaTypes.json
      const again = parseTrailQuery(list, isExport, corrected)
      if (!('query' in again)) return false
      return isOfSelection(cursors, customerId, selectionOf(list, again.query), again.query.cursor)
    })
  }

  const answerPage = async (request: TrailRequest, list: TrailList): Promise<ExportAnswer> => {
    const { customerId } = request.principal
    const query = parse(request, list)
    const [after] = readCursor(cursors, customerId, selectionOf(list, query), query.cursor) ?? []
    const { limit = defaultLimit } = query
    const conditions = conditionsOf(list, query, today())
    const statement = pageStatement(list, customerId, conditions, after, limit)
    const { rows } = await inTurn(db, customerId, () => statement.execute(db))
    const found = rows.filter(({ place }) => place !== null)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1)?.place : undefined
    const next = last ? cursors.encode(customerId, selectionOf(list, query), [last]) : null
    const page = { limit, has_more: next !== null, next_cursor: next }
    request.countRows(shown.length)
    const data = shown.map((row) => toJson(list, row)).join(',')
    return {
      type: mediaTypes.json,
      body: Buffer.from(`{"data":[${data}],"page":${JSON.stringify(page)}}`),
      headers: { 'data-as-of': rows[0]?.data_as_of ?? '' },
      next: next === null ? undefined : `/v1/${list.path}?${nextQuery(request.rawQuery, next)}`,
      isCompressed: false,
    }
  }

  const answerLines = (request: TrailRequest, list: TrailList): Promise<ExportAnswer> =>
    exports.answer(request, () => {
      const query = parse(request, list)
      const limit = query.limit === undefined ? sql`` : sql`limit ${query.limit}`
      const from = sql`from (select ${request.principal.customerId}::text as customer_id) s cross join ${list.from}
        where ${conditionsOf(list, query, today())} order by ${list.order} desc ${limit}`
      return { name: list.path, columns: list.columns, from }
    })

  return {
    answer: (request, list) =>
      request.type === mediaTypes.json ? answerPage(request, list) : answerLines(request, list),
  }
}
