import { type RawBuilder, sql } from 'kysely'
import type { ExportAnswer, ExportRequest, ExportRows, Exports } from '../export/exports.ts'
import type { QueryPlan } from '../records/query/plan.ts'
import type { ColumnKind, ExportColumn } from '../records/sql/column.ts'
import { type BoundDocument, bind } from './bind.ts'
import type { Custom } from './custom.ts'
import type { List, Value } from './definition.ts'
import { orderedRows, shown } from './sql/rows.ts'
import { compileCell, rawField } from './sql/values.ts'

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
const listColumns = (list: List, bound: BoundDocument, type: string): ExportColumn[] =>
  list.select.map(([name, value]) => {
    if (type !== 'text/csv') return { name, kind: 'json', value: sql`x.${sql.id(name)}` }
    const env = { bound, joins: list.joins }
    const isField = value.kind === 'field'
    return { name, kind: kindOf(value), value: isField ? rawField(value.ref, env) : compileCell(value, env) }
  })

/** The rows of a list without its page, in its order; infinity as limit: all of them. */
const listRows = (list: List, plan: QueryPlan, bound: BoundDocument): RawBuilder<unknown> => {
  const limit = Number.isFinite(plan.limit) ? plan.limit : null
  return sql`from (
      select ${plan.customerId}::text as customer_id,
        (select c.expiring_within from find_customer(${plan.customerId}) c) as expiring_within
    ) s cross join lateral (${orderedRows(plan, [], limit)}) r
    ${shown(list, plan, bound)}`
}

export type CustomExports = {
  /** A custom list, whole; undefined where it is no list. Rejects with not_found and invalid_query too. */
  answer(request: ExportRequest, name: string, rawQuery: string): Promise<ExportAnswer | undefined>
}

type Deps = {
  exports: Exports
  custom: Custom
  /** The UTC date, YYYY-MM-DD. */
  today: () => string
}

/** Custom lists as exports: what was granted → definition and parameters → columns and rows. */
export const createCustomExports = ({ exports, custom, today }: Deps): CustomExports => ({
  async answer(request, name, rawQuery) {
    const { principal, type } = request
    const { definition, readExport } = await custom.findDefinition({ principal, name }, rawQuery)
    const { body } = definition
    if (!('list' in body)) return undefined
    const describe = (): ExportRows => {
      const { given, queries, conditions, limit } = readExport()
      const bound = bind(definition, queries, given, { customerId: principal.customerId, today: today() })
      const plan = { ...bound.planWith(body.list.source, conditions), limit }
      return { name, columns: listColumns(body.list, bound, type), from: listRows(body.list, plan, bound) }
    }
    const answer = await exports.answer(request, describe)
    return { ...answer, headers: { ...answer.headers, 'definition-revision': String(definition.revision) } }
  },
})
