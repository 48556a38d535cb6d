import { type RawBuilder, sql } from 'kysely'
import type { Snapshot } from '../cache/snapshot.ts'
import { instantText } from '../db/instant.ts'
import type { ResourceName } from '../records/resources/define.ts'
import { resources } from '../records/resources/index.ts'
import { isOwned, session } from '../records/sql/session.ts'
import { changeText, recordData, wantedData } from './change.ts'
import type { Span } from './diff.ts'
import { joinDifferences, type Seen } from './differences.ts'
import { type EpochRow, epochColumns, epochSource } from './epoch.ts'
import type { DayAndWindow } from './token.ts'
import { planView, type View } from './view.ts'

type LogPage = Readonly<{
  customerId: string
  resources: readonly ResourceName[]
  spans: readonly Span[]
  /** The last row seen. `undefined`: start with the first row. */
  after: Readonly<{ xid: number; position: number }> | undefined
  target: Snapshot
  limit: number
  /** The maximum number of log rows to scan. A record may have many, and other resources have some. */
  rows: number
  bindings: DayAndWindow
  seen: Seen
  withFormer?: boolean | undefined
  view?: View | undefined
}>

/** A changed record. Without one, a page is a row whose `resource`, `record_id` and `change` are null. */
type LogRow = EpochRow & {
  resource: ResourceName | null
  record_id: string | null
  change: string
  more: boolean | null
  /** The last log row of this page, also if no record changed. `more`: the log continues after it. */
  last_xid: string | null
  last_position: number | null
}

/** The record id in the log row of a truncated table or a distrusted resource. */
export const everyRecord = '*'

const lastTransaction = '18446744073709551615'

const recordNow = ({ customerId, resources: names, bindings, seen, view }: LogPage): RawBuilder<unknown> =>
  sql.join(
    names.map((name) => {
      const resource = resources[name]
      const wanted = planView(view, resource, customerId, bindings)
      return sql`select ${wantedData(wanted)}, d.* from ${sql.table(name)} r cross join ${recordData(resource, bindings, wanted?.fields)}
        ${joinDifferences(resource, seen, bindings, wanted?.fields)}
        where c.resource = ${sql.lit(name)} and ${isOwned(resource)} and r.id = c.record_id`
    }),
    sql.raw(' union all '),
  )

/** Selects each record once a page, as it is now. Owner `*`: all customers. Index: primary key, by span. */
export const logStatement = (page: LogPage): RawBuilder<LogRow> => {
  const { spans, after, target, limit, rows, withFormer } = page
  const lows = spans.map(({ low }) => String(low))
  const highs = spans.map(({ high }) => (high === undefined ? lastTransaction : String(high)))
  const beyond = after
    ? sql`and (l.xid, l.position) > (${String(after.xid)}::xid8, ${after.position}::bigint)`
    : sql``
  return sql<LogRow>`
    select ${epochColumns}, page.*
    from ${session(page.customerId, false)}
    cross join ${epochSource(target)}
    left join lateral (
      with scanned as materialized (
        select l.* from unnest(${lows}::xid8[], ${highs}::xid8[]) span (low, high)
        cross join (select s.customer_id union all select '*') owner
        cross join lateral (
          select l.xid, l.position, l.resource, l.record_id, l.changed_at from change_log l
          where l.customer_id = owner.customer_id and l.xid >= span.low and l.xid <= span.high ${beyond}
          order by l.xid, l.position limit ${rows + 1}::integer
        ) l
        order by l.xid, l.position limit ${rows + 1}::integer
      ), numbered as (
        select l.*, l.resource = any(${page.resources}::text[]) as wanted,
          row_number() over (order by l.xid, l.position) as n,
          row_number() over (partition by l.resource, l.record_id order by l.xid, l.position) as nth
        from scanned l
      ), counted as (
        select l.*, count(*) filter (where l.wanted and l.nth = 1) over (order by l.n) as records from numbered l
      ), kept as materialized (
        select l.* from counted l where l.records <= ${limit}::integer and l.n <= ${rows}::integer
      ), ends as (
        select (select count(*) from scanned) > (select count(*) from kept) as more, l.xid, l.position
        from kept l order by l.n desc limit 1
      ), changed as (
        select l.resource, l.record_id, min(l.n) as n, max(l.changed_at) as changed_at
        from kept l where l.wanted group by l.resource, l.record_id
      )
      select c.resource, c.record_id, ${changeText({
        resource: sql`c.resource`,
        id: sql`c.record_id`,
        at: sql.raw(instantText('c.changed_at')),
        data: sql`d.data`,
        withFormer,
        hasLeft: sql`d.has_left`,
      })} as change, ends.more, ends.xid::text as last_xid, ends.position as last_position
      from ends left join changed c on true
      left join lateral (${recordNow(page)}) d on true
      order by c.n
    ) page on true`
}
