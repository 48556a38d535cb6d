import { CompiledQuery } from 'kysely'
import { createEtag, type Filled } from '../../cache/entry.ts'
import { parseSnapshot } from '../../cache/snapshot.ts'
import type { Plan } from '../../query/plan.ts'
import type { resources } from '../../resources/index.ts'
import type { Db } from '../schema.ts'
import type { Shapes } from './shapes.ts'
import { type PageRow, pageStatement, type Stamp } from './statement.ts'

export const jsonType = 'application/json'

const includedPart = (plan: Plan, row: PageRow): string => {
  if (plan.includes.length === 0) return ''
  const members = plan.includes.map((name) => {
    const target = (plan.resource.includes[name] as { resource: keyof typeof resources }).resource
    return `"${target}":{${row[`included_${target}`] ?? ''}}`
  })
  return `,"included":{${members.sort().join(',')}}`
}

/** What a statement's stamp and body are to the cache; `json` undefined: there is no such record. */
export const filled = (
  { snapshot, at, server, recovering }: Stamp,
  json: string | undefined,
  rows: number,
): Filled => {
  const body = Buffer.from(json ?? '')
  return {
    snapshot: parseSnapshot(snapshot, recovering),
    server: recovering ? undefined : server,
    // A standby's clock says nothing of what it has received.
    at: recovering ? undefined : at,
    isAbsent: json === undefined,
    body,
    etag: createEtag(jsonType, body),
    rows,
  }
}

/** `shapes`: statements kept ready; absent: each is compiled. */
const execute = async (db: Db, plan: Plan, shapes: Shapes | undefined): Promise<PageRow> => {
  const kept = shapes?.find(plan)
  const { rows } = kept
    ? await db.executeQuery<PageRow>(CompiledQuery.raw(kept.text, kept.values))
    : await pageStatement(plan).execute(db)
  return rows[0] as PageRow
}

/** Makes the cursor after a row from its sort keys and id. */
export type EncodeCursor = (keys: readonly string[]) => string

/** The member `page` of a list's answer, and its cursor; undefined: it is the last. `isForDay`: it says for which. */
export const describePage = (
  row: Pick<PageRow, 'found' | 'last' | 'total'>,
  plan: Plan,
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
  plan: Plan,
  encodeCursor: EncodeCursor,
  nextQuery: (cursor: string) => string,
  shapes?: Shapes,
): Promise<Filled> => {
  const row = await execute(db, plan, shapes)
  const { page, cursor } = describePage(row, plan, plan.resource.computedForDay, encodeCursor)
  const json = `{"data":[${row.data ?? ''}],"page":${JSON.stringify(page)}${includedPart(plan, row)}}`
  const answer = filled(row, json, Math.min(row.found, plan.limit))
  return cursor === undefined ? answer : { ...answer, next: `/v1/${plan.resource.name}?${nextQuery(cursor)}` }
}

/** Reads one record as the bytes to send; absent where this customer has none with that id. */
export const readItem = async (db: Db, plan: Plan, id: string, shapes?: Shapes): Promise<Filled> => {
  const byId = { field: 'id', operator: 'in', values: [id] } as const
  const row = await execute(db, { ...plan, conditions: [byId], limit: 1, count: false }, shapes)
  const json = row.data === null ? undefined : `{"data":${row.data}${includedPart(plan, row)}}`
  return filled(row, json, json === undefined ? 0 : 1)
}
