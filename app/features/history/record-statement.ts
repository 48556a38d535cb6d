import { type RawBuilder, sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import { type Stamp, stampColumns } from '../../lists/answer.ts'
import {
  begunAt,
  historyTable,
  isMark,
  isOfRecord,
  lastEnd,
  operation,
  stateRow,
} from '../../records/history/states.ts'
import type { Resource } from '../../records/resources/define.ts'
import type { Sql } from '../../records/sql/column.ts'
import { bindExpression } from '../../records/sql/projection.ts'
import { isOwned, session } from '../../records/sql/session.ts'
import { entryText, joinChanges, toDay } from './changes.ts'

export type HistoryRow = Stamp & {
  /** `limit + 1` if another page exists. */
  found: number
  data: string | null
  /** `after` of the next page, in an array of one. Null if the page is not full. */
  last: [string[]] | null
  history_from: string
  /** Whether the record exists or has history. */
  known: boolean
}

export type RecordHistoryPlan = Readonly<{
  customerId: string
  resource: Resource
  id: string
  limit: number
  /**
   * Position and instant of the previous page's last entry, the newest position then, and the positions of the
   * rows that hold the values of its time. `undefined` on the first page.
   */
  after: readonly string[] | undefined
  /** The last day of calendar changes, YYYY-MM-DD. */
  day: string
}>

/** Position of the present state: bigint's maximum, after every entry. */
export const presentPosition = sql.raw('9223372036854775807')

/** Rows of the page, rows with the values at its beginning, and rows written since the previous page. */
const keptRows = ({ resource, id, limit, after }: RecordHistoryPlan): Sql => {
  const rows = (
    condition: Sql,
  ) => sql`select h.position, h.at, h.old, ${operation} as op from ${historyTable(resource)}
    where ${isOfRecord(resource, sql`${id}`)} and ${condition}`
  const most = sql.lit(limit + 3)
  if (!after) return sql`(${rows(sql`true`)} order by h.position desc limit ${most})`
  const [position, , newest, ...holders] = after
  return sql`${rows(sql`h.position > ${newest}::bigint`)}
    union all ${rows(sql`h.position = any(${holders}::bigint[])`)}
    union all (${rows(sql`h.position <= ${position}::bigint`)} order by h.position desc limit ${most})`
}

/** Days on which an edge passed a column of the state, so that a computed field may have changed. */
const calendarEvents = (resource: Resource, day: string): Sql => {
  const start = sql`date '2000-01-01'`
  const days = (resource.flips?.edges ?? []).map(({ column, at }) => {
    const distance = sql`(${bindExpression(at, { day: start, window: undefined })} - ${start})`
    const value = sql.raw(`r.${column}`)
    return sql`(case when isfinite(${value}) then ${value} - ${distance} end)`
  })
  if (days.length === 0) return sql``
  return sql`union all
    select e.position, f.day::timestamp at time zone 'UTC', 'update', e.after, e.after, f.day - 1, f.day
    from chain e cross join lateral (
      select distinct d.day from ${stateRow(resource, sql`e.after`)} cross join lateral (values ${sql.join(days)}) d (day)
      where e.after is not null and e.op <> 'now' and d.day <= ${day}::date
    ) f
    where f.day::timestamp at time zone 'UTC' > e.at and f.day::timestamp at time zone 'UTC' <= e.until`
}

/**
 * The position of the previous page's last entry. If its row was pruned, the entry is now the creation without an earlier
 * deletion, which has position 0, or a calendar change since the new start of history.
 */
const cursorPosition = ([position, instant]: readonly string[]): Sql => sql`select case
    when exists (select from entries c where c.position = ${position}::bigint) then ${position}::bigint
    when ${position}::bigint % 2 = 0 and exists (
      select from entries c where c.position = 0 and c.at <= ${instant}::timestamptz) then 0
    else -1 end`

/** Returns the statement for a page of a record's history, newest first. Index: the history's primary key. */
export const recordHistory = (plan: RecordHistoryPlan): RawBuilder<HistoryRow> => {
  const { customerId, resource, id, limit, after, day } = plan
  const [, instant] = after ?? []
  const beyond = after
    ? sql`where (e.position, e.at) < ((${cursorPosition(after)}), ${instant}::timestamptz)`
    : sql``
  return sql<HistoryRow>`
    select ${stampColumns}, page.*
    from ${session(customerId, resource.computedForDay)}
    cross join lateral (
      with begun as materialized (
        select greatest(b.since, m.at) as since, coalesce(m.position, -1) as mark
        from (select ${begunAt(resource)} as since) b left join lateral (
          select f.* from (
            select h.at, h.position, ${isMark} as is_mark from ${historyTable(resource)}
            where ${isOfRecord(resource, sql`${id}`)} order by h.position limit 1) f
          where f.is_mark) m on true
      ), present as materialized (
        select to_jsonb(r) as state, r.created_at, coalesce(l.position + 1, 0) as position, l.is_mark
        from ${sql.table(resource.name)} r ${lastEnd(resource, sql`r.id`)}
        where ${isOwned(resource)} and r.id = ${id}
      ), entries as materialized (
        select h.position, h.at, h.old, h.op from (${keptRows(plan)}) h, begun
        where h.position > begun.mark and (h.at >= begun.since or begun.mark > 0)
        union all select ${presentPosition}, 'infinity', p.state, 'now' from present p
        union all select p.position, p.created_at, null, 'create' from present p, begun
        where p.created_at >= begun.since and p.is_mark is not true
        union all select -1, begun.since, null, 'begin' from begun
      ), undone as (
        select e.*, case when e.op <> 'create' then
          merge_objects(e.old) over (order by e.position desc) || jsonb_build_object('id', ${id}::text) end as before
        from entries e
      ), chain as materialized (
        select e.position, e.at, e.op, e.before, lag(e.at) over newer as until,
          case when e.op <> 'delete' then lag(e.before) over newer end as after
        from undone e window newer as (order by e.position desc)
      ), events as (
        select e.position, e.at, e.op, e.before, e.after, ${toDay('e.at')} as day_before, ${toDay('e.at')} as day_after
        from chain e where e.op in ('create', 'update', 'delete') ${calendarEvents(resource, day)}
      ), told as (
        select e.position, e.at, ${entryText(resource)} as entry
        from (select e.*, ${id}::text as record_id from events e ${beyond} order by e.position desc, e.at desc) e
        ${joinChanges(resource)}
        where t.changes <> '' or e.day_before = e.day_after
        order by e.position desc, e.at desc limit ${sql.lit(limit + 1)}
      ), numbered as (
        select t.*, row_number() over (order by t.position desc, t.at desc) as n from told t
      )
      select count(*)::integer as found,
        string_agg(n.entry, ',' order by n.n) filter (where n.n <= ${sql.lit(limit)}) as data,
        (array_agg(array[n.position::text, ${sql.raw(instantText('n.at'))}, (
          select greatest(n.position, ${after?.[2] ?? '-1'}::bigint, max(e.position))::text from entries e
          where e.op in ('update', 'delete')
        )] || array(
          select distinct min(e.position)::text from entries e cross join lateral jsonb_object_keys(e.old) name
          where e.op in ('update', 'delete') and e.position > n.position group by name
        )) filter (where n.n = ${sql.lit(limit)})) as last,
        (select ${sql.raw(instantText('begun.since'))} from begun) as history_from,
        exists (select from entries e where e.op <> 'begin') as known
      from numbered n
    ) page`
}
