import { sql } from 'kysely'
import type { Field, ResourceName } from '../../../records/resources/define.ts'
import { resources } from '../../../records/resources/index.ts'
import type { Sql } from '../../../records/sql/column.ts'
import { bindExpression, storedValue } from '../../../records/sql/projection.ts'
import { selectRows } from '../../../records/sql/rows.ts'
import { customer } from '../../../records/sql/session.ts'
import type { BoundDocument } from '../bind.ts'
import type { Node, Rows, Source } from '../definition.ts'
import { shown } from './rows.ts'
import { valueText } from './values.ts'

const text = (value: unknown): Sql => sql`${JSON.stringify(value)}::text`

const from = (source: Source, bound: BoundDocument) => {
  return sql`from (${selectRows(bound.getPlan(source), { isOrdered: false })}) r`
}

const selectField = (field: Field, source: Source, bound: BoundDocument) =>
  field.computed ? bindExpression(field.computed.select, bound.getPlan(source)) : sql.raw(storedValue(field))

const aggregate = (
  node: Extract<Node, { kind: 'sum' | 'min' | 'max' | 'avg' }>,
  bound: BoundDocument,
): Sql => {
  const { kind, source, field } = node
  const all = sql`${sql.raw(kind)}(${selectField(field, source, bound)})`
  const rounded = kind === 'avg' ? sql`round(${all}, 2)` : kind === 'sum' ? sql`coalesce(${all}, 0)` : all
  const value = field.kind === 'instant' ? valueText(rounded, 'instant') : rounded
  return sql`coalesce((select to_json(${value})::text ${from(source, bound)}), 'null')`
}

const countBy = (
  { source, fields, limit }: Extract<Node, { kind: 'count_by' }>,
  bound: BoundDocument,
): Sql => {
  const names = fields.map(({ name }) => sql.ref(name))
  const columns = fields.map((field) => sql`${selectField(field, source, bound)} as ${sql.ref(field.name)}`)
  const order = sql.join([sql`count desc`, ...names])
  const positions = sql.join(fields.map((_, index) => sql.raw(String(index + 1))))
  return sql`(select '[' || coalesce(string_agg(row_to_json(g)::text, ',' order by ${order}), '') || ']' from (
    select ${sql.join(columns)}, count(*) as count ${from(source, bound)}
    group by ${positions} order by ${order} limit ${limit}::integer) g)`
}

const selectNewest = (name: ResourceName): Sql[] => {
  const removed = (owner: Sql) => sql`(select m.changed_at from removals m
    where m.customer_id = ${owner} and m.resource = ${sql.lit(name)} order by m.changed_at desc limit 1)`
  const changed = resources[name].reference
    ? sql`(select max(r.updated_at) from ${sql.table(name)} r)`
    : sql`(select r.updated_at from ${sql.table(name)} r where r.customer_id = ${customer}
        order by r.updated_at desc limit 1)`
  return [changed, removed(customer), removed(sql.lit('*'))]
}

// A customer's creation counts as a change. See docs/decisions/0048-removals-remember-the-last-change.md.
const newest = ({ resources: names, as }: Extract<Node, { kind: 'newest' }>): Sql => {
  const moment = sql`greatest(find_customer_since(${customer}), ${sql.join(names.flatMap(selectNewest))})`
  const value = as === 'date' ? sql`(${moment} at time zone 'UTC')::date` : valueText(moment, 'instant')
  return sql`coalesce(to_json(${value})::text, 'null')`
}

const fromRows = (rows: Rows, bound: BoundDocument) => {
  const plan = bound.getPlan(rows.source)
  return sql`from (select row_number() over () as "#", r.* from (
      ${selectRows(plan, { isOrdered: true, limit: rows.limit })}) r) r
    ${shown(rows, plan, bound)}`
}

const itemText = (plain: boolean) =>
  plain ? sql`coalesce(x.value::text, 'null')` : sql`row_to_json(x)::text`

const merge = ({ parts, by, prefer, limit }: Extract<Node, { kind: 'merge' }>, bound: BoundDocument): Sql => {
  const member = (name: string | undefined) =>
    name === undefined ? sql`''` : sql`coalesce(${sql.ref('x')}.${sql.id(name)}::text collate "C", '')`
  // The type json has no order, so keys and `prefer` are compared as text.
  const rows = parts.map(
    (part, index) => sql`select ${member(by)} as k, ${member(prefer)} = 'true' as preferred,
      ${sql.lit(index)} as part, r."#", row_to_json(x)::text as item ${fromRows(part, bound)}`,
  )
  return sql`(select '[' || coalesce(string_agg(m.item, ',' order by m.k), '') || ']' from (
    select distinct on (u.k) u.k, u.item from (${sql.join(rows, sql.raw(' union all '))}) u
    order by u.k, u.preferred desc, u.part, u."#" limit ${limit}::integer) m)`
}

const compileMembers = (members: readonly (readonly [string, Node])[], bound: BoundDocument): Sql => {
  const parts = members.map(([name, node], index) => {
    const lead = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    return sql`${lead}::text || ${compileNode(node, bound)}`
  })
  return sql`(${sql.join(parts, sql.raw(' || '))} || '}')`
}

/** Compiles a member to SQL that writes it as JSON text. */
export const compileNode = (node: Node, bound: BoundDocument): Sql => {
  switch (node.kind) {
    case 'object':
      return compileMembers(node.members, bound)
    case 'literal':
      return text(node.value)
    case 'param':
      return text(bound.getValue(node.param))
    case 'count':
      return sql`(select count(*)::text ${from(node.source, bound)})`
    case 'exists':
      return sql`exists (select ${from(node.source, bound)})::text`
    case 'count_by':
      return countBy(node, bound)
    case 'newest':
      return newest(node)
    case 'first':
      return sql`coalesce((select ${itemText(node.plain)} ${fromRows(node.rows, bound)}), 'null')`
    case 'list':
      return sql`(select '[' || coalesce(string_agg(${itemText(node.plain)}, ',' order by r."#"), '') || ']'
        ${fromRows(node.rows, bound)})`
    case 'merge':
      return merge(node, bound)
    default:
      return aggregate(node, bound)
  }
}
