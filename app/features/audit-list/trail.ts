import { sql } from 'kysely'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import { selectInstant } from '../../db/instant.ts'
import { type ExportRequest, type Exports, exportCost, type LiveAnswer } from '../../export/exports.ts'
import { mediaTypes } from '../../http/formats.ts'
import { chooseType } from '../../http/negotiation.ts'
import type { QueryString } from '../../http/pairs.ts'
import type { ListOf } from '../../lists/lists.ts'
import { defaultLimit } from '../../lists/parameters.ts'
import { resolveInstant } from '../../lists/values.ts'
import type { ReadDeps } from '../../records/records.ts'
import type { Sql } from '../../records/sql/column.ts'
import { session } from '../../records/sql/session.ts'
import { type EntryFilter, entryColumns, entryFilters, splitEntries } from './entries.ts'
import { formatSelection, parseTrailQuery, type TrailQuery } from './query.ts'

export const trailTypes: readonly string[] = [mediaTypes.json, mediaTypes.ndjson]

/** Returns the cost of a request in units of the quota `minute`. */
export const trailCost = (rawQuery: QueryString, accept: string | undefined): number =>
  chooseType(accept, rawQuery, trailTypes) === mediaTypes.ndjson ? exportCost : 1

type RawTrailRequest = Pick<ExportRequest, 'principal' | 'type'> & Readonly<{ rawQuery: QueryString }>
type TrailRequest = ExportRequest & Readonly<{ query: TrailQuery }>

export type Trail = {
  /** Throws invalid_query, with a corrected address if there is one. */
  parse(request: RawTrailRequest): TrailQuery
  /** Does nothing for a page. For a whole list, holds a slot and rejects as `Exports.hold` does. */
  hold(request: ExportRequest): Promise<void>
  /** Returns a page or a whole list. Rejects with invalid_cursor, or as `inTurn` or `Exports.answer` does. */
  answer(request: TrailRequest): Promise<LiveAnswer>
}

type TrailDeps = ReadDeps & { db: QueuedDb; exports: Exports }

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

/** Serves the audit trail to customers. Caches nothing, so that no other copies exist. */
export const createTrail = ({ db, exports, lists, today }: TrailDeps): Trail => {
  const toList = ({ principal: { customerId } }: Pick<RawTrailRequest, 'principal'>): ListOf<TrailQuery> => ({
    customerId,
    path: '/v1/audit',
    parse: ({ pairs }, type) => parseTrailQuery(type !== mediaTypes.json, pairs),
    select: (query) => ({
      selection: formatSelection(query),
      list: query.list,
      limit: query.limit ?? defaultLimit,
      cursor: query.cursor,
    }),
  })

  const answerPage = async (request: TrailRequest): Promise<LiveAnswer> => {
    const { query, principal } = request
    const { customerId } = principal
    const { limit = defaultLimit } = query
    const page = lists.open(toList(request), query)
    const statement = trailStatement(query, { customerId, today: today(), after: page.after?.[0], limit })
    const { rows: found } = await inTurn(db, customerId, () => statement.execute(db))
    const entries = found.flatMap(({ place, json }) => (place === null ? [] : [{ place, json }]))
    const shown = entries.slice(0, limit)
    const last = shown.at(-1)
    const { json, rows, next } = page.write({
      data: `[${shown.map((each) => each.json).join(',')}]`,
      found: entries.length,
      last: last ? [[last.place]] : null,
    })
    request.countRows(rows)
    return {
      type: mediaTypes.json,
      body: Buffer.from(json),
      headers: { 'data-as-of': found[0]?.data_as_of ?? '' },
      next,
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
    parse: (request) => lists.parse(toList(request), request.rawQuery, request.type),
    hold: async (request) => {
      if (request.type !== mediaTypes.json) await exports.hold(request)
    },
    answer: (request) => (request.type === mediaTypes.json ? answerPage(request) : answerLines(request)),
  }
}
