import { sql } from 'kysely'
import { getIncludedField, type IncludedField } from '../records/query/named-resources.ts'
import { planQuery, type QueryPlan } from '../records/query/plan.ts'
import type { Query } from '../records/query/query.ts'
import type { Field, Resource } from '../records/resources/define.ts'
import type { ColumnKind, ExportColumn, Sql } from '../records/sql/column.ts'
import { orderBy } from '../records/sql/conditions.ts'
import { type Bindings, fieldValue } from '../records/sql/projection.ts'
import { selectRows } from '../records/sql/rows.ts'
import { exportSession, isOwned } from '../records/sql/session.ts'
import type { ExportRequest, Exports, LiveAnswer } from './exports.ts'
import { type ExportFormat, getFormat } from './formats.ts'

export type RecordExports = {
  answer(request: ExportRequest, resource: Resource, query: Query): Promise<LiveAnswer>
}

type Deps = {
  exports: Exports
  today: () => string
}

const isTechnical = ({ name, kind }: Field) => /(^|_)ids?$/.test(name) || kind === 'instant'

const listReadableFirst = ({ fields }: Resource): string[] => {
  const { last = [], first = [] } = Object.groupBy(fields.values(), (field) =>
    isTechnical(field) ? 'last' : 'first',
  )
  return [...first, ...last].map(({ name }) => name)
}

const getColumnKind = ({ name, kind, array, values }: Field): ColumnKind => {
  if (array) return 'texts'
  if (name === 'validity_periods') return 'periods'
  return kind === 'text' && values ? 'token' : kind
}

/** One record by its primary key. `r` is this record within the parentheses, and the exported one in `w`. */
const includedValue = ({ include, resource, field }: IncludedField, bindings: Bindings): Sql =>
  sql`(select ${fieldValue(field, bindings)} from (select r.${sql.id(include.by)} as id) w
    join ${sql.table(resource.name)} r on ${isOwned(resource)} and r.id = w.id)`

const exportColumn = (resource: Resource, name: string, bindings: Bindings): ExportColumn => {
  const included = getIncludedField(resource, name)
  if (included) return { name, kind: getColumnKind(included.field), value: includedValue(included, bindings) }
  const field = resource.fields.get(name) as Field
  return { name, kind: getColumnKind(field), value: fieldValue(field, bindings) }
}

/** Lines have the order of the schema, and then the fields of other records. */
const listInOrder = ({ resource, fields }: QueryPlan): string[] => {
  const own = [...resource.fields.keys()]
  return [
    ...own.filter((name) => !fields || fields.includes(name)),
    ...(fields?.filter((name) => !own.includes(name)) ?? []),
  ]
}

const listColumns = (plan: QueryPlan, { isTable, isReadableFirst }: ExportFormat): ExportColumn[] => {
  const { resource, fields } = plan
  const all = isReadableFirst ? listReadableFirst(resource) : [...resource.fields.keys()]
  const names = isTable ? (fields ?? all) : listInOrder(plan)
  return names.map((name) => exportColumn(resource, name, plan))
}

/** Has the conditions and the order of a page, so that the same indexes serve it. */
const fromRows = (plan: QueryPlan): Sql => {
  const limit = Number.isFinite(plan.limit) ? plan.limit : undefined
  return sql`from ${exportSession(plan.customerId)} cross join lateral (
    ${selectRows(plan, { isOrdered: true, limit })}
  ) r ${orderBy(plan)}`
}

/** Before `answer`, call `exports.hold`, which counts the export. `answer` rejects as `exports.answer`. */
export const createRecordExports = ({ exports, today }: Deps): RecordExports => ({
  answer(request, resource, query) {
    const { customerId } = request.principal
    const plan = planQuery(query, { customerId, today: today() })
    const columns = listColumns(plan, getFormat(request.type))
    const { name } = resource
    return exports.answer(request, {
      name,
      columns,
      from: fromRows(plan),
      hasByteOrderMark: query.hasByteOrderMark,
    })
  },
})
