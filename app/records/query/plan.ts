import { resolveDate, resolveInstant } from '../../lists/values.ts'
import type { Resource } from '../resources/define.ts'
import type { Condition, Query } from './query.ts'

type Shared = Pick<Query, 'resource' | 'conditions' | 'sort' | 'fields' | 'includes' | 'limit' | 'count'>

export type QueryPlan = Shared & {
  customerId: string
  /** Sort keys and id of the previous page's last row. `undefined`: from the start. */
  after: readonly string[] | undefined
  /** Day for computed fields, YYYY-MM-DD. */
  day: string
  /** Days. `undefined`: the customer's setting. */
  window: number | undefined
  /** Hides ranges and position from the planner. See docs/decisions/0040-statements-are-kept-prepared.md. */
  isPlannedOnce?: boolean
}

export type PlanContext = {
  customerId: string
  today: string
}

const resolveCondition = (condition: Condition, resource: Resource, today: string): Condition => {
  const kind = resource.fields.get(condition.field)?.kind
  if ((kind !== 'date' && kind !== 'instant') || condition.operator === 'null') return condition
  const resolve = kind === 'date' ? resolveDate : resolveInstant
  return { ...condition, values: condition.values.map((value) => resolve(value, today)) }
}

/** Binds a query to a customer. Relative dates in filters count from `today` (YYYY-MM-DD), not from `on`. */
export const planQuery = (query: Query, moment: PlanContext, after?: readonly string[]): QueryPlan => {
  const { resource, sort, fields, includes, limit, count } = query
  const { customerId, today } = moment
  return {
    resource,
    customerId,
    sort,
    after,
    fields,
    includes,
    limit,
    count,
    conditions: query.conditions.map((each) => resolveCondition(each, resource, today)),
    day: resolveDate(query.on ?? query.asOf ?? 'today', today),
    window: query.expiringWithin,
  }
}
