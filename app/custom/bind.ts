import type { Fault } from '../errors.ts'
import { formatPairs } from '../http/pairs.ts'
import { parseQuery } from '../records/query/parse.ts'
import { planQuery, type QueryPlan } from '../records/query/plan.ts'
import type { Condition, Query } from '../records/query/query.ts'
import { formatCondition } from './check-source.ts'
import type { Definition, Parameter, Source, Where } from './definition.ts'
import { listSources } from './dependencies.ts'
import { parameterValue } from './parameter.ts'

/** Canonical texts of the parameters by name, from the request or from defaults. */
export type Given = ReadonlyMap<string, string>

const isPresent = ({ values }: Where, given: Given): boolean =>
  values.flat().every((part) => typeof part === 'string' || given.has(part.param))

const write = (where: Where, given: Given) =>
  formatCondition(
    where,
    where.values.map((template) =>
      template.map((part) => (typeof part === 'string' ? part : (given.get(part.param) as string))).join(''),
    ),
  )

/** A fault names a parameter of the request, because the caller does not know the condition. */
const readSource = (
  { resource, where, sort }: Source,
  given: Given,
): { query: Query } | { faults: Fault[] } => {
  const present = where.filter((each) => isPresent(each, given))
  const outcome = parseQuery(resource, 'page', formatPairs(present.map((each) => write(each, given))))
  if ('query' in outcome) return { query: { ...outcome.query, sort } }
  const faults = outcome.faults.map(({ parameter: name, ...fault }) => {
    const parts = present.find((each) => each.name === name)?.values.flat() ?? []
    const [parameter] = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.param]))
    return { ...(parameter === undefined ? {} : { parameter }), ...fault }
  })
  return { faults }
}

/** Inserts parameters into the conditions of every source. Returns all faults if a value does not fit. */
export const bindSources = (
  { body }: Definition,
  given: Given,
): { queries: ReadonlyMap<Source, Query> } | { faults: Fault[] } => {
  const queries = new Map<Source, Query>()
  const faults: Fault[] = []
  for (const source of listSources(body)) {
    const read = readSource(source, given)
    if ('query' in read) queries.set(source, read.query)
    else faults.push(...read.faults)
  }
  return faults.length > 0 ? { faults } : { queries }
}

export type BoundDocument = Readonly<{
  definition: Definition
  customerId: string
  today: string
  getPlan(source: Source): QueryPlan
  planWith(source: Source, conditions: readonly Condition[]): QueryPlan
  getValue(parameter: Parameter): string | number | boolean | null
}>

/** Binds a document to a customer, a day (YYYY-MM-DD) and parameters, for its statement. */
export const bind = (
  definition: Definition,
  queries: ReadonlyMap<Source, Query>,
  given: Given,
  moment: { customerId: string; today: string },
): BoundDocument => {
  const getQuery = (source: Source) => queries.get(source) as Query
  return {
    ...moment,
    definition,
    getPlan: (source) => planQuery(getQuery(source), moment),
    planWith(source, conditions) {
      const query = getQuery(source)
      return planQuery({ ...query, conditions: [...query.conditions, ...conditions] }, moment)
    },
    getValue: (parameter) => parameterValue(parameter, given.get(parameter.name), moment.today),
  }
}
