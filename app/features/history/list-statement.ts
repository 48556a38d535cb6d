import { type RawBuilder, sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import { stampColumns } from '../../lists/answer.ts'
import {
  begunAt,
  historyOwner,
  historyTable,
  isMark,
  isOfRecord,
  lastEnd,
  operation,
} from '../../records/history/states.ts'
import type { Resource } from '../../records/resources/define.ts'
import type { Sql } from '../../records/sql/column.ts'
import { isOwned, session } from '../../records/sql/session.ts'
import { entryText, joinChanges, toDay } from './changes.ts'
import { type HistoryRow, presentPosition } from './record-statement.ts'

// See docs/decisions/0112-calendar-changes-of-one-record.md.
export type HistoryListPlan = Readonly<{
  customerId: string
  resources: readonly Resource[]
  /** Earliest instant (RFC 3339). `undefined`: all kept entries. */
  since: string | undefined
  limit: number
  /** Instant, resource, id and position of the previous page's last entry. */
  after: readonly string[] | undefined
}>

const union = (parts: readonly Sql[]): Sql => sql.join(parts, sql.raw(' union all '))

/** See docs/decisions/0111-history-cursors-contain-positions.md. */
const newestFirst = sql.raw('order by e.at desc, e.resource desc, e.record_id desc, e.position desc')

const from = ({ since }: HistoryListPlan, resource: Resource): Sql =>
  since === undefined ? begunAt(resource) : sql`greatest(${begunAt(resource)}, ${since}::timestamptz)`

/** The entries after the previous page, as an index range. `end`: for the resource of its last entry. */
const beyond = ({ after }: HistoryListPlan, { name }: Resource, at: Sql, end: Sql): Sql => {
  const [instant, last = ''] = after ?? []
  if (instant === undefined) return sql``
  if (name === last) return sql`and ${end}`
  return sql`and ${at} ${sql.raw(name < last ? '<=' : '<')} ${instant}::timestamptz`
}

/** The position of the previous page's last entry. A creation gets 0 when the deletion before it is pruned. */
const cursorPosition = ({ resources }: HistoryListPlan, [, name, id, position]: readonly string[]): Sql => {
  const resource = resources.find((each) => each.name === name) as Resource
  return sql`(select case when c.position % 2 = 0 and not exists (
      select from ${historyTable(resource)} where ${isOfRecord(resource, sql`${id}`)} and h.position = c.position - 1)
    then 0 else c.position end from (values (${position}::bigint)) c (position))`
}

/** Stored entries. Index: `record_history_resource`, so that it reads neither ties nor other resources. */
const stored = (plan: HistoryListPlan, resource: Resource): Sql => {
  const { limit, after } = plan
  const end = after
    ? sql`(h.at, h.record_id, h.position) < (${after[0]}::timestamptz, ${after[2]}, ${cursorPosition(plan, after)})`
    : sql``
  return sql`(select h.at, h.resource, h.record_id, h.position, h.old, ${operation} as op from ${historyTable(resource)}
    where h.customer_id = ${historyOwner(resource)} and h.resource = ${sql.lit(resource.name)}
      and h.at >= ${from(plan, resource)} and ${isMark} is not true ${beyond(plan, resource, sql`h.at`, end)}
    order by h.at desc, h.record_id desc, h.position desc limit ${sql.lit(limit + 1)})`
}

/** Creations of existing records, which history does not store. Index: by `created_at`. */
const created = (plan: HistoryListPlan, resource: Resource): Sql => {
  const { limit, after = [] } = plan
  // `<=` and `limit + 2`: the last entry of the previous page may be among them.
  const end = sql`(r.created_at, r.id) <= (${after[0]}::timestamptz, ${after[2]})`
  return sql`(select r.created_at, ${sql.lit(resource.name)}, r.id, coalesce(l.position + 1, 0), null::jsonb, 'create'
    from ${sql.table(resource.name)} r ${lastEnd(resource, sql`r.id`)}
    where ${isOwned(resource)} and r.created_at >= ${from(plan, resource)} and l.is_mark is not true
      ${beyond(plan, resource, sql`r.created_at`, end)}
    order by r.created_at desc, r.id desc limit ${sql.lit(limit + 2)})`
}

const selectBase = (resource: Resource): Sql => sql`select coalesce((
      select to_jsonb(r) from ${sql.table(resource.name)} r where ${isOwned(resource)} and r.id = e.record_id), '{}')
    || (select merge_objects(h.old order by h.position desc) from ${historyTable(resource)}
      where ${isOfRecord(resource, sql`e.record_id`)} and h.position > e.position) as state
  where e.resource = ${sql.lit(resource.name)}`

const selectEntries = (resource: Resource): Sql => sql`(select e.at, e.resource, e.record_id, e.position,
    ${entryText(resource)} as entry
  from chain e ${joinChanges(resource)} where e.resource = ${sql.lit(resource.name)} and e.op <> 'now')`

/** Returns the statement for a page of the resources' history, newest first, without calendar changes. */
export const listHistory = (plan: HistoryListPlan): RawBuilder<HistoryRow> => {
  const { customerId, resources, limit, after } = plan
  const where = after
    ? sql`where (e.at, e.resource, e.record_id, e.position)
        < (${after[0]}::timestamptz, ${after[1]}, ${after[2]}, ${cursorPosition(plan, after)})`
    : sql``
  const sources = resources.flatMap((each) => [stored(plan, each), created(plan, each)])
  const isComputed = resources.some(({ computedForDay }) => computedForDay)
  return sql<HistoryRow>`
    select ${stampColumns}, page.*
    from ${session(customerId, isComputed)}
    cross join lateral (
      with picked as materialized (
        select e.* from (${union(sources)}) e (at, resource, record_id, position, old, op) ${where}
        ${newestFirst} limit ${sql.lit(limit + 1)}
      ), newest as (
        select e.resource, e.record_id, max(e.position) as position from picked e group by 1, 2
      ), entries as (
        select e.* from picked e
        union all select 'infinity', e.resource, e.record_id, ${presentPosition}, b.state, 'now'
        from newest e cross join lateral (${union(resources.map(selectBase))}) b
      ), undone as (
        select e.*, case when e.op <> 'create' then merge_objects(e.old) over newer
          || jsonb_build_object('id', e.record_id) end as before
        from entries e window newer as (partition by e.resource, e.record_id order by e.position desc)
      ), chain as materialized (
        select e.at, e.resource, e.record_id, e.position, e.op, e.before,
          case when e.op <> 'delete' then lag(e.before) over newer end as after,
          ${toDay('e.at')} as day_before, ${toDay('e.at')} as day_after
        from undone e window newer as (partition by e.resource, e.record_id order by e.position desc)
      ), numbered as (
        select e.*, row_number() over (${newestFirst}) as n from (${union(resources.map(selectEntries))}) e
      )
      select count(*)::integer as found,
        string_agg(n.entry, ',' order by n.n) filter (where n.n <= ${sql.lit(limit)}) as data,
        (array_agg(array[${sql.raw(instantText('n.at'))}, n.resource, n.record_id, n.position::text])
          filter (where n.n = ${sql.lit(limit)})) as last,
        (select ${sql.raw(instantText('max(b.since)'))}
          from (values ${sql.join(resources.map((each) => sql`(${begunAt(each)})`))}) b (since)) as history_from,
        true as known
      from numbered n
    ) page`
}
