import { type RawBuilder, sql } from 'kysely'
import type { Resource } from '../records/resources/define.ts'
import { type Bindings, customer, projection } from '../records/sql/projection.ts'

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
}

/**
 * A change as the feed writes it, JSON in the contract's order; an expression of type text. The fields that differ come
 * from the row `d` (`names`, `former`, `known`).
 */
export const changeText = ({ resource, id, at, data, cause, withFormer }: ChangeParts): Sql => {
  const former = withFormer ? sql` || ',"previous":{' || coalesce(d.former, '') || '}'` : sql``
  return sql`'{"op":"' || case when ${data} is null then 'delete' else 'upsert' end || '","resource":"' || ${resource}
    || '","id":' || to_json(${id})::text || ',"at":"' || ${at} || ${sql.lit(cause ? `","cause":"${cause}"` : '"')}
    || case when d.known then ',"changed":[' || coalesce(d.names, '') || ']'${former} else '' end
    || ',"data":' || coalesce(${data}, 'null') || '}'`
}

/** Whose rows of a resource: over the alias `r`. */
export const ownRows = ({ reference }: Resource): Sql =>
  reference ? sql`true` : sql`r.customer_id = ${customer}`

/** The full record as its own endpoint shows it: a lateral table `x` with one column `data` of type text, over `r`. */
export const recordData = (resource: Resource, bindings: Bindings): Sql =>
  sql`lateral (select row_to_json(p)::text as data from (select ${projection(resource, undefined, bindings)}) p) x`
