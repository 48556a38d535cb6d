import { type RawBuilder, sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import type { QueryPlan } from '../../records/query/plan.ts'
import { filterConditions, keysetCondition, sortKeys } from '../../records/sql/conditions.ts'
import { session } from '../../records/sql/session.ts'
import { type PageRow, type Stamp, stampColumns } from '../../records/sql/statement.ts'
import type { BoundDocument } from '../bind.ts'
import type { List, Node } from '../definition.ts'
import { compileNode } from './object.ts'
import { orderedRows, shown } from './rows.ts'

/** The statement of an object, whose sources are subqueries and see one snapshot. */
export const objectStatement = (
  node: Node,
  bound: BoundDocument,
): RawBuilder<Stamp & { body: string }> => sql`
  select ${stampColumns}, answer.body
  from ${session(bound.customerId, bound.definition.needsSettings)}
  cross join lateral (select ${compileNode(node, bound)} as body) answer`

export type ListRow = Stamp & Pick<PageRow, 'data' | 'found' | 'last' | 'total'>

const keyText = (key: { column: string; cast: string }) =>
  sql.raw(key.cast === 'timestamptz' ? instantText(key.column) : `${key.column}::text`)

/** The statement of a page of a list. `plan` has the filters and the position of the request. */
export const listStatement = (list: List, plan: QueryPlan, bound: BoundDocument): RawBuilder<ListRow> => {
  const keyset = keysetCondition(plan)
  const total = plan.count
    ? sql`(select count(*) from ${sql.table(plan.resource.name)} r
        where ${sql.join(filterConditions(plan), sql.raw(' and '))})`
    : sql`null::bigint`
  return sql`
    select ${stampColumns}, page.*
    from ${session(bound.customerId, bound.definition.needsSettings)}
    cross join lateral (
      select
        string_agg(row_to_json(x)::text, ',' order by r.rn) filter (where r.rn <= ${plan.limit}::integer) as data,
        count(*)::integer as found,
        (array_agg(array[${sql.join(sortKeys(plan).map(keyText))}])
          filter (where r.rn = ${plan.limit}::integer))[1:1] as last,
        ${total} as total
      from (select row_number() over () as rn, r.*
        from (${orderedRows(plan, keyset ? [keyset] : [], plan.limit + 1)}) r) r
      ${shown(list, plan, bound)}
    ) page`
}
