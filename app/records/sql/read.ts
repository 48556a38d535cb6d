import { maxTotal } from '../../../schemas/page.ts'
import { computeTag, type Filled, tagPrefix } from '../../cache/entry.ts'
import { parseSnapshot } from '../../cache/snapshot.ts'
import { type QueuedDb, readRowInTurn } from '../../db/connect.ts'
import { jsonType } from '../../http/formats.ts'
import type { QueryPlan } from '../query/plan.ts'
import { compile } from './compile.ts'
import type { Shapes } from './shapes.ts'
import { type PageRow, pageStatement, type Stamp } from './statement.ts'

const prefix = tagPrefix(jsonType)

type TaggedBody = Pick<Filled, 'body' | 'etag'>

const toBody = (json: string): TaggedBody => {
  const tagged = Buffer.from(prefix + json)
  return { body: tagged.subarray(prefix.length), etag: computeTag(tagged) }
}
const noBody = toBody('')

/** Converts a row for the cache. `json`: `undefined` if the record does not exist. `rows`: number of records. */
export const filled = (
  { snapshot, at, server, standby }: Stamp,
  json: string | undefined,
  rows: number,
): Filled => ({
  snapshot: parseSnapshot(snapshot, standby !== ''),
  // A standby's clock does not show how far it has replayed.
  ...(standby === '' ? { server, at } : { standby }),
  isAbsent: json === undefined,
  ...(json === undefined ? noBody : toBody(json)),
  rows,
})

const execute = (db: QueuedDb, plan: QueryPlan, shapes: Shapes): Promise<PageRow> => {
  const statement = shapes.find(plan) ?? compile(pageStatement(plan))
  return readRowInTurn(db, plan.customerId, statement)
}

const includedPart = ({ included }: PageRow): string => (included === null ? '' : `,"included":{${included}}`)

/** Returns the cursor after a row with these sort keys and id. */
export type EncodeCursor = (keys: readonly string[]) => string

/** Returns the cursor of the next page. `undefined` on the last page. */
export const nextCursor = (
  { found, last }: Pick<PageRow, 'found' | 'last'>,
  limit: number,
  encodeCursor: EncodeCursor,
): string | undefined => {
  const keys = found > limit ? last?.[0] : undefined
  return keys && encodeCursor(keys)
}

/** `total_is_lower_bound` is left out if `total` is exact. */
const describeTotal = ({ total, is_cut }: Pick<PageRow, 'total' | 'is_cut'>) => {
  const counted = Math.min(total ?? 0, maxTotal)
  return total !== counted || is_cut ? { total: counted, total_is_lower_bound: true } : { total }
}

/** Describes a page in its member `page`, with `as_of` if `isForDay`. `cursor`: `undefined` on the last page. */
export const describePage = (
  row: Pick<PageRow, 'found' | 'last' | 'total' | 'is_cut'>,
  plan: QueryPlan,
  isForDay: boolean,
  encodeCursor: EncodeCursor,
): { page: object; cursor: string | undefined } => {
  const cursor = nextCursor(row, plan.limit, encodeCursor)
  const page = {
    limit: plan.limit,
    has_more: cursor !== undefined,
    next_cursor: cursor ?? null,
    ...(plan.count ? describeTotal(row) : {}),
    ...(isForDay ? { as_of: plan.day } : {}),
  }
  return { page, cursor }
}

/** Reads a page. Index: of the first sort key, or of the most selective filter. */
export const readPage = async (
  db: QueuedDb,
  plan: QueryPlan,
  encodeCursor: EncodeCursor,
  nextQuery: (cursor: string) => string,
  shapes: Shapes,
): Promise<Filled> => {
  const row = await execute(db, plan, shapes)
  const { page, cursor } = describePage(row, plan, plan.resource.computedForDay, encodeCursor)
  const json = `{"data":${row.data},"page":${JSON.stringify(page)}${includedPart(row)}}`
  const answer = filled(row, json, Math.min(row.found, plan.limit))
  return cursor === undefined ? answer : { ...answer, next: `/v1/${plan.resource.name}?${nextQuery(cursor)}` }
}

/** Reads one record, `isAbsent` if it does not exist. Index: the primary key. */
export const readItem = async (
  db: QueuedDb,
  plan: QueryPlan,
  id: string,
  shapes: Shapes,
): Promise<Filled> => {
  const byId = { field: 'id', operator: 'in', values: [id] } as const
  const row = await execute(db, { ...plan, conditions: [byId], limit: 1, count: false }, shapes)
  return row.found === 0
    ? filled(row, undefined, 0)
    : filled(row, `{"data":${row.data.slice(1, -1)}${includedPart(row)}}`, 1)
}
