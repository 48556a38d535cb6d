import { sql } from 'kysely'
import { resolveDate, resolveInstant } from '../../records/query/values.ts'
import type { Sql } from '../../records/sql/column.ts'
import type { BoundDocument } from '../bind.ts'
import type { FieldRef, Join, Operand, Scalar, Select, Test, Value, ValueType } from '../definition.ts'

export type Env = Readonly<{ bound: BoundDocument; joins: readonly Join[] }>

const castOf: Record<ValueType, string> = {
  text: 'text',
  date: 'date',
  instant: 'timestamptz',
  integer: 'integer',
  number: 'numeric',
  boolean: 'boolean',
  json: 'json',
}

/** The alias of a join in SQL. A document's own alias might clash with another name. */
export const joinAlias = (index: number): string => `j${index}`

const getAlias = ({ alias }: Pick<FieldRef, 'alias'>, { joins }: Env): string =>
  alias === undefined ? 'b' : joinAlias(joins.findIndex((join) => join.alias === alias))

/** The value of a field in the type of its column. */
export const rawField = (ref: FieldRef, env: Env): Sql => {
  const column = sql.ref(`${getAlias(ref, env)}.${ref.field.name}`)
  if (ref.path.length === 0) return column
  const steps = sql`${[...ref.path]}::text[]`
  return ref.type === 'json' ? sql`(${column} #> ${steps})` : sql`(${column} #>> ${steps})`
}

const json = (value: Scalar): Sql => sql`${JSON.stringify(value)}::json`

const operandValue = (operand: Operand, { bound }: Env): Scalar => {
  if ('param' in operand) {
    const parameter = bound.definition.params.get(operand.param)
    return parameter ? bound.getValue(parameter) : null
  }
  const { literal } = operand
  return literal
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

const compare = (test: Extract<Test, { kind: 'compare' }>, env: Env): Sql => {
  const { ref, operator, operands } = test
  const field = rawField(ref, env)
  const type = sql.raw(castOf[ref.type])
  const resolve = { date: resolveDate, instant: resolveInstant }[ref.type as string]
  const values = operands.map((operand) => {
    const value = operandValue(operand, env)
    return resolve && typeof value === 'string' ? resolve(value, env.bound.today) : value
  })
  // Parameters are texts, and PostgreSQL converts them.
  const list = sql`${values.map((value) => (value === null ? null : String(value)))}::text[]::${type}[]`
  const [first] = values
  switch (operator) {
    case 'null':
      return sql`${field} is ${sql.raw(first === true ? 'null' : 'not null')}`
    case 'eq':
    case 'in':
      return ref.array ? sql`${field} && ${list}` : sql`${field} = any(${list})`
    case 'ne':
    case 'nin':
      return ref.array
        ? sql`not coalesce(${field} && ${list}, false)`
        : sql`(${field} is null or ${field} <> all(${list}))`
    case 'prefix':
      return sql`starts_with(${field}, ${first}::text)`
    default:
      return sql`${field} ${sql.raw(comparisons[operator])} ${first === null || first === undefined ? null : String(first)}::text::${type}`
  }
}

const compileTest = (test: Test, env: Env): Sql => {
  if (test.kind === 'compare') return sql`coalesce(${compare(test, env)}, false)`
  const tests = test.tests.map((each) => compileTest(each, env))
  return sql`(${sql.join(tests, sql.raw(test.kind === 'any' ? ' or ' : ' and '))})`
}

const rawText = (expression: Sql, type: ValueType): Sql => {
  if (type === 'date') return sql`to_char(${expression}, 'YYYY-MM-DD')`
  if (type === 'instant')
    return sql`to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  return sql`${expression}::text`
}

const cases = (branches: readonly (readonly [Sql, Sql])[], otherwise: Sql): Sql =>
  sql`case ${sql.join(
    branches.map(([test, value]) => sql`when ${test} then ${value}`),
    sql.raw(' '),
  )} else ${otherwise} end`

const scalarText = (value: Scalar): Sql => sql`${value === null ? null : String(value)}::text`

type Form = {
  literal: (value: Scalar) => Sql
  field: (expression: Sql, type: ValueType) => Sql
}

const asText: Form = { literal: scalarText, field: rawText }
const asJson: Form = { literal: json, field: (expression) => sql`to_json(${expression})` }

const compile = (value: Value, env: Env, form: Form): Sql => {
  switch (value.kind) {
    case 'literal':
      return form.literal(value.value)
    case 'param':
      return form.literal(env.bound.getValue(value.param))
    case 'field': {
      const expression = rawField(value.ref, env)
      const { type } = value.ref
      return form === asJson && type === 'instant'
        ? sql`to_json(${rawText(expression, type)})`
        : form.field(expression, type)
    }
    case 'concat': {
      const parts = value.parts.map((part) => compile(part, env, asText))
      return form.field(sql`concat_ws(${value.separator}::text, ${sql.join(parts)})`, 'text')
    }
    case 'date': {
      const field = rawField(value.ref, env)
      const moment = value.ref.type === 'instant' ? sql`${field} at time zone 'UTC'` : field
      return form.field(sql`to_char(${moment}, ${value.format}::text)`, 'text')
    }
    case 'map': {
      const text = sql`${rawField(value.ref, env)}::text`
      const branches = value.values.map(
        ([from, to]) => [sql`${text} = ${from}::text`, form.literal(to)] as const,
      )
      return branches.length === 0
        ? form.literal(value.otherwise)
        : cases(branches, form.literal(value.otherwise))
    }
    case 'case':
      return cases(
        value.branches.map(([test, then]) => [compileTest(test, env), compile(then, env, form)] as const),
        compile(value.otherwise, env, form),
      )
    case 'items':
      return sql`${sql.ref(`${joinAlias(env.joins.indexOf(value.join))}.items`)}`
  }
}

/** Compiles the members of a row to a select list of JSON values. */
export const compileSelect = (select: Select, env: Env): Sql =>
  sql.join(select.map(([name, value]) => sql`${compile(value, env, asJson)} as ${sql.id(name)}`))

/** Compiles a value to a cell of a table: a text, but JSON for the rows of a join. */
export const compileCell = (value: Value, env: Env): Sql => compile(value, env, asText)
