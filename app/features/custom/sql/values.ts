import { sql } from 'kysely'
import { resolveDate, resolveInstant } from '../../../lists/values.ts'
import type { Field } from '../../../records/resources/define.ts'
import type { Sql } from '../../../records/sql/column.ts'
import type { BoundDocument } from '../bind.ts'
import type { FieldRef, Join, Operand, Scalar, Select, Test, Value } from '../definition.ts'

export type Env = Readonly<{ bound: BoundDocument; joins: readonly Join[] }>

/** The alias of a join in SQL. A document's own alias might clash with another name. */
export const joinAlias = (index: number): string => `j${index}`

const getAlias = ({ alias }: Pick<FieldRef, 'alias'>, { joins }: Env): string =>
  alias === undefined ? 'b' : joinAlias(joins.findIndex((join) => join.alias === alias))

/** A field's value in its column's type. At the end of a path: text, or JSON with SQL's null. */
export const rawField = (ref: FieldRef, env: Env): Sql => {
  const column = sql.ref(`${getAlias(ref, env)}.${ref.field.name}`)
  if (ref.path.length === 0) return column
  const steps = sql`${[...ref.path]}::text[]`
  return ref.type === 'json'
    ? sql`nullif((${column} #> ${steps})::text, 'null')::json`
    : sql`(${column} #>> ${steps})`
}

/** Resolves relative dates. Statements bind all operands as text, which PostgreSQL converts. */
const operandText = (operand: Operand, { type }: FieldRef, { bound }: Env): string | null => {
  const value = 'literal' in operand ? operand.literal : bound.getValue(operand.param)
  const text = value === null ? null : String(value)
  if (text === null || (type !== 'date' && type !== 'instant')) return text
  return type === 'date' ? resolveDate(text, bound.today) : resolveInstant(text, bound.today)
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

const compare = (test: Extract<Test, { kind: 'compare' }>, env: Env): Sql => {
  const { ref, operator, operands } = test
  const field = rawField(ref, env)
  const type = sql.raw(ref.type === 'instant' ? 'timestamptz' : ref.type)
  const values = operands.map((operand) => operandText(operand, ref, env))
  const list = sql`${values}::text[]::${type}[]`
  const [first = null] = values
  switch (operator) {
    case 'null':
      return sql`${field} is ${sql.raw(first === 'true' ? 'null' : 'not null')}`
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
      return sql`${field} ${sql.raw(comparisons[operator])} ${first}::text::${type}`
  }
}

const compileTest = (test: Test, env: Env): Sql => {
  if (test.kind === 'compare') return sql`coalesce(${compare(test, env)}, false)`
  const tests = test.tests.map((each) => compileTest(each, env))
  return sql`(${sql.join(tests, sql.raw(test.kind === 'any' ? ' or ' : ' and '))})`
}

/** The text of a value, as in responses. */
export const valueText = (expression: Sql, type: Field['kind']): Sql => {
  if (type === 'date') return sql`to_char(${expression}, 'YYYY-MM-DD')`
  if (type === 'instant')
    return sql`to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  return type === 'json' ? sql`to_json(${expression})::text` : sql`${expression}::text`
}

const cases = (branches: readonly (readonly [Sql, Sql])[], otherwise: Sql): Sql => {
  if (branches.length === 0) return otherwise
  const whens = branches.map(([test, value]) => sql`when ${test} then ${value}`)
  return sql`case ${sql.join(whens, sql.raw(' '))} else ${otherwise} end`
}

type Form = {
  literal: (value: Scalar) => Sql
  field: (expression: Sql, type: Field['kind']) => Sql
}

const asText: Form = {
  literal: (value) => sql`${value === null ? null : String(value)}::text`,
  field: valueText,
}
const asJson: Form = {
  literal: (value) => sql`${value === null ? null : JSON.stringify(value)}::json`,
  field: (expression, type) => sql`to_json(${type === 'instant' ? valueText(expression, type) : expression})`,
}
/** No constant is a list, so a constant next to lists is null. */
const asTexts: Form = { literal: () => sql`null::text[]`, field: (expression) => expression }

/** The checked document has `map` only for texts and booleans, `date` only for dates and instants. */
const compile = (value: Value, env: Env, form: Form): Sql => {
  switch (value.kind) {
    case 'literal':
      return form.literal(value.value)
    case 'param':
      return form.literal(env.bound.getValue(value.param))
    case 'field':
      return form.field(rawField(value.ref, env), value.ref.array ? 'json' : value.ref.type)
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
      return cases(branches, form.literal(value.otherwise))
    }
    case 'case':
      return cases(
        value.branches.map(([test, then]) => [compileTest(test, env), compile(then, env, form)] as const),
        compile(value.otherwise, env, form),
      )
    case 'items':
      return form.field(sql.ref(`${joinAlias(env.joins.indexOf(value.join))}.items`), 'json')
  }
}

/** Compiles the members of a row to a select list of JSON values. */
export const compileSelect = (select: Select, env: Env): Sql =>
  sql.join(select.map(([name, value]) => sql`${compile(value, env, asJson)} as ${sql.id(name)}`))

/** Compiles a value to the text of a table's cell. */
export const compileCell = (value: Value, env: Env): Sql => compile(value, env, asText)

/** Compiles a value that is always an array of texts or null. */
export const compileTexts = (value: Value, env: Env): Sql => compile(value, env, asTexts)
