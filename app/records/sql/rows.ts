import { sql } from 'kysely'
import { maxTotal } from '../../../schemas/page.ts'
import type { QueryPlan } from '../query/plan.ts'
import type { Sql } from './column.ts'
import { filterConditions, keysetCondition, orderBy } from './conditions.ts'
import { customer, isOwned } from './session.ts'
import { findWords, hasWords, isCut, isFound, walkTables, wordTables } from './words.ts'

/** Up to this number of ids, looking the records up is cheaper than reading records in the order of the sort. */
const mostLookedUp = 5_000
/** Lists of ids that are read to find a short one. Each takes up to a millisecond. */
const mostLists = 8

const and = (parts: readonly Sql[]): Sql => sql.join(parts, sql.raw(' and '))

type Group = Readonly<{ field: string; values: readonly string[] }>

/** Returns groups of values. Every matching record has at least one value of each group in its array. */
const listGroups = ({ resource, conditions }: QueryPlan): Group[] =>
  conditions
    .filter(({ field }) => resource.fields.get(field)?.indexedElements)
    .flatMap(({ field, operator, values }): Group[] => {
      if (operator === 'all') return values.map((value) => ({ field, values: [value] }))
      return operator === 'in' ? [{ field, values }] : []
    })
    .slice(0, mostLists)

/**
 * SQL of type text[]: ids of the records with a value of the group. See
 * docs/decisions/0002-one-table-of-array-elements.md. Null if there are more than `mostLookedUp`.
 */
const listIds = ({ resource }: QueryPlan, { field, values }: Group): Sql => {
  const value = values.length === 1 ? sql`e.value = ${values[0]}` : sql`e.value = any(${values}::text[])`
  return sql`(select coalesce(array_agg(distinct e.id), '{}') from (
        select e.id from elements e where e.customer_id = ${customer} and e.resource = ${sql.lit(resource.name)}
          and e.field = ${sql.lit(field)} and ${value} limit ${sql.lit(mostLookedUp + 1)}) e
      having count(*) <= ${sql.lit(mostLookedUp)})`
}

/**
 * Returns tables for a WITH clause. The last, `candidates`, has the ids of all records that may match, or null if
 * they are more than `mostLookedUp`. PostgreSQL fills each table when it is first read. Empty without conditions that
 * an index of words or elements serves. See docs/decisions/0176-lists-of-ids-or-the-order-of-the-sort.md.
 */
const candidateTables = (plan: QueryPlan): Sql[] => {
  const words = findWords(plan)
  const lists = listGroups(plan).map((group) => listIds(plan, group))
  const listed = lists.length > 0 ? sql`coalesce(${sql.join(lists)})` : sql`null::text[]`
  if (!words) return lists.length > 0 ? [sql`candidates as materialized (select ${listed} as ids)`] : []
  return [
    ...wordTables(plan, words),
    sql`listed as materialized (select ${listed} as ids)`,
    sql`candidates as materialized (select coalesce((select l.ids from listed l),
      (select f.ids from found f where cardinality(f.ids) <= ${sql.lit(mostLookedUp)})) as ids)`,
  ]
}

const isListed = sql`(select l.ids is not null from listed l)`

type Choice = {
  conditions: readonly Sql[]
  /** `order by` and `limit`. */
  ending: Sql
  /** Condition on a row `r` that is read without candidates. Of the words of `q`. */
  matches?: Sql
  /** Optional SQL of type boolean. If it is false, nothing is read. */
  isNeeded?: Sql
}

/**
 * Returns a select of rows `r`, by the candidates or by the other indexes. Only one of the two parts is executed.
 * `offset 0` prevents other plans for the look-ups, which could read all records.
 */
