import type { NamedStatement } from '../../db/connect.ts'
import { type CreateSlot, createStatementCache, type StatementCache } from '../../db/statement-cache.ts'
import { rangeOperators } from '../../lists/values.ts'
import { formatSortKey } from '../query/canonical.ts'
import type { QueryPlan } from '../query/plan.ts'
import type { Condition } from '../query/query.ts'

/** Whether one PostgreSQL plan fits all values. See docs/decisions/0040-statements-are-kept-prepared.md. */
const isBound = ({ conditions, sort, count }: QueryPlan): boolean =>
  !count &&
  conditions.every(({ field, operator, values }) => {
    if (field === 'id') return operator === 'in' && values.length === 1
    return rangeOperators.includes(operator) && field === sort[0]?.key
  })

/** Longer lists rarely repeat their length, so their statements are not kept. */
const longestList = 8

/** Whether the values are part of the statement's text. */
const isSpelledOut = ({ resource }: QueryPlan, { field, operator }: Condition): boolean =>
  operator === 'null' || resource.fields.get(field)?.computed !== undefined

/** Whether plans of this shape differ only in parameters. A prefix range's end depends on its value. */
const hasOneText = ({ conditions }: QueryPlan): boolean =>
  conditions.every(({ operator, values }) => operator !== 'prefix' && values.length <= longestList)

const conditionShape = (plan: QueryPlan, condition: Condition): string => {
  const { field, operator, values } = condition
  return `${field} ${operator} ${isSpelledOut(plan, condition) ? values.join() : values.length}`
}

const getShape = (plan: QueryPlan): string => {
  const { resource, conditions, sort, after, fields, includes, limit, count, window } = plan
  return [
    resource.name,
    conditions.map((condition) => conditionShape(plan, condition)).join(),
    sort.map(formatSortKey).join(),
    after ? 'after' : '',
    fields?.join() ?? '*',
    includes.join(),
    limit,
    count ? 'count' : '',
    window === undefined ? '' : 'window',
  ].join(';')
}

/** Returns the plan with a slot for each value. */
const withSlots = (plan: QueryPlan, slot: CreateSlot<QueryPlan>): QueryPlan => ({
  ...plan,
  customerId: slot(({ customerId }) => customerId),
  day: slot(({ day }) => day),
  conditions: plan.conditions.map((each, index) => {
    if (isSpelledOut(plan, each)) return each
    const values = each.values.map((_, place) =>
      slot(({ conditions }) => conditions[index]?.values[place] as string),
    )
    return { ...each, values }
  }),
  after: plan.after?.map((_, index) => slot(({ after }) => after?.[index] as string)),
  window: plan.window === undefined ? undefined : slot(({ window }) => window),
})

export type Shapes = StatementCache<QueryPlan>

/** Each takes about 50 kB on every connection of PostgreSQL. */
const maxPrepared = 100
/** Each takes 4 to 20 kB in this process. */
const maxTexts = 200

/** Keeps one statement for plans that differ in values only, because compiling one takes 45 to 70 µs. */
export const createShapes = (compile: (plan: QueryPlan) => NamedStatement, now: () => number): Shapes => {
  const cache = createStatementCache<QueryPlan>({
    getShape,
    compile: (plan, slot, isPlannedOnce) => compile({ ...withSlots(plan, slot), isPlannedOnce }),
    isPrepared: isBound,
    prefix: 'page',
    maxPrepared,
    maxTexts,
    now,
  })
  return { find: (plan) => (hasOneText(plan) ? cache.find(plan) : undefined) }
}
