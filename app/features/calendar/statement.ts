import { type RawBuilder, sql } from 'kysely'
import { type Stamp, stampColumns } from '../../lists/answer.ts'
import type { QueryPlan } from '../../records/query/plan.ts'
import { isComputed } from '../../records/query/prepare.ts'
import type { Sql } from '../../records/sql/column.ts'
import { selectRows } from '../../records/sql/rows.ts'
import { session } from '../../records/sql/session.ts'
import type { EndingCertificate } from './events.ts'

export type EndsRow = Stamp & Readonly<{ ends: readonly EndingCertificate[] }>

/** Index: of `valid_until`, or of the most selective condition. */
const selectEnds = (
  plan: QueryPlan,
  { operator, today, most }: Readonly<{ operator: 'gte' | 'lt'; today: string; most: number }>,
): Sql => {
  const isPast = operator === 'lt'
  const ends: QueryPlan = {
    ...plan,
    sort: [{ key: 'valid_until', descending: isPast }],
    conditions: [...plan.conditions, { field: 'valid_until', operator, values: [today] }],
  }
  return selectRows(ends, { isOrdered: true, limit: most })
}

/**
 * Returns the statement for the certificates that have an end, by day and id. If there are more than `most`, the ends
 * from `today` (YYYY-MM-DD) on come first, then the latest before.
 */
export const endsStatement = (plan: QueryPlan, today: string, most: number): RawBuilder<EndsRow> => {
  const upcoming = selectEnds(plan, { operator: 'gte', today, most })
  const past = selectEnds(plan, { operator: 'lt', today, most })
  return sql<EndsRow>`
    select ${stampColumns}, found.ends
    from ${session(plan.customerId, plan.window === undefined && isComputed(plan))}
    cross join lateral (
      with upcoming as materialized (${upcoming}),
      past as (select p.* from (${past}) p limit (select ${sql.lit(most)} - count(*) from upcoming))
      select coalesce(json_agg(x order by x.valid_until, x.id), '[]') as ends from (
        select r.id, r.number, r.title, r.approval_status, r.valid_until, r.scheme, r.authority, r.country_code,
          r.holder, r.source_url, to_char(r.updated_at at time zone 'UTC', 'YYYYMMDD"T"HH24MISS"Z"') as updated_at
        from (select * from upcoming union all select * from past) r
      ) x
    ) found`
}
