import type { Resource } from '../resources/define.ts'
import type { Condition, Query, SortKey } from './query.ts'
import { resolveDate, resolveInstant } from './values.ts'

/** A query bound to a customer, a day and a position: all that the statement needs. */
export type QueryPlan = {
  resource: Resource
  customerId: string
  conditions: readonly Condition[]
  sort: readonly SortKey[]
  /** Sort keys of the row before the first, then its id; undefined = from the start. */
  after: readonly string[] | undefined
  fields: readonly string[] | undefined
  includes: readonly string[]
  limit: number
  count: boolean
  /** YYYY-MM-DD: the day that computed fields are for. */
  day: string
  /** Days before its end in which a certificate is expiring; undefined = the customer's setting. */
  window: number | undefined
}

export type PlanContext = {
  customerId: string
  /** The UTC date today, YYYY-MM-DD. */
  today: string
}

const resolveCondition = (condition: Condition, resource: Resource, today: string): Condition => {
  const kind = resource.fields.get(condition.field)?.kind
  if ((kind !== 'date' && kind !== 'instant') || condition.operator === 'null') return condition
  const resolve = kind === 'date' ? resolveDate : resolveInstant
  return { ...condition, values: condition.values.map((value) => resolve(value, today)) }
}

/** Binds a query to the moment; `today…` becomes a date here and nowhere else. */
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
