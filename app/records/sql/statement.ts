import { type RawBuilder, sql } from 'kysely'
import { maxTotal } from '../../../schemas/page.ts'
import { instantText } from '../../db/instant.ts'
import { type Stamp, stampColumns } from '../../lists/answer.ts'
import type { QueryPlan } from '../query/plan.ts'
import { isComputed, listIncludes } from '../query/prepare.ts'
import type { Include } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import type { Sql } from './column.ts'
import { sortKeys } from './conditions.ts'
import { projection } from './projection.ts'
import { countColumns, pageTables } from './rows.ts'
import { isOwned, session } from './session.ts'

export type PageRow = Stamp & {
  /** `limit + 1` if another page exists. */
  found: number
  /** Sort keys and id of the last row, as texts, in an array of one. Null if the page is not full. */
  last: [string[]] | null
  /** With `count`: the number of matches, at most one more than `maxTotal`. */
  total: number | null
  /** With `count`: whether `total` leaves out matches that were not tested. */
  is_cut: boolean | null
  included: string | null
  data: string
}

const includedMember = (plan: QueryPlan, { resource: name, by }: Include): Sql => {
  const target = resources[name]
  return sql`${sql.lit(`"${name}":{`)} || coalesce((
    select string_agg(to_json(r.id)::text || ':' || row_to_json(x)::text, ',' order by r.id)
    from (select distinct p.${sql.ref(by)} as id from (select * from picked limit ${sql.lit(plan.limit)}) p
      where p.${sql.ref(by)} is not null) wanted
    join ${sql.table(name)} r on ${isOwned(target)} and r.id = wanted.id
    cross join lateral (select ${projection(target, undefined, plan)}) x
  ), '') || '}'`
}

const includedMembers = (plan: QueryPlan): Sql => {
  if (plan.includes.length === 0) return sql`null::text`
  const sorted = listIncludes(plan).sort((a, b) => a.resource.localeCompare(b.resource))
  return sql.join(
    sorted.map((include) => includedMember(plan, include)),
    sql.raw(` || ',' || `),
  )
}

const lastKey = ({ limit }: QueryPlan, { column, cast }: { column: string; cast: string }) => {
  const last = `(array_agg(${column}))[${limit}]`
  return sql.raw(cast === 'timestamptz' ? instantText(last) : `${last}::text`)
}

/** Returns the statement for a page or a record. It reads one row too many, to detect a next page. */
export const pageStatement = (plan: QueryPlan): RawBuilder<PageRow> => {
  const keys = sortKeys(plan)
  return sql<PageRow>`
    select ${stampColumns}, page.*
    from ${session(plan.customerId, plan.window === undefined && isComputed(plan))}
    cross join lateral (
      with ${sql.join(pageTables(plan), sql.raw(',\n      '))}
      select
        count(*)::integer as found,
        case when count(*) >= ${sql.lit(plan.limit)} then
          to_json(array[array[${sql.join(keys.map((key) => lastKey(plan, key)))}]]) end as last,
        ${countColumns(plan)},
        ${includedMembers(plan)} as included,
        coalesce(array_to_json((array_agg(x))[:${sql.lit(plan.limit)}])::text, '[]') as data
      from picked r cross join lateral (select ${projection(plan.resource, plan.fields, plan)}) x
    ) page`
}

/** `total_is_lower_bound` is left out if `total` is exact. */
const describeTotal = ({ total, is_cut }: Pick<PageRow, 'total' | 'is_cut'>) => {
  const counted = Math.min(total ?? 0, maxTotal)
  return total !== counted || is_cut ? { total: counted, total_is_lower_bound: true } : { total }
}

/** Returns members of `page`: the total if it was requested, and `as_of` if the answer `isForDay`. */
export const describeView = (
  row: Pick<PageRow, 'total' | 'is_cut'>,
  { count, day }: Pick<QueryPlan, 'count' | 'day'>,
  isForDay: boolean,
): object => ({
  ...(count ? describeTotal(row) : {}),
  ...(isForDay ? { as_of: day } : {}),
})
