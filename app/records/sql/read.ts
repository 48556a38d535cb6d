import { type Filled, tagOf, tagPrefix } from '../../cache/entry.ts'
import { parseSnapshot } from '../../cache/snapshot.ts'
import { pageMark } from '../../db/client.ts'
import { askPage } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import type { ReadRow, Slice } from '../../wire/row-query.ts'
import type { QueryPlan } from '../query/plan.ts'
import { createSheet, makeRoom, writeRecords } from './record-json.ts'
import type { Shapes } from './shapes.ts'
import { type PageRow, pageStatement, type Stamp } from './statement.ts'

const jsonType = 'application/json'
const prefix = tagPrefix(jsonType)

/** What a statement's stamp and body are to the cache; `body` undefined: there is no such record. */
const stamped = (
  { snapshot, at, server, standby }: Stamp,
  body: TaggedBody | undefined,
  rows: number,
): Filled => ({
  snapshot: parseSnapshot(snapshot, standby !== ''),
  // A standby's clock says nothing of what it has received.
  ...(standby === '' ? { server, at } : { standby }),
  isAbsent: body === undefined,
  ...(body ?? noBody),
  rows,
})

type TaggedBody = Pick<Filled, 'body' | 'etag'>

const fromString = (json: string): TaggedBody => {
  const tagged = Buffer.from(prefix + json)
  return { body: tagged.subarray(prefix.length), etag: tagOf(tagged) }
}
const noBody = fromString('')

/** The same of a body that is a string; undefined: there is no such record. */
export const filled = (stamp: Stamp, json: string | undefined, rows: number): Filled =>
  stamped(stamp, json === undefined ? undefined : fromString(json), rows)

/** Bodies are put together here, one after the other, and copied from here at their own size. */
let sheet = createSheet(64 * 1024)
/** One that has grown beyond this is not kept. */
const keptSheetBytes = 1024 * 1024

const writeString = (text: string): void => {
  makeRoom(sheet, Buffer.byteLength(text))
  sheet.at += sheet.bytes.write(text, sheet.at)
}

/** The first `count` records of the plan between `head` and `tail`. */
const around = (head: string, records: Slice, count: number, plan: QueryPlan, tail: string): TaggedBody => {
  sheet.at = 0
  writeString(prefix + head)
  writeRecords(records, count, plan.resource, plan.fields, sheet)
  writeString(tail)
  const tagged = Buffer.allocUnsafeSlow(sheet.at)
  sheet.bytes.copy(tagged, 0, 0, sheet.at)
  if (sheet.bytes.length > keptSheetBytes) sheet = createSheet(64 * 1024)
  return { body: tagged.subarray(prefix.length), etag: tagOf(tagged) }
}

/** `shapes`: statements kept ready; absent: each is compiled. */
const execute = (db: Db, plan: QueryPlan, shapes: Shapes | undefined): Promise<ReadRow> => {
  const kept = shapes?.find(plan)
  const { customerId } = plan
  if (kept) return askPage(db, customerId, kept.text, kept.values)
  const { sql: text, parameters } = pageStatement(plan).compile(db)
  return askPage(db, customerId, pageMark('page') + text, parameters)
}

const includedPart = ({ included }: ReadRow): string => (included === null ? '' : `,"included":{${included}}`)

/** Makes the cursor after a row from its sort keys and id. */
export type EncodeCursor = (keys: readonly string[]) => string

/** The member `page` of a list's answer, and its cursor; undefined: it is the last. `isForDay`: it says for which. */
export const describePage = (
  row: Pick<PageRow, 'found' | 'last' | 'total'>,
  plan: QueryPlan,
  isForDay: boolean,
  encodeCursor: EncodeCursor,
): { page: object; cursor: string | undefined } => {
  const hasMore = row.found > plan.limit
  const keys = hasMore ? row.last?.[0] : undefined
  const cursor = keys ? encodeCursor(keys) : undefined
  const page = {
    limit: plan.limit,
    has_more: hasMore,
    next_cursor: cursor ?? null,
    ...(plan.count ? { total: row.total } : {}),
    ...(isForDay ? { as_of: plan.day } : {}),
  }
  return { page, cursor }
}

/**
 * Reads a page as the bytes to send. `nextQuery` writes the query of the following page.
 * Index: see the migration; the first sort key's, or the one of the most selective filter.
 */
export const readPage = async (
  db: Db,
  plan: QueryPlan,
  encodeCursor: EncodeCursor,
  nextQuery: (cursor: string) => string,
  shapes?: Shapes,
): Promise<Filled> => {
  const row = await execute(db, plan, shapes)
  const { page, cursor } = describePage(row, plan, plan.resource.computedForDay, encodeCursor)
  const tail = `],"page":${JSON.stringify(page)}${includedPart(row)}}`
  const body = row.data
    ? around('{"data":[', row.data, Math.min(row.found, plan.limit), plan, tail)
    : fromString(`{"data":[${tail}`)
  const answer = stamped(row, body, Math.min(row.found, plan.limit))
  return cursor === undefined ? answer : { ...answer, next: `/v1/${plan.resource.name}?${nextQuery(cursor)}` }
}

/** Reads one record as the bytes to send; absent where this customer has none with that id. */
export const readItem = async (db: Db, plan: QueryPlan, id: string, shapes?: Shapes): Promise<Filled> => {
  const byId = { field: 'id', operator: 'in', values: [id] } as const
  const row = await execute(db, { ...plan, conditions: [byId], limit: 1, count: false }, shapes)
  const body = row.data ? around('{"data":', row.data, 1, plan, `${includedPart(row)}}`) : undefined
  return stamped(row, body, body ? 1 : 0)
}
