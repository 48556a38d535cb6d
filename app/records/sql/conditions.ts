import { sql } from 'kysely'
import { convertParameter } from '../../db/statement-cache.ts'
import type { QueryPlan } from '../query/plan.ts'
import type { Condition, Operator } from '../query/query.ts'
import type { Field } from '../resources/define.ts'
import { columnTypes } from '../resources/kind.ts'
import type { Sql } from './column.ts'
import { type Bindings, bindExpression } from './projection.ts'
import { isOwned } from './session.ts'

const and = (parts: readonly Sql[]): Sql => sql.join(parts, sql.raw(' and '))
const or = (parts: readonly Sql[]): Sql => sql`(${sql.join(parts, sql.raw(' or '))})`

const cast = (value: unknown, type: string): Sql => sql`${value}::${sql.raw(type)}`

type Bind = (value: unknown, type: string) => Sql

/** PostgreSQL plans a prepared statement each time, as long as that promises fewer rows than not knowing the values. */
const getBind = ({ isPlannedOnce }: QueryPlan): Bind =>
  isPlannedOnce ? (value, type) => sql`(select ${cast(value, type)})` : cast

// In sort columns, a nullable text is `v…`, null `w`. See docs/decisions/0003-sort-columns-for-null-last.md.
const isMarked = (field: Field) => field.kind === 'text' && field.sortColumn?.endsWith('_sort') === true
const marked = (field: Field, value: string) =>
  isMarked(field) ? convertParameter(value, (text) => `v${text}`) : value

/** The sort column, which has an index. Of a field without one, its own column. */
const getSortColumn = (field: Field): Sql => sql.raw(`r.${field.sortColumn ?? field.name}`)

