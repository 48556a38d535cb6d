import { sql } from 'kysely'
import type { QueryPlan } from '../query/plan.ts'
import type { Condition, Operator } from '../query/query.ts'
import type { Field, Resource } from '../resources/define.ts'
import { columnTypes } from '../resources/kind.ts'
import type { Sql } from './column.ts'
import { type Bindings, bindExpression } from './projection.ts'
import { customer, isOwned } from './session.ts'

const and = (parts: readonly Sql[]): Sql => sql.join(parts, sql.raw(' and '))
const or = (parts: readonly Sql[]): Sql => sql`(${sql.join(parts, sql.raw(' or '))})`

const cast = (value: unknown, type: string): Sql => sql`${value}::${sql.raw(type)}`

// In sort columns, a nullable text is `v…`, null `w`. See docs/decisions/0003-sort-columns-for-null-last.md.
const isMarked = (field: Field) => field.kind === 'text' && field.sortColumn?.endsWith('_sort') === true
const marked = (field: Field, value: string) => (isMarked(field) ? `v${value}` : value)

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

const rangeCondition = (field: Field, operator: keyof typeof comparison, value: string): Sql => {
  const end = cast(marked(field, value), columnTypes[field.kind])
  const bound = sql`${getSortColumn(field)} ${sql.raw(comparison[operator])} ${end}`
  if (!field.sortColumn?.endsWith('_sort') || operator === 'lt' || operator === 'lte') return bound
  // Null is the greatest value of a sort column.
  return and([bound, sql`${getSortColumn(field)} < ${sql.lit(isMarked(field) ? 'w' : 'infinity')}`])
}

const scalarCondition = (
  field: Field,
  operator: Exclude<Operator, 'all' | 'words'>,
  values: readonly string[],
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
      return rangeCondition(field, operator, values[0] as string)
  }
}

// See docs/decisions/0002-one-table-of-array-elements.md.
const inElements = (resource: Resource, field: Field, values: readonly string[]): Sql => {
  const value =
    values.length === 1
      ? sql`e.value = ${cast(values[0], 'text')}`
      : sql`e.value = any(${cast(values, 'text[]')})`
  return sql`(select e.id from elements e where e.customer_id = ${customer}
    and e.resource = ${sql.lit(resource.name)} and e.field = ${sql.lit(field.name)} and ${value})`
}

/** More values are checked without an index: planning hundreds of joins takes seconds. */
const joinedValues = 8

const arrayCondition = (resource: Resource, field: Field, { operator, values }: Condition): Sql => {
  const plain = sql.raw(`r.${field.name}`)
  if (!field.indexedElements) {
    const contains = sql`${plain} ${sql.raw(operator === 'all' ? '@>' : '&&')} ${cast(values, 'text[]')}`
    return operator === 'nin' ? sql`not (${contains})` : contains
  }
  if (operator === 'all') {
    const joined = values
      .slice(0, joinedValues)
      .map((value) => sql`r.id in ${inElements(resource, field, [value])}`)
    const checked = values.slice(joinedValues)
    if (checked.length > 0) joined.push(sql`${plain} @> ${cast(checked, 'text[]')}`)
    return and(joined)
  }
  const membership = inElements(resource, field, values)
  return operator === 'nin'
    ? sql`not exists (select from ${membership} m where m.id = r.id)`
    : sql`r.id in ${membership}`
}

/** Every row has exactly one value of a computed field, so `nin` matches all other values. */
const computedCondition = (field: Field, { operator, values }: Condition, bindings: Bindings): Sql => {
  const where = field.computed?.where ?? {}
  const wanted = Object.keys(where).filter((value) => values.includes(value) === (operator === 'in'))
  if (wanted.length === 0) return sql`false`
  return or(wanted.map((value) => sql`(${bindExpression(where[value] as string, bindings)})`))
}

/** Returns the rows `r` for `filterConditions`. See docs/decisions/0085-words-are-found-by-the-owner.md. */
export const rowSource = ({ resource, conditions }: QueryPlan): Sql => {
  const words = conditions.find(({ operator }) => operator === 'words')?.values
  const table = sql.table(resource.name)
  if (!words) return sql`${table} r`
  const owner = resource.reference ? sql.lit('*') : customer
  // Without `offset 0` the planner would read all records of the customer.
  return sql`lateral (
    select r.* from find_by_words(${owner}, ${sql.lit(resource.name)}, ${cast(words, 'text[]')}) w (id)
    cross join lateral (select r.* from ${table} r where ${isOwned(resource)} and r.id = w.id offset 0) r
  ) r`
}

/** Returns the conditions, the customer first. Omits `words`, which only `rowSource` applies. */
export const filterConditions = (plan: QueryPlan): Sql[] => {
  const conditions = [isOwned(plan.resource)]
  for (const condition of plan.conditions) {
    const { operator, values } = condition
    if (operator === 'words') continue
    const field = plan.resource.fields.get(condition.field) as Field
    if (field.computed) conditions.push(computedCondition(field, condition, plan))
    else if (field.array || operator === 'all')
      conditions.push(arrayCondition(plan.resource, field, condition))
    else conditions.push(scalarCondition(field, operator, values))
  }
  return conditions
}

type Key = { column: string; cast: string; descending: boolean }

/** Returns the columns to sort by. The last is `id`, in the direction of the key before it. */
export const sortKeys = (plan: QueryPlan): Key[] => {
  const keys = plan.sort.map(({ key, descending }) => {
    const field = plan.resource.fields.get(key) as Field
    return { column: `r.${field.sortColumn}`, cast: columnTypes[field.kind], descending }
  })
  return [...keys, { column: 'r.id', cast: 'text', descending: keys.at(-1)?.descending ?? false }]
}

const beyond = (key: Key, value: string, orEqual = false): Sql =>
  sql`${sql.raw(key.column)} ${sql.raw((key.descending ? '<' : '>') + (orEqual ? '=' : ''))} ${cast(value, key.cast)}`

/** Returns the condition for rows after `plan.after`. `undefined` on the first page. */
export const keysetCondition = (plan: QueryPlan): Sql | undefined => {
  if (!plan.after) return undefined
  const keys = sortKeys(plan)
  const values = plan.after
  const [first] = keys as [Key, ...Key[]]
  if (keys.every((key) => key.descending === first.descending)) {
    const columns = sql.join(keys.map((key) => sql.raw(key.column)))
    const bounds = sql.join(keys.map((key, index) => cast(values[index], key.cast)))
    return sql`(${columns}) ${sql.raw(first.descending ? '<' : '>')} (${bounds})`
  }
  const nested = keys.reduceRight<Sql | undefined>((rest, key, index) => {
    const value = values[index] as string
    const past = beyond(key, value)
    return rest ? sql`(${past} or (${sql.raw(key.column)} = ${cast(value, key.cast)} and ${rest}))` : past
  }, undefined) as Sql
  // No index serves nested ORs, so the first key's bound is repeated outside.
  return and([beyond(first, values[0] as string, true), nested])
}
