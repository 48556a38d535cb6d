import { type RawBuilder, sql } from 'kysely'
import type { QueryPlan } from '../../records/query/plan.ts'
import type { ColumnKind, ExportColumn } from '../../records/sql/column.ts'
import type { BoundDocument } from '../bind.ts'
import type { List, Value } from '../definition.ts'
import { orderedRows, shown } from './rows.ts'
import { compileCell, rawField } from './values.ts'

const kindOf = (value: Value): ColumnKind => {
  if (value.kind === 'items') return 'json'
  if (value.kind !== 'field') return 'text'
  const { type, array } = value.ref
  if (array) return 'texts'
  if (type === 'number') return 'text'
  return type === 'date' ? 'token' : type
}

/**
 * The members of a list's rows as columns of an export. As CSV each is what it is, because cells of texts are kept
 * from being formulas; as JSON each is written by PostgreSQL, as pages have it.
 */
export const listColumns = (list: List, bound: BoundDocument, type: string): ExportColumn[] =>
  list.select.map(([name, value]) => {
    if (type !== 'text/csv') return { name, kind: 'json', value: sql`x.${sql.id(name)}` }
    const env = { bound, joins: list.joins }
    const isField = value.kind === 'field'
    return { name, kind: kindOf(value), value: isField ? rawField(value.ref, env) : compileCell(value, env) }
  })

/** The rows of a list without its page, in its order; infinity as limit: all of them. */
export const listRows = (list: List, plan: QueryPlan, bound: BoundDocument): RawBuilder<unknown> => {
  const limit = Number.isFinite(plan.limit) ? plan.limit : null
  return sql`from (
      select ${plan.customerId}::text as customer_id,
        (select c.expiring_within from find_customer(${plan.customerId}) c) as expiring_within
    ) s cross join lateral (${orderedRows(plan, [], limit)}) r
    ${shown(list, plan, bound)}`
}
