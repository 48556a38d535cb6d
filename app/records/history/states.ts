import { sql } from 'kysely'
import type { Field, Resource } from '../resources/define.ts'
import type { Sql } from '../sql/column.ts'
import { customer } from '../sql/session.ts'

/** Returns SQL for the owner of a resource's history: the customer, or `'*'` for reference data. */
export const historyOwner = ({ reference }: Resource): Sql => (reference ? sql`'*'` : customer)

/** Returns the history table of a resource, with the alias `h`. */
export const historyTable = ({ reference }: Resource): Sql =>
  reference ? sql`reference_history h` : sql`record_history h`

/** Returns the condition that a history row `h` is of one record. Index: the primary key. */
export const isOfRecord = (resource: Resource, id: Sql): Sql =>
  sql`h.customer_id = ${historyOwner(resource)} and h.resource = ${sql.lit(resource.name)} and h.record_id = ${id}`

/** The operation that a history row `h` undoes. See docs/decisions/0090-history-undoes-changes.md. */
export const operation: Sql = sql`case when h.old is null then 'create' when h.old ? 'created_at' then 'delete' else 'update' end`

/** Whether the row `h` is a mark: older history was deleted. May be null. */
export const isMark: Sql = sql`h.old = '{}'`

/** Returns a subquery for the default start of a resource's history (`'*'`). A statement reads it once. */
export const begunForAll = ({ name }: Resource): Sql =>
  sql`(select b.since from history_begun b where b.resource = ${sql.lit(name)} and b.customer_id = '*')`

/** Returns a subquery for the start of the customer's history. The customer's row wins over `'*'`. */
export const begunAt = ({ name }: Resource): Sql =>
  sql`(select b.since from history_begun b where b.resource = ${sql.lit(name)}
    and b.customer_id in ('*', ${customer}) order by b.customer_id desc limit 1)`

/** Joins a lateral row `l`: the record's last deletion or mark, or nulls. */
export const lastEnd = (resource: Resource, id: Sql): Sql => sql`left join lateral (
    select h.position, ${isMark} as is_mark from ${historyTable(resource)}
    where ${isOfRecord(resource, id)} and (h.old ? 'created_at' or ${isMark})
    order by h.position desc limit 1) l on true`

const sortValue = ({ name, kind }: Field): string =>
  kind === 'date' ? `coalesce(p.${name}, 'infinity')` : `coalesce('v' || p.${name}, 'w')`

/** Returns a state (jsonb) as a row `r` of its table, with the sort columns that computed fields read. */
export const stateRow = ({ name, fields }: Resource, state: Sql): Sql => {
  const stored = [...fields.values()].filter(({ computed }) => !computed)
  const columns = stored.map((field) => `p.${field.name}`)
  const derived = stored
    .filter(({ sortColumn }) => sortColumn?.endsWith('_sort'))
    .map((field) => `${sortValue(field)} as ${field.sortColumn}`)
  return sql`(select ${sql.raw([...columns, ...derived].join(', '))}
    from jsonb_populate_record(null::${sql.table(name)}, ${state}) p) r`
}
