import { type RawBuilder, sql } from 'kysely'
import type { QueryPlan } from '../../../records/query/plan.ts'
import type { ColumnKind, ExportColumn } from '../../../records/sql/column.ts'
import { orderBy } from '../../../records/sql/conditions.ts'
import { selectRows } from '../../../records/sql/rows.ts'
import { exportSession } from '../../../records/sql/session.ts'
import type { BoundDocument } from '../bind.ts'
import type { List, Scalar, Value } from '../definition.ts'
import { shown } from './rows.ts'
import { compileCell, compileTexts, type Env, rawField } from './values.ts'

const scalarKinds = new Map<string, ColumnKind>([
  ['boolean', 'boolean'],
  ['number', 'number'],
  ['string', 'text'],
])

/** `undefined`: null, which fits every kind. */
const common = (kinds: readonly (ColumnKind | undefined)[]): ColumnKind | undefined => {
  const [kind, ...others] = new Set(kinds.flatMap((each) => (each === 'integer' ? 'number' : (each ?? []))))
  return others.length > 0 ? 'text' : kind
}

const kindOfScalar = (value: Scalar) => scalarKinds.get(value === null ? '' : typeof value)

const getKind = (value: Value): ColumnKind | undefined => {
  switch (value.kind) {
    case 'items':
      return 'json'
    case 'field':
      return value.ref.array ? 'texts' : value.ref.type
    case 'literal':
      return kindOfScalar(value.value)
    case 'param':
      return value.param.type === 'string' ? 'text' : value.param.type
    case 'map':
      return common([value.otherwise, ...value.values.map(([, scalar]) => scalar)].map(kindOfScalar))
    case 'case':
      return common([...value.branches.map(([, then]) => then), value.otherwise].map(getKind))
    default:
      return 'text'
  }
}

/** Cells of these kinds need the value itself. Other cells need the text that responses have. */
const isRaw = (kind: ColumnKind): boolean => ['integer', 'number', 'boolean', 'json'].includes(kind)

const toCell = (value: Value, kind: ColumnKind, env: Env) => {
  if (kind === 'texts') return compileTexts(value, env)
  if (value.kind === 'field' && isRaw(kind)) return rawField(value.ref, env)
  const text = compileCell(value, env)
  return kind === 'boolean' ? sql`(${text})::boolean` : text
}

/** The columns of an export. A table needs kinds: typed numbers and dates, texts guarded against formulas. */
export const listColumns = (list: List, bound: BoundDocument, isTable: boolean): ExportColumn[] =>
  list.select.map(([name, value]) => {
    if (!isTable) return { name, kind: 'json', value: sql`x.${sql.id(name)}` }
    const kind = getKind(value) ?? 'text'
    return { name, kind, value: toCell(value, kind, { bound, joins: list.joins }) }
  })

/** The rows of an export, ordered again after the joins. An infinite `plan.limit` selects all. */
export const listRows = (list: List, plan: QueryPlan, bound: BoundDocument): RawBuilder<unknown> => {
  const limit = Number.isFinite(plan.limit) ? plan.limit : undefined
  return sql`from ${exportSession(plan.customerId)}
    cross join lateral (${selectRows(plan, { isOrdered: true, limit })}) r
    ${shown(list, plan, bound)} ${orderBy(plan)}`
}
