import { type RawBuilder, sql } from 'kysely'
import type { QueryPlan } from '../../records/query/plan.ts'
import type { ColumnKind, ExportColumn } from '../../records/sql/column.ts'
import { exportSession } from '../../records/sql/session.ts'
import type { BoundDocument } from '../bind.ts'
import type { List, Scalar, Value } from '../definition.ts'
import { orderedRows, shown } from './rows.ts'
import { compileCell, type Env, rawField } from './values.ts'

const scalarKinds = new Map<string, ColumnKind>([
  ['boolean', 'boolean'],
  ['number', 'number'],
  ['string', 'text'],
])

/** The kind of a column whose values have these kinds: text, unless they agree. Null has none. */
const common = (kinds: readonly (ColumnKind | undefined)[]): ColumnKind | undefined => {
  const [kind, ...others] = new Set(kinds.filter((each) => each !== undefined))
  return others.length > 0 ? 'text' : kind
}

const kindOfScalar = (value: Scalar) => scalarKinds.get(value === null ? '' : typeof value)

/** The kind that all values of a column have. Undefined: they are null. */
const kindOf = (value: Value): ColumnKind | undefined => {
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
      return common([...value.branches.map(([, then]) => then), value.otherwise].map(kindOf))
    default:
      return 'text'
  }
}

/** `COPY` writes these unlike their text. */
const castOf: Partial<Record<ColumnKind, string>> = { boolean: 'boolean', instant: 'timestamptz' }

const cellOf = (value: Value, kind: ColumnKind, env: Env) => {
  const isStored = value.kind === 'field' && value.ref.path.length === 0
  const cell = value.kind === 'field' ? rawField(value.ref, env) : compileCell(value, env)
  const cast = isStored ? undefined : castOf[kind]
  return cast ? sql`(${cell})::${sql.raw(cast)}` : cell
}

/**
 * The members of a list's rows as columns of an export. In a table each is what it is, because cells of texts are
 * kept from being numbers and formulas; as JSON each is written by PostgreSQL, as pages have it.
 */
export const listColumns = (list: List, bound: BoundDocument, isTable: boolean): ExportColumn[] =>
  list.select.map(([name, value]) => {
    if (!isTable) return { name, kind: 'json', value: sql`x.${sql.id(name)}` }
    const kind = kindOf(value) ?? 'text'
    return { name, kind, value: cellOf(value, kind, { bound, joins: list.joins }) }
  })

/** The rows of a list without its page, in its order; infinity as limit: all of them. */
export const listRows = (list: List, plan: QueryPlan, bound: BoundDocument): RawBuilder<unknown> => {
  const limit = Number.isFinite(plan.limit) ? plan.limit : null
  return sql`from ${exportSession(plan.customerId)} cross join lateral (${orderedRows(plan, [], limit)}) r
    ${shown(list, plan, bound)}`
}
