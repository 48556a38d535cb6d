import { sql } from 'kysely'
import { inTurn } from '../../db/connect.ts'
import { selectInstant } from '../../db/instant.ts'
import { type ExportRequest, type Exports, exportCost, type LiveAnswer } from '../../export/exports.ts'
import { mediaTypes } from '../../http/formats.ts'
import { chooseType, typeByFormat } from '../../http/media-type.ts'
import { formatPairs, parsePairs } from '../../http/pairs.ts'
import { isOfSelection, readCursor, refuseQuery } from '../../records/query/cursor.ts'
import { defaultLimit } from '../../records/query/query.ts'
import { resolveInstant } from '../../records/query/values.ts'
import type { ReadDeps } from '../../records/records.ts'
import type { Sql } from '../../records/sql/column.ts'
import { session } from '../../records/sql/session.ts'
import { type EntryFilter, entryColumns, entryFilters, splitEntries } from './entries.ts'
import { formatSelection, parseTrailQuery, type TrailQuery } from './query.ts'

export const trailTypes: readonly string[] = [mediaTypes.json, mediaTypes.ndjson]

/** Returns the cost of a request in units of the quota `minute`. */
export const trailCost = (rawQuery: string, accept: string | undefined): number =>
  chooseType(accept, rawQuery, trailTypes) === mediaTypes.ndjson ? exportCost : 1

type RawTrailRequest = Pick<ExportRequest, 'principal' | 'type'> & Readonly<{ rawQuery: string }>
type TrailRequest = ExportRequest & Readonly<{ rawQuery: string; query: TrailQuery }>

// See docs/decisions/0100-customers-read-copies-of-sealed-entries.md.
export type Trail = {
  /** Throws invalid_query, with a corrected address if there is one. */
  parse(request: RawTrailRequest): TrailQuery
  /** Does nothing for a page. For a whole list, holds a slot and rejects as `Exports.hold` does. */
  hold(request: ExportRequest): Promise<void>
  /** Returns a page or a whole list. Rejects with invalid_cursor, or as `inTurn` or `Exports.answer` does. */
  answer(request: TrailRequest): Promise<LiveAnswer>
}

type TrailDeps = Omit<ReadDeps, 'cache' | 'replica'> & { exports: Exports }

// Returns the SQL after `select …`, which needs a row `s` with the `customer_id`. `after`: number of the previous page's
// last entry. With a split, reads each part in order up to the limit, and merges the parts. Indexes: the primary key,
// backwards; `audit_copies_at`; see `splitEntries`.
const selectRows = (
  { conditions }: TrailQuery,
  { today, after, limit }: { today: string; after?: string | undefined; limit: Sql },
): Sql => {
  const given = [...conditions].flatMap(([name, values]) => {
    const { kind, condition } = entryFilters[name] as EntryFilter
    if (!condition) return []
    return [condition(kind === 'instant' ? values.map((value) => resolveInstant(value, today)) : values)]
  })
  const further = after === undefined ? [] : [sql`c.number < ${after}::bigint`]
  const where = sql.join([sql`c.customer_id = s.customer_id`, ...given, ...further], sql.raw(' and '))
  const ordered = sql`order by c.number desc limit ${limit}`
  const split = splitEntries(conditions)
  if (!split) return sql`audit_copies c where ${where} ${ordered}`
  return sql`${split.parts} cross join lateral (
    select c.* from audit_copies c where ${where} and ${split.where} ${ordered}) c ${ordered}`
}

type PageRow = { data_as_of: string; place: string | null; json: string | null }

/** Returns the statement of a page. It reads a row beyond `limit`, to find out if there is a next page. */
export const trailStatement = (
  query: TrailQuery,
  {
    customerId,
    today,
    after,
    limit,
  }: { customerId: string; today: string; after?: string | undefined; limit: number },
) => {
  const columns = entryColumns.map(({ name, value }) => sql`${value} as ${sql.ref(name)}`)
  const rows = selectRows(query, { today, after, limit: sql`${limit + 1}::integer` })
  return sql<PageRow>`select ${selectInstant('now()')} as data_as_of, page.*
    from ${session(customerId, false)}
    left join lateral (
      select c.number::text as place,
        (select row_to_json(x)::text from (select ${sql.join(columns)}) x) as json
      from ${rows}) page on true`
}

const nextQuery = (rawQuery: string, cursor: string): string => {
  const pairs = parsePairs(rawQuery).filter(({ name }) => name !== 'cursor')
  return formatPairs([...pairs.map(({ name, value }) => [name, value ?? ''] as const), ['cursor', cursor]])
}

/** Serves the audit trail to customers. Caches nothing, so that no other copies exist. */
export const createTrail = ({ db, exports, cursors, publicUrl, today }: TrailDeps): Trail => {
  const parse = ({ principal, type, rawQuery }: RawTrailRequest): TrailQuery => {
    const { customerId } = principal
    const outcome = parseTrailQuery(type !== mediaTypes.json, rawQuery)
    if ('query' in outcome) return outcome.query
    throw refuseQuery(cursors, customerId, outcome, `${publicUrl}/v1/audit`, (corrected) => {
      const isExport = (typeByFormat(corrected) ?? type) !== mediaTypes.json
      const again = parseTrailQuery(isExport, corrected)
      if (!('query' in again)) return false
      return isOfSelection(cursors, customerId, formatSelection(again.query), again.query.cursor)
    })
  }

  const answerPage = async (request: TrailRequest): Promise<LiveAnswer> => {
    const { query, principal } = request
    const { customerId } = principal
    const [after] = readCursor(cursors, customerId, formatSelection(query), query.cursor) ?? []
    const { limit = defaultLimit } = query
    const statement = trailStatement(query, { customerId, today: today(), after, limit })
    const { rows } = await inTurn(db, customerId, () => statement.execute(db))
    const found = rows.filter(({ place }) => place !== null)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1)?.place : undefined
    const next = last ? cursors.encode(customerId, formatSelection(query), [last]) : null
    const page = { limit, has_more: next !== null, next_cursor: next }
    request.countRows(shown.length)
    const data = shown.map(({ json }) => json).join(',')
    return {
      type: mediaTypes.json,
      body: Buffer.from(`{"data":[${data}],"page":${JSON.stringify(page)}}`),
      headers: { 'data-as-of': rows[0]?.data_as_of ?? '' },
      next: next === null ? undefined : `/v1/audit?${nextQuery(request.rawQuery, next)}`,
      isCompressed: false,
    }
  }

  const answerLines = (request: TrailRequest): Promise<LiveAnswer> => {
    const { query, principal } = request
    const limit = query.limit === undefined ? sql`all` : sql`${query.limit}::integer`
    const rows = selectRows(query, { today: today(), limit })
    const from = sql`from (select ${principal.customerId}::text as customer_id) s cross join ${rows}`
    return exports.answer(request, { name: 'audit', columns: entryColumns, from })
  }

  return {
    parse,
    hold: async (request) => {
      if (request.type !== mediaTypes.json) await exports.hold(request)
    },
    answer: (request) => (request.type === mediaTypes.json ? answerPage(request) : answerLines(request)),
  }
}
