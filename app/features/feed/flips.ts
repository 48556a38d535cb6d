import { type RawBuilder, sql } from 'kysely'
import type { Snapshot } from '../../cache/snapshot.ts'
import { instantText } from '../../db/instant.ts'
import type { Edge, Resource, ResourceName } from '../../records/resources/define.ts'
import { resources } from '../../records/resources/index.ts'
import type { Sql } from '../../records/sql/column.ts'
import { bindExpression } from '../../records/sql/projection.ts'
import { isOwned, session } from '../../records/sql/session.ts'
import { type Cause, changeText, recordData, wantedData } from './change.ts'
import { joinDifferences, type Seen } from './differences.ts'
import { type EpochRow, epochColumns, epochSource } from './epoch.ts'
import type { DayAndWindow, FlipWalk, SyncToken, View } from './token.ts'
import { planView } from './view.ts'

type FlipPage = Readonly<{
  customerId: string
  resources: readonly ResourceName[]
  from: DayAndWindow
  walk: FlipWalk
  cause: Cause
  limit: number
  seen: Seen
  withFormer?: boolean | undefined
  view?: View | undefined
  target: Snapshot
}>

/** A record whose computed values change, even outside the view. If none: a row with nulls after the epoch. */
type FlipRow = EpochRow & {
  resource: ResourceName | null
  record_id: string | null
  change: string
  edge: number | null
  /** The value of the edge's column, YYYY-MM-DD. */
  passed: string | null
}

/** `fields`: the names of the computed fields that may change at the edges of the resource. */
type Side = { resource: Resource; edge: Edge; fields: readonly string[] }

/** Tokens contain an index in this list. See docs/decisions/0034-computed-changes-are-walked-in-order.md. */
const listEdges = (names: readonly ResourceName[]): Side[] =>
  names.flatMap((name) => {
    const resource = resources[name]
    const { flips } = resource
    return flips ? flips.edges.map((edge) => ({ resource, edge, fields: flips.fields })) : []
  })

const compileEnds = ({ edge: { at } }: Side, from: DayAndWindow, to: DayAndWindow) =>
  [bindExpression(at, from), bindExpression(at, to)] as const

/** The condition that this edge, and none of the lower edges `below`, passes a row: one range of an index. */
const passes = (side: Side, from: DayAndWindow, to: DayAndWindow, below: readonly Side[] = []): Sql => {
  const ends = compileEnds(side, from, to)
  const lows = below.map((each) => sql`greatest(${sql.join([...compileEnds(each, from, to)])})`)
  const low = sql`greatest(${sql.join([sql`least(${sql.join([...ends])})`, ...lows])})`
  const value = sql.raw(`r.${side.edge.column}`)
  return sql`(${value} > ${low} and ${value} <= greatest(${sql.join([...ends])}))`
}

const differs = ({ resource, fields }: Side, from: DayAndWindow, to: DayAndWindow): Sql => {
  const each = fields.map((name) => {
    const expression = resource.fields.get(name)?.computed?.select as string
    return sql`(${bindExpression(expression, from)}) is distinct from (${bindExpression(expression, to)})`
  })
  return sql`(${sql.join(each, sql.raw(' or '))})`
}

const side = (sides: readonly Side[], index: number, page: FlipPage): Sql => {
  const { customerId, from, walk, limit, cause, seen, withFormer, view } = page
  const current = sides[index] as Side
  const { resource, edge } = current
  const wanted = planView(view, resource, customerId, walk.to)
  const column = sql.raw(`r.${edge.column}`)
  // A row that two edges pass belongs to the first edge.
  const earlier = sides.slice(0, index).filter((each) => each.resource === resource)
  const below = earlier.filter((each) => each.edge.column === edge.column)
  const conditions = [
    isOwned(resource),
    passes(current, from, walk.to, below),
    differs(current, from, walk.to),
  ]
  for (const each of earlier.filter((other) => !below.includes(other)))
    conditions.push(sql`not ${passes(each, from, walk.to)}`)
  if (walk.after?.[0] === index) {
    conditions.push(sql`(${column}, r.id) > (${walk.after[1]}::date, ${walk.after[2]}::text)`)
  }
  const parts = {
    resource: sql.lit(resource.name),
    id: sql`r.id`,
    at: sql.raw(instantText('statement_timestamp()')),
    data: sql`w.data`,
    hasLeft: sql`w.has_left`,
    cause,
    withFormer,
  }
  return sql`select ${sql.lit(resource.name)} as resource, r.id as record_id, ${changeText(parts)} as change,
      ${sql.lit(index)} as edge, to_char(${column}, 'YYYY-MM-DD') as passed
    from (
      select r.* from ${sql.table(resource.name)} r where ${sql.join(conditions, sql.raw(' and '))}
      order by ${column}, r.id limit ${limit + 1}::integer
    ) r cross join ${recordData(resource, walk.to, wanted?.fields)}
    cross join lateral (select ${wantedData(wanted)}) w ${joinDifferences(resource, seen, walk.to, wanted?.fields)}`
}

/** Selects one record more than `limit`. `undefined` if no edges are left. Index: (customer, column) of an edge. */
export const flipStatement = (page: FlipPage): RawBuilder<FlipRow> | undefined => {
  const sides = listEdges(page.resources)
  const first = page.walk.after?.[0] ?? 0
  const ahead = sides.map((_, index) => index).filter((index) => index >= first)
  if (ahead.length === 0) return undefined
  const parts = ahead.map((index) => sql`(${side(sides, index, page)})`)
  return sql<FlipRow>`
    select ${epochColumns}, page.*
    from ${session(page.customerId, false)}
    cross join ${epochSource(page.target)}
    left join lateral (
      select f.* from (${sql.join(parts, sql.raw(' union all '))}) f
      order by f.edge, f.passed, f.record_id limit ${page.limit + 1}::integer
    ) page on true`
}

/** The unfinished or the next walk towards `now`, if any. A new day precedes a new window: each has one cause. */
export const nextFlip = (
  { moment, flip }: Pick<SyncToken, 'moment' | 'flip'>,
  now: DayAndWindow,
): { walk: FlipWalk; cause: Cause } | undefined => {
  const getCause = (to: DayAndWindow): Cause => (to.day === moment.day ? 'settings' : 'day')
  if (flip) return { walk: flip, cause: getCause(flip.to) }
  if (moment.day !== now.day) {
    return { walk: { to: { day: now.day, window: moment.window }, after: undefined }, cause: 'day' }
  }
  if (moment.window !== now.window) return { walk: { to: now, after: undefined }, cause: 'settings' }
  return undefined
}
