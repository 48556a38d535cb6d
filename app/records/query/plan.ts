import type { Resource } from '../resources/define.ts'
import type { Condition, Query, SortKey } from './query.ts'
import { resolveDate, resolveInstant } from './values.ts'

export type QueryPlan = {
  resource: Resource
  customerId: string
  conditions: readonly Condition[]
  sort: readonly SortKey[]
  /** Sort keys and id of the previous page's last row. `undefined`: from the start. */
  after: readonly string[] | undefined
  fields: readonly string[] | undefined
  includes: readonly string[]
  limit: number
  count: boolean
  /** Day for computed fields, YYYY-MM-DD. */
  day: string
  /** Days. `undefined`: the customer's setting. */
  window: number | undefined
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

/** Binds a query to a customer and a day: `today…` becomes a date. */
export const planQuery = (query: Query, moment: PlanContext, after?: readonly string[]): QueryPlan => ({
  resource: query.resource,
  customerId: moment.customerId,
  conditions: query.conditions.map((each) => resolveCondition(each, query.resource, moment.today)),
  sort: query.sort,
  after,
  fields: query.fields,
  includes: query.includes,
  limit: query.limit,
  count: query.count,
  day: resolveDate(query.on ?? query.asOf ?? 'today', moment.today),
  window: query.expiringWithin,
})
