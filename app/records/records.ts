import type { Filled } from '../cache/entry.ts'
import type { ReadResult } from '../cache/freshness.ts'
import { type QueuedDb, readRowInTurn } from '../db/connect.ts'
import { compile } from '../db/statement-cache.ts'
import { invalidQuery } from '../errors.ts'
import type { QueryString } from '../http/pairs.ts'
import type { Principal } from '../identity/principal.ts'
import { notFound, toFilled, toFilledPage } from '../lists/answer.ts'
import type { ListOf, Lists, OpenPage } from '../lists/lists.ts'
import { readPastItem } from './history/as-of.ts'
import { toShape } from './query/controls.ts'
import { checkAsOf } from './query/parse.ts'
import { planQuery, type QueryPlan } from './query/plan.ts'
import { createPrepare, type PreparedQuery } from './query/prepare.ts'
import { isId, type Resource } from './resources/define.ts'
import { createShapes, type Shapes } from './sql/shapes.ts'
import { describeView, type PageRow, pageStatement } from './sql/statement.ts'

type RecordRef = {
  principal: Principal
  resource: Resource
  id?: string
  /** Names of the formats that the list has. Default: json, ndjson, csv, xlsx. */
  formats?: readonly string[]
}

export type RecordRequest = RecordRef & {
  query: PreparedQuery
  /** The answer must include every commit before the request. */
  noCache: boolean
}

export type Records = {
  /** Parses the query of a page, an item or an export, by media type. Throws invalid_query; `answer` also checks `as_of`. */
  parse(request: RecordRef & { type: string; rawQuery: QueryString }): PreparedQuery
  /** Throws or rejects with invalid_query, invalid_cursor, not_found, before_history, overloaded, unavailable. */
  answer(request: RecordRequest): ReadResult | Promise<ReadResult>
}

/** Dependencies of cached reads. `today`: YYYY-MM-DD in UTC, by the database. */
export type ReadDeps = {
  lists: Lists
  today: () => string
}

/** Returns the cache key of an answer, without the customer. */
const toKey = (
  { query, canonical, dependsOnDay }: PreparedQuery,
  itemId: string | undefined,
  today: string,
): string => {
  const { name, version } = query.resource
  const path = itemId === undefined ? name : `${name}/${itemId}`
  return `${version} ${path} ${dependsOnDay ? today : ''} ${canonical}`
}

const readRow = (db: QueuedDb, plan: QueryPlan, shapes: Shapes): Promise<PageRow> => {
  const statement = shapes.find(plan) ?? compile(pageStatement(plan))
  return readRowInTurn(db, plan.customerId, statement)
}

const includedPart = ({ included }: PageRow): string => (included === null ? '' : `,"included":{${included}}`)

/** Reads a page. Index: of the first sort key, or of the most selective filter. */
export const readPage = async (
  db: QueuedDb,
  plan: QueryPlan,
  page: OpenPage,
  shapes: Shapes,
): Promise<Filled> => {
  const row = await readRow(db, plan, shapes)
  return toFilledPage(
    row,
    page.write(row, describeView(row, plan, plan.resource.computedForDay), includedPart(row)),
  )
}

/** Reads one record, `isAbsent` if it does not exist. Index: the primary key. */
export const readItem = async (
  db: QueuedDb,
  plan: QueryPlan,
  id: string,
  shapes: Shapes,
): Promise<Filled> => {
  const byId = { field: 'id', operator: 'in', values: [id] } as const
  const row = await readRow(db, { ...plan, conditions: [byId], limit: 1, count: false }, shapes)
  return row.found === 0
    ? toFilled(row, undefined, 0)
    : toFilled(row, `{"data":${row.data.slice(1, -1)}${includedPart(row)}}`, 1)
}

/** Serves records without a framework: parsed query → cache key → cache → statement. */
export const createRecords = ({
  lists,
  today,
  monotonicNow,
}: ReadDeps & { monotonicNow: () => number }): Records => {
  const prepare = createPrepare()
  const shapes = createShapes((plan) => compile(pageStatement(plan)), monotonicNow)

  const toList = ({ principal, resource, id, formats }: RecordRef): ListOf<PreparedQuery> => ({
    customerId: principal.customerId,
    path: `/v1/${resource.name}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`,
    parse(rawQuery, type) {
      const outcome = prepare(resource, id === undefined ? toShape(type) : 'item', rawQuery, formats)
      if ('query' in outcome) return outcome
      return { ...outcome, faults: [...outcome.faults, ...checkAsOf(outcome.parsed, today())] }
    },
    select: ({ query: { limit, cursor }, selection, list }) => ({ selection, list, limit, cursor }),
    isAnswerable: ({ query }) => checkAsOf(query, today()).length === 0,
  })

  return {
    parse: (request) => lists.parse(toList(request), request.rawQuery, request.type),
    answer(request) {
      const { principal, resource, id, query: prepared, noCache } = request
      const { customerId } = principal
      const { query, dependsOn } = prepared
      const absent = `There is no ${resource.noun} with this id`
      if (id !== undefined && !isId(resource, id)) throw notFound(absent)
      const moment = { customerId, today: today() }
      const faults = checkAsOf(query, moment.today)
      if (faults.length > 0) throw invalidQuery(faults, undefined)
      const page = lists.open(toList(request), prepared)
      const fill = (source: QueuedDb) => {
        const plan = planQuery(query, moment, page.after)
        if (id === undefined) return readPage(source, plan, page, shapes)
        return query.asOf === undefined ? readItem(source, plan, id, shapes) : readPastItem(source, plan, id)
      }
      const key = toKey(prepared, id, moment.today)
      return lists.read({ customerId, key, dependsOn, noCache, fill, absent })
    },
  }
}
