import { sql } from 'kysely'
import type { QueryPlan } from '../../records/query/plan.ts'
import type { Resource } from '../../records/resources/define.ts'
import type { Sql } from '../../records/sql/column.ts'
import { filterConditions } from '../../records/sql/conditions.ts'
import { type Bindings, projection } from '../../records/sql/projection.ts'

export type Cause = 'day' | 'settings'

/** SQL of type text. `data` is null if the record does not exist or the filter excludes it. */
type ChangeParts = {
  resource: Sql
  id: Sql
  at: Sql
  data: Sql
  cause?: Cause
  withFormer?: boolean | undefined
  /** SQL of type boolean: the record exists, but the filter excludes it. */
  hasLeft: Sql
}

/** SQL that writes a change as JSON text. It reads the row `d` of `joinDifferences`. */
export const changeText = ({ resource, id, at, data, cause, withFormer, hasLeft }: ChangeParts): Sql => {
  const former = withFormer ? sql` || ',"previous":{' || coalesce(d.former, '') || '}'` : sql``
  const written = sql.lit(cause ? `","cause":"${cause}"` : '"')
  return sql`'{"op":"' || case when ${data} is null then 'delete' else 'upsert' end || '","resource":"' || ${resource}
    || '","id":' || to_json(${id})::text || ',"at":"' || ${at} || case when ${hasLeft} then '","cause":"filter"' else ${written} end
    || case when d.known and ${data} is not null then ',"changed":[' || coalesce(d.names, '') || ']'${former} else '' end
    || ',"data":' || coalesce(${data}, 'null') || '}'`
}

/** A lateral table `x` for a record `r`. Its column `data` is the record as JSON text, as in responses. */
export const recordData = (resource: Resource, bindings: Bindings, fields?: readonly string[]): Sql =>
  sql`lateral (select row_to_json(p)::text as data from (select ${projection(resource, fields, bindings)}) p) x`

/** Columns `data` and `has_left`. If the plan's filter excludes the record, they are null and true. */
export const wantedData = (plan: QueryPlan | undefined): Sql => {
  if (!plan || plan.conditions.length === 0) return sql`x.data, false as has_left`
  const isWanted = sql`(${sql.join(filterConditions(plan), sql.raw(' and '))})`
  return sql`case when ${isWanted} then x.data end as data, ${isWanted} is not true as has_left`
}
