import { type RawBuilder, sql } from 'kysely'
import type { QueryPlan } from '../records/query/plan.ts'
import type { Resource } from '../records/resources/define.ts'
import { filterConditions } from '../records/sql/conditions.ts'
import { type Bindings, projection } from '../records/sql/projection.ts'

type Sql = RawBuilder<unknown>

/** Why a record comes though nobody wrote it. */
export type Cause = 'day' | 'settings'

/** Parts of a change; SQL of type text, `data` null where the record does not exist. */
export type ChangeParts = {
  resource: Sql
  id: Sql
  at: Sql
  data: Sql
  cause?: Cause
  /** Whether the values that the fields had are told, beside their names. */
  withFormer?: boolean | undefined
  /** SQL of type boolean: the record is there, but not among those that the follower wants. */
  hasLeft: Sql
}

/**
 * A change as the feed writes it, JSON in the contract's order; an expression of type text. The fields that differ come
 * from the row `d` (`names`, `former`, `known`).
 */
export const changeText = ({ resource, id, at, data, cause, withFormer, hasLeft }: ChangeParts): Sql => {
  const former = withFormer ? sql` || ',"previous":{' || coalesce(d.former, '') || '}'` : sql``
  const written = sql.lit(cause ? `","cause":"${cause}"` : '"')
  return sql`'{"op":"' || case when ${data} is null then 'delete' else 'upsert' end || '","resource":"' || ${resource}
    || '","id":' || to_json(${id})::text || ',"at":"' || ${at} || case when ${hasLeft} then '","cause":"filter"' else ${written} end
    || case when d.known and ${data} is not null then ',"changed":[' || coalesce(d.names, '') || ']'${former} else '' end
    || ',"data":' || coalesce(${data}, 'null') || '}'`
}

/** The full record as its own endpoint shows it: a lateral table `x` with one column `data` of type text, over `r`. */
export const recordData = (resource: Resource, bindings: Bindings, fields?: readonly string[]): Sql =>
  sql`lateral (select row_to_json(p)::text as data from (select ${projection(resource, fields, bindings)}) p) x`

/**
 * Data of a record `r` with its `x`, null where it is not wanted, and whether that is so: columns `data` and `has_left`.
 */
export const wantedData = (plan: QueryPlan | undefined): Sql => {
  if (!plan || plan.conditions.length === 0) return sql`x.data, false as has_left`
  const isWanted = sql`(${sql.join(filterConditions(plan), sql.raw(' and '))})`
  return sql`case when ${isWanted} then x.data end as data, ${isWanted} is not true as has_left`
}