const selectMatches = (
  plan: QueryPlan,
  { conditions, ending, matches, isNeeded = sql`true` }: Choice,
): Sql => {
  const table = sql.table(plan.resource.name)
  const byId = and([isOwned(plan.resource), sql`r.id = i.id`])
  const haveWords = findWords(plan) ? [sql`(not ${isListed} or ${hasWords(plan)})`] : []
  const isBroad = sql`${isNeeded} and (select c.ids is null from candidates c)`
  return sql`(select r.* from (select unnest(c.ids) as id from candidates c where ${isNeeded}) i
        cross join lateral (select r.* from ${table} r where ${byId} offset 0) r
      where ${and([...conditions, ...haveWords])} ${ending})
    union all
    (select r.* from ${table} r where ${and([isBroad, ...conditions, ...(matches ? [matches] : [])])} ${ending})`
}

const withTables = (tables: readonly Sql[]): Sql => sql`with ${sql.join(tables, sql.raw(',\n      '))}`

const limitTo = (limit: number | undefined): Sql =>
  limit === undefined ? sql`` : sql`limit ${sql.lit(limit)}`

/** `case`, because the matches that were not found must be tested one by one. */
const getMatches = (plan: QueryPlan): Sql =>
  sql`case when ${isCut} then ${hasWords(plan)} else ${isFound} end`

type Rows = Readonly<{
  /** More conditions on a row `r`. */
  more?: readonly Sql[]
  isOrdered: boolean
  limit?: number | undefined
}>

/** Returns a select of all rows `r` that match. Needs the row `s`. Index: of the most selective condition or the sort. */
export const selectRows = (plan: QueryPlan, { more = [], isOrdered, limit }: Rows): Sql => {
  const tables = candidateTables(plan)
  const conditions = [...filterConditions(plan), ...more]
  const ending = sql`${isOrdered ? orderBy(plan) : sql``} ${limitTo(limit)}`
  if (tables.length === 0) {
    return sql`select r.* from ${sql.table(plan.resource.name)} r where ${and(conditions)} ${ending}`
  }
  const choice = { conditions, ending, ...(findWords(plan) && { matches: getMatches(plan) }) }
  return sql`${withTables(tables)} select r.* from (${selectMatches(plan, choice)}) r ${ending}`
}

/** Returns tables for a WITH clause. `picked` has one row more than the page, in order. Needs the row `s`. */
export const pageTables = (plan: QueryPlan): Sql[] => {
  const tables = candidateTables(plan)
  const keyset = keysetCondition(plan)
  const conditions = [...filterConditions(plan), ...(keyset ? [keyset] : [])]
  const limit = plan.limit + 1
  const ending = sql`${orderBy(plan)} ${limitTo(limit)}`
  if (tables.length === 0) {
    const table = sql.table(plan.resource.name)
    return [sql`picked as (select r.* from ${table} r where ${and(conditions)} ${ending})`]
  }
  if (!findWords(plan)) {
    const matches = selectMatches(plan, { conditions, ending })
    return [...tables, sql`picked as (select r.* from (${matches}) r ${ending})`]
  }
  const matches = selectMatches(plan, {
    conditions,
    ending,
    matches: getMatches(plan),
    isNeeded: sql`not (select w.is_complete from walk w)`,
  })
  return [
    ...tables,
    ...walkTables(plan, conditions, limit, isListed),
    sql`picked as (select r.* from (
        (select r.* from near r where (select w.is_complete from walk w)) union all ${matches}
      ) r ${ending})`,
  ]
}

/**
 * Returns two columns for a statement with the tables of `pageTables`. `total`: the number of matches, at most one more
 * than `maxTotal`. `is_cut`: whether some matches were not tested. Both are null without `count`.
 */
export const countColumns = (plan: QueryPlan): Sql => {
  if (!plan.count) return sql`null::bigint as total, null::boolean as is_cut`
  const words = findWords(plan)
  if (words && plan.conditions.length === 1) {
    return sql`(select cardinality(f.ids) from found f)::bigint as total, false as is_cut`
  }
  const conditions = filterConditions(plan)
  const ending = limitTo(maxTotal + 1)
  const rows =
    listGroups(plan).length > 0 || words
      ? selectMatches(plan, { conditions, ending, ...(words && { matches: isFound }) })
      : selectRows(plan, { isOrdered: false, limit: maxTotal + 1 })
  return sql`(select count(*) from (select from (${rows}) r ${ending}) r) as total,
        ${words ? isCut : sql`false`} as is_cut`
}
