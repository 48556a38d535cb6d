import { sql } from 'kysely'
import type { QueryPlan } from '../records/query/plan.ts'
import type { Resource } from '../records/resources/define.ts'
import type { Sql } from '../records/sql/column.ts'
import { filterConditions } from '../records/sql/conditions.ts'
import { type Bindings, projection } from '../records/sql/projection.ts'

export type Cause = 'day' | 'settings'

/** The parts of a change as SQL of type text. `data` is null if the record does not exist. */
export type ChangeParts = {
  resource: Sql
  id: Sql
  at: Sql
  data: Sql
  cause?: Cause
  /** Whether to include the previous values of changed fields. Optional. Defaults to false. */
  withFormer?: boolean | undefined
  /** SQL of type boolean: the record exists, but the filter excludes it. */
  hasLeft: Sql
}

/** SQL of a change as JSON text, with members in the contract's order. `d`: see `joinDifferences`. */
export const changeText = ({ resource, id, at, data, cause, withFormer, hasLeft }: ChangeParts): Sql => {
  const former = withFormer ? sql` || ',"previous":{' || coalesce(d.former, '') || '}'` : sql``
  const written = sql.lit(cause ? `","cause":"${cause}"` : '"')
  return sql`'{"op":"' || case when ${data} is null then 'delete' else 'upsert' end || '","resource":"' || ${resource}
    || '","id":' || to_json(${id})::text || ',"at":"' || ${at} || case when ${hasLeft} then '","cause":"filter"' else ${written} end
    || case when d.known and ${data} is not null then ',"changed":[' || coalesce(d.names, '') || ']'${former} else '' end
    || ',"data":' || coalesce(${data}, 'null') || '}'`
}

/** A lateral table `x` over `r` with the column `data`: the record as text, as its endpoint returns it. */
export const recordData = (resource: Resource, bindings: Bindings, fields?: readonly string[]): Sql =>
  sql`lateral (select row_to_json(p)::text as data from (select ${projection(resource, fields, bindings)}) p) x`

/**
 * Columns `data` and `has_left` for a record `r` with its `x`: whether the plan's filter excludes the record.
 */
export const wantedData = (plan: QueryPlan | undefined): Sql => {
  if (!plan || plan.conditions.length === 0) return sql`x.data, false as has_left`
  const isWanted = sql`(${sql.join(filterConditions(plan), sql.raw(' and '))})`
  return sql`case when ${isWanted} then x.data end as data, ${isWanted} is not true as has_left`
}
