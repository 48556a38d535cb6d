import { sql } from 'kysely'
import type { Field, Resource } from '../resources/define.ts'
import type { Sql } from '../sql/column.ts'
import { customer } from '../sql/session.ts'

/** Whose history a resource has: the customer's, or everybody's. */
export const ownerOf = ({ reference }: Resource): Sql => (reference ? sql`'*'` : customer)

/** The rows of history of a resource, under the alias `h`. */
export const historyOf = ({ reference }: Resource): Sql =>
  reference ? sql`reference_history h` : sql`record_history h`

/** The rows of one record in `record_history h`; `id` is SQL. Index: the primary key. */
export const isOfRecord = (resource: Resource, id: Sql): Sql =>
  sql`h.customer_id = ${ownerOf(resource)} and h.resource = ${sql.lit(resource.name)} and h.record_id = ${id}`

/**
 * What a row of `record_history h` undoes.
 * See docs/decisions/0090-history-undoes-changes.md.
 */
export const operation: Sql = sql`case when h.old is null then 'create' when h.old ? 'created_at' then 'delete' else 'update' end`

/** A mark says that everything before it is forgotten. */
export const isMark: Sql = sql`h.old = '{}'`

/** From when on the history of all records of a resource is complete: a scalar subquery. */
export const begunAt = ({ name }: Resource): Sql =>
  sql`(select b.since from history_begun b where b.resource = ${sql.lit(name)})`

/**
 * The last end before the record's present life: a lateral row `l` of the position and whether it is a mark. No row: the
 * record was never deleted and nothing of it is forgotten.
 */
export const lastEnd = (resource: Resource, id: Sql): Sql => sql`left join lateral (
    select h.position, ${isMark} as is_mark from ${historyOf(resource)}
    where ${isOfRecord(resource, id)} and (h.old ? 'created_at' or ${isMark})
    order by h.position desc limit 1) l on true`

const sortValue = ({ name, kind }: Field): string =>
  kind === 'date' ? `coalesce(p.${name}, 'infinity')` : `coalesce('v' || p.${name}, 'w')`

/**
 * A state (jsonb) as a row of its table under the alias `r`, so that computed fields can be computed for it. Columns that
 * are derived for sorting are derived again.
 */
export const stateRow = ({ name, fields }: Resource, state: Sql): Sql => {
  const stored = [...fields.values()].filter(({ computed }) => !computed)
  const columns = stored.map((field) => `p.${field.name}`)
  const derived = stored
    .filter(({ sortColumn }) => sortColumn?.endsWith('_sort'))
    .map((field) => `${sortValue(field)} as ${field.sortColumn}`)
  return sql`(select ${sql.raw([...columns, ...derived].join(', '))}
    from jsonb_populate_record(null::${sql.table(name)}, ${state}) p) r`
}