/** Returns the least text, by bytes, above all that begin with `prefix`. `undefined` if there is none. */
const successor = (prefix: string): string | undefined => {
  const points = [...prefix]
  while (points.length > 0) {
    const last = (points.pop() as string).codePointAt(0) as number
    if (last === 0x10ffff) continue
    // Between these two are surrogates, which are not characters.
    return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}

/** A range, because LIKE is not leakproof: under row level security it uses no index. */
const prefixCondition = (field: Field, prefix: string): Sql => {
  const next = successor(prefix)
  const end = next === undefined ? (isMarked(field) ? 'w' : undefined) : marked(field, next)
  const from = sql`${getSortColumn(field)} >= ${cast(marked(field, prefix), 'text')}`
  return end === undefined ? from : and([from, sql`${getSortColumn(field)} < ${cast(end, 'text')}`])
}

const comparison = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

const rangeCondition = (field: Field, operator: keyof typeof comparison, value: string, bind: Bind): Sql => {
  const end = bind(marked(field, value), columnTypes[field.kind])
  const bound = sql`${getSortColumn(field)} ${sql.raw(comparison[operator])} ${end}`
  if (!field.sortColumn?.endsWith('_sort') || operator === 'lt' || operator === 'lte') return bound
  // Null is the greatest value of a sort column.
  return and([bound, sql`${getSortColumn(field)} < ${sql.lit(isMarked(field) ? 'w' : 'infinity')}`])
}

const scalarCondition = (
  field: Field,
  operator: Exclude<Operator, 'all' | 'words'>,
  values: readonly string[],
  bind: Bind,
): Sql => {
  const plain = sql.raw(`r.${field.name}`)
  const type = columnTypes[field.kind]
  switch (operator) {
    case 'null':
      return sql`${plain} is ${sql.raw(values[0] === 'true' ? 'null' : 'not null')}`
    case 'nin':
      return sql`(${plain} is null or ${plain} <> all(${cast(values, `${type}[]`)}))`
    case 'prefix':
      return prefixCondition(field, values[0] as string)
    case 'in': {
      const wanted = values.map((value) => marked(field, value))
      return wanted.length === 1
        ? sql`${getSortColumn(field)} = ${cast(wanted[0], type)}`
        : sql`${getSortColumn(field)} = any(${cast(wanted, `${type}[]`)})`
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return rangeCondition(field, operator, values[0] as string, bind)
  }
}

/** Longer lists are hashed, because the array operators compare each value with each element. */
const comparedValues = 8

/** Reads the array of the row. Which rows are read is the choice of `selectRows`. */
const arrayCondition = (field: Field, { operator, values }: Condition): Sql => {
  const plain = sql.raw(`r.${field.name}`)
  const list = cast(values, 'text[]')
  // The values are distinct, and few records have as many.
  if (operator === 'all')
    return sql`(cardinality(${plain}) >= ${sql.lit(values.length)} and ${plain} @> ${list})`
  const overlaps =
    values.length > comparedValues
      ? sql`exists (select from unnest(${plain}) v where v = any(${list}))`
      : sql`${plain} && ${list}`
  return operator === 'nin' ? sql`not (${overlaps})` : overlaps
}

/** Every row has exactly one value of a computed field, so `nin` matches all other values. */
const computedCondition = (field: Field, { operator, values }: Condition, bindings: Bindings): Sql => {
  const where = field.computed?.where ?? {}
  const wanted = Object.keys(where).filter((value) => values.includes(value) === (operator === 'in'))
  if (wanted.length === 0) return sql`false`
  return or(wanted.map((value) => sql`(${bindExpression(where[value] as string, bindings)})`))
}

/** Returns the conditions on a row `r`, the customer first. Omits `words`, which only `selectRows` applies. */
export const filterConditions = (plan: QueryPlan): Sql[] => {
  const conditions = [isOwned(plan.resource)]
  for (const condition of plan.conditions) {
    const { operator, values } = condition
    if (operator === 'words') continue
    const field = plan.resource.fields.get(condition.field) as Field
    if (field.computed) conditions.push(computedCondition(field, condition, plan))
    else if (field.array || operator === 'all') conditions.push(arrayCondition(field, condition))
    else conditions.push(scalarCondition(field, operator, values, getBind(plan)))
  }
  return conditions
}

type Key = { column: string; cast: string; descending: boolean }

/** Returns the columns to sort by. The last is `id`; by default in the direction of the key before it. */
export const sortKeys = (plan: QueryPlan): Key[] => {
  const keys: Key[] = []
  for (const { key, descending } of plan.sort) {
    const field = plan.resource.fields.get(key) as Field
    keys.push({ column: `r.${field.sortColumn}`, cast: columnTypes[field.kind], descending })
    // Ids are unique, so later keys order nothing.
    if (key === 'id') return keys
  }
  return [...keys, { column: 'r.id', cast: 'text', descending: keys.at(-1)?.descending ?? false }]
}

const beyond = (key: Key, value: Sql, orEqual = false): Sql =>
  sql`${sql.raw(key.column)} ${sql.raw((key.descending ? '<' : '>') + (orEqual ? '=' : ''))} ${value}`

/** Returns `order by` for rows `r`. */
export const orderBy = (plan: QueryPlan): Sql => {
  const keys = sortKeys(plan).map((key) => sql.raw(`${key.column} ${key.descending ? 'desc' : 'asc'}`))
  return sql`order by ${sql.join(keys)}`
}

/** Returns the condition for rows after `plan.after`. `undefined` on the first page. */
export const keysetCondition = (plan: QueryPlan): Sql | undefined => {
  if (!plan.after) return undefined
  const keys = sortKeys(plan)
  const bind = getBind(plan)
  const values = plan.after.map((value, index) => bind(value, keys[index]?.cast as string))
  const [first] = keys as [Key, ...Key[]]
  if (keys.every((key) => key.descending === first.descending)) {
    const columns = sql.join(keys.map((key) => sql.raw(key.column)))
    return sql`(${columns}) ${sql.raw(first.descending ? '<' : '>')} (${sql.join(values)})`
  }
  const nested = keys.reduceRight<Sql | undefined>((rest, key, index) => {
    const value = values[index] as Sql
    const past = beyond(key, value)
    return rest ? sql`(${past} or (${sql.raw(key.column)} = ${value} and ${rest}))` : past
  }, undefined) as Sql
  // No index serves nested ORs, so the first key's bound is repeated outside.
  return and([beyond(first, values[0] as Sql, true), nested])
}
