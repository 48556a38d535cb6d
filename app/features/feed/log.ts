import { type RawBuilder, sql } from 'kysely'
import type { Snapshot } from '../../cache/snapshot.ts'
import type { NamedStatement } from '../../db/connect.ts'
import { instantText } from '../../db/instant.ts'
import { compile, createStatementCache } from '../../db/statement-cache.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { resources } from '../../records/resources/index.ts'
import { isOwned, session } from '../../records/sql/session.ts'
import { changeText, recordData, wantedData } from './change.ts'
import type { Span } from './diff.ts'
import { joinDifferences, type Seen } from './differences.ts'
import { type EpochRow, epochColumns, epochSource } from './epoch.ts'
import type { DayAndWindow, View } from './token.ts'
import { planView } from './view.ts'

type LogPage = Readonly<{
  customerId: string
  resources: readonly ResourceName[]
  /** The bounds of `toBounds`. */
  lows: readonly string[]
  highs: readonly string[]
  /** The last row seen. `undefined`: start with the first row. */
  after: Readonly<{ xid: number; position: number }> | undefined
  target: Pick<Snapshot, 'text'>
  limit: number
  /** The maximum number of log rows to scan. A record may have many, and other resources have some. */
  rows: number
  bindings: DayAndWindow
  seen: Seen
  withFormer?: boolean | undefined
  view?: View | undefined
}>

/** A changed record. Without one, a page is a row whose `resource`, `record_id` and `change` are null. */
export type LogRow = EpochRow & {
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

/** Returns the lowest and the highest transaction of each span, in the same order. */
export const toBounds = (spans: readonly Span[]): Pick<LogPage, 'lows' | 'highs'> => ({
  lows: spans.map(({ low }) => String(low)),
  highs: spans.map(({ high }) => (high === undefined ? lastTransaction : String(high))),
})

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

/**
 * Selects each record once a page, as it is now. Owner `*`: all customers. Index: primary key, by span.
 * `(select …)` hides values from the planner. Otherwise PostgreSQL plans the prepared statement at each poll.
 */
const logStatement = (page: LogPage): RawBuilder<LogRow> => {
  const { lows, highs, after, target, limit, rows, withFormer } = page
  const beyond = after
    ? sql`and (l.xid, l.position) > (${after.xid}::text::xid8, ${after.position}::bigint)`
    : sql``
  return sql<LogRow>`
    select ${epochColumns}, page.*
    from ${session(page.customerId, false)}
    cross join ${epochSource(target)}
    left join lateral (
      with scanned as materialized (
        select l.* from unnest((select ${lows}::xid8[]), (select ${highs}::xid8[])) span (low, high)
        cross join (select s.customer_id union all select '*') owner
        cross join lateral (
          select l.xid, l.position, l.resource, l.record_id, l.changed_at from change_log l
          where l.customer_id = owner.customer_id and l.xid >= span.low and l.xid <= span.high ${beyond}
          order by l.xid, l.position limit (select ${rows}::integer) + 1
        ) l
        order by l.xid, l.position limit (select ${rows}::integer) + 1
      ), numbered as (
        select l.*, l.resource = any(${page.resources}::text[]) as wanted,
          row_number() over (order by l.xid, l.position) as n,
          row_number() over (partition by l.resource, l.record_id order by l.xid, l.position) as nth
        from scanned l
      ), counted as (
        select l.*, count(*) filter (where l.wanted and l.nth = 1) over (order by l.n) as records from numbered l
      ), kept as materialized (
        select l.* from counted l where l.records <= (select ${limit}::integer) and l.n <= (select ${rows}::integer)
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

type ProbeInput = Pick<LogPage, 'customerId' | 'resources' | 'lows' | 'highs' | 'target'> & { rows: number }

/** `is_empty`: none of the transactions changed the resources. False if there are more than `rows` log rows. */
export type ProbeRow = EpochRow & { is_empty: boolean; expiring_within: number | null }

/** Index: primary key, by span. */
const probeStatement = ({ customerId, resources: names, lows, highs, target, rows }: ProbeInput) =>
  sql<ProbeRow>`
    select ${epochColumns}, s.expiring_within, page.is_empty
    from ${session(customerId, true)}
    cross join ${epochSource(target)}
    cross join lateral (
      select count(*) <= ${rows}::integer and bool_or(l.resource = any(${names}::text[])) is not true as is_empty from (
        select l.resource from unnest((select ${lows}::xid8[]), (select ${highs}::xid8[])) span (low, high)
        cross join (select s.customer_id union all select '*') owner
        cross join lateral (
          select l.resource from change_log l
          where l.customer_id = owner.customer_id and l.xid >= span.low and l.xid <= span.high
          order by l.xid, l.position limit (select ${rows}::integer) + 1
        ) l
        limit (select ${rows}::integer) + 1
      ) l
    ) page`

/** Each takes up to 2 MB on every connection of PostgreSQL that has used it. */
const maxPrepared = 8
/** Each takes about 25 kB in this process. */
const maxTexts = 100
const now = () => performance.now()

const logStatements = createStatementCache<LogPage>({
  getShape: ({ resources: names, view, withFormer, after }) =>
    [names.join(), withFormer ? 'previous' : '', after ? 'after' : '', view].join(';'),
  compile: (page, slot) =>
    compile(
      logStatement({
        resources: page.resources,
        withFormer: page.withFormer,
        view: page.view,
        customerId: slot(({ customerId }) => customerId),
        lows: slot(({ lows }) => lows),
        highs: slot(({ highs }) => highs),
        after: page.after && {
          xid: slot(({ after }) => after?.xid as number),
          position: slot(({ after }) => after?.position as number),
        },
        target: { text: slot(({ target }) => target.text) },
        limit: slot(({ limit }) => limit),
        rows: slot(({ rows }) => rows),
        bindings: {
          day: slot(({ bindings }) => bindings.day),
          window: slot(({ bindings }) => bindings.window),
        },
        seen: {
          snapshot: { text: slot(({ seen }) => seen.snapshot.text) },
          at: slot(({ seen }) => seen.at),
          moment: {
            day: slot(({ seen }) => seen.moment.day),
            window: slot(({ seen }) => seen.moment.window),
          },
        },
      }),
    ),
  isPrepared: () => true,
  prefix: 'changes',
  maxPrepared,
  maxTexts,
  now,
})

const probeStatements = createStatementCache<ProbeInput>({
  getShape: () => '',
  compile: (_, slot) =>
    compile(
      probeStatement({
        customerId: slot(({ customerId }) => customerId),
        resources: slot(({ resources: names }) => names),
        lows: slot(({ lows }) => lows),
        highs: slot(({ highs }) => highs),
        target: { text: slot(({ target }) => target.text) },
        rows: slot(({ rows }) => rows),
      }),
    ),
  isPrepared: () => true,
  prefix: 'probe',
  maxPrepared: 1,
  maxTexts: 1,
  now,
})

export const getLogStatement = (page: LogPage): NamedStatement =>
  logStatements.find(page) ?? compile(logStatement(page))

// See docs/decisions/0190-a-probe-answers-an-empty-poll.md.
export const getProbeStatement = (input: ProbeInput): NamedStatement =>
  probeStatements.find(input) ?? compile(probeStatement(input))
