import { sql } from 'kysely'
import { maxTotal } from '../../../schemas/page.ts'
import type { QueryPlan } from '../query/plan.ts'
import type { Sql } from './column.ts'
import { keysetCondition, orderBy } from './conditions.ts'
import { customer, isOwned } from './session.ts'

/** Matches that the index of words finds at most, so that they can be counted. Their ids take 10 MB in PostgreSQL. */
const mostFound = maxTotal
/** Records whose words are read, in the order of the sort, before the index of words is. About 10 ms. */
const mostWalked = 2_000
/** If none of these records has the words, they are rare. */
const sampled = 100

/** Returns the words of `q`. `undefined` without `q`. */
export const findWords = ({ conditions }: QueryPlan): readonly string[] | undefined =>
  conditions.find(({ operator }) => operator === 'words')?.values

const getOwner = ({ resource }: QueryPlan): Sql => (resource.reference ? sql.lit('*') : customer)

/**
 * Returns tables for a WITH clause: `asked` has the words for `hasWords`, and `found` the ids of all matches, or one
 * more than `mostFound`. See docs/decisions/0085-words-are-found-by-the-owner.md.
 */
export const wordTables = (plan: QueryPlan, words: readonly string[]): Sql[] => {
  const given = sql`${getOwner(plan)}, ${sql.lit(plan.resource.name)}, ${words}::text[]`
  return [
    sql`asked as materialized (select words_query(${given}) as query)`,
    sql`found as materialized (select array(select find_by_words(${given}, ${sql.lit(mostFound + 1)})) as ids)`,
  ]
}

/** Whether `found` lacks matches. */
export const isCut = sql`(select cardinality(f.ids) > ${sql.lit(mostFound)} from found f)`

/** Whether the words of a row `r` match. Index: the primary key. `offset 0` prevents a join, which reads all words. */
export const hasWords = (plan: QueryPlan): Sql => sql`exists (select from record_words w
      where w.customer_id = ${getOwner(plan)} and w.resource = ${sql.lit(plan.resource.name)} and w.id = r.id
        and w.words @@ (select a.query from asked a) offset 0)`

/** Whether a row `r` is in `found`, which PostgreSQL hashes. `is true` prevents a join, which looks each id up. */
export const isFound = sql`(r.id in (select unnest(f.ids) from found f)) is true`

/**
 * Returns tables for a WITH clause: `near` has up to `limit` rows in the order of the sort, if the words are frequent.
 * `walk` has true if they are all rows of the page: then neither the index of words nor a sort is needed. `isSkipped`:
 * SQL of type boolean. If it is true, `near` is empty.
 */
export const walkTables = (
  plan: QueryPlan,
  conditions: readonly Sql[],
  limit: number,
  isSkipped: Sql,
): Sql[] => {
  const table = sql.table(plan.resource.name)
  const and = (parts: readonly Sql[]) => sql.join(parts, sql.raw(' and '))
  const keyset = keysetCondition(plan)
  const first = sql`select r.id from ${table} r
      where ${and([isOwned(plan.resource), ...(keyset ? [keyset] : [])])} ${orderBy(plan)} limit ${sql.lit(sampled)}`
  return [
    sql`sample as materialized (select not ${isSkipped} and exists (select from (${first}) r
      where ${hasWords(plan)}) as is_broad)`,
    sql`walked as materialized (select r.* from ${table} r where ${and(conditions)} ${orderBy(plan)}
      limit (select case when s.is_broad then ${sql.lit(mostWalked)} else 0 end from sample s))`,
    sql`near as materialized (select r.* from walked r where ${hasWords(plan)} limit ${sql.lit(limit)})`,
    sql`walk as materialized (select s.is_broad and ((select count(*) from near) = ${sql.lit(limit)}
      or (select count(*) from walked) < ${sql.lit(mostWalked)}) as is_complete from sample s)`,
  ]
}
