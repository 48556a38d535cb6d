import { sql } from 'kysely'
import type { QueryPlan } from '../../../records/query/plan.ts'
import type { Field, Resource } from '../../../records/resources/define.ts'
import type { Sql } from '../../../records/sql/column.ts'
import { filterConditions, orderBy } from '../../../records/sql/conditions.ts'
import { bindExpression, storedValue } from '../../../records/sql/projection.ts'
import { customer } from '../../../records/sql/session.ts'
import type { BoundDocument } from '../bind.ts'
import type { Join, JoinMany, JoinOne, Rows } from '../definition.ts'
import { compileSelect, type Env, joinAlias, rawField } from './values.ts'

const and = (parts: readonly Sql[]): Sql => sql.join(parts, sql.raw(' and '))
const table = ({ name }: Resource): Sql => sql.table(name)

/** All of these fields of the row `r`: PostgreSQL does not compute unused ones. */
const rawFields = (fields: Iterable<Field>, plan: QueryPlan): Sql =>
  sql.join(
    [...fields].map((field) => {
      const value = field.computed ? bindExpression(field.computed.select, plan) : sql.raw(storedValue(field))
      return sql`${value} as ${sql.ref(field.name)}`
    }),
  )

const joinOne = (join: JoinOne, env: Env): Sql => {
  const plan = env.bound.getPlan(join.source)
  const isOne = sql`r.id = ${rawField(join.on, env)}`
  return sql`select ${rawFields(join.pick, plan)} from ${table(plan.resource)} r
    where ${and([...filterConditions(plan), isOne])}`
}

const holds = ({ field, source: { resource } }: JoinMany, value: Sql): Sql =>
  field.array
    ? sql`r.id in (select e.id from elements e where e.customer_id = ${customer}
        and e.resource = ${sql.lit(resource.name)} and e.field = ${sql.lit(field.name)} and e.value = ${value})`
    : sql`${sql.raw(`r.${field.name}`)} = ${value}`

const joinMany = (join: JoinMany, env: Env): Sql => {
  const plan = env.bound.getPlan(join.source)
  const conditions = [...filterConditions(plan), holds(join, rawField(join.on, env))]
  const inner: Env = { bound: env.bound, joins: [] }
  return sql`select ('[' || coalesce(string_agg(row_to_json(x)::text, ',' order by r."#"), '') || ']')::json as items
    from (select row_number() over () as "#", r.* from (
      select r.* from ${table(plan.resource)} r where ${and(conditions)} ${orderBy(plan)} limit ${join.limit}::integer
    ) r) r
    cross join lateral (select ${rawFields(plan.resource.fields.values(), plan)}) b
    cross join lateral (select ${compileSelect(join.select, inner)}) x`
}

const compileJoin = (join: Join, index: number, env: Env): Sql =>
  sql`left join lateral (${join.kind === 'one' ? joinOne(join, env) : joinMany(join, env)}) ${sql.raw(joinAlias(index))} on true`

/** Joins to rows `r` their fields `b`, their joins, and the row `x` of the response, computed from these. */
export const shown = (rows: Rows, plan: QueryPlan, bound: BoundDocument): Sql => {
  const env: Env = { bound, joins: rows.joins }
  const joins = rows.joins.map((join, index) => compileJoin(join, index, env))
  return sql`cross join lateral (select ${rawFields(plan.resource.fields.values(), plan)}) b
    ${sql.join(joins, sql.raw('\n    '))}
    cross join lateral (select ${compileSelect(rows.select, env)}) x`
}
