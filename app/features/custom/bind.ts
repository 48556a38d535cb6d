import type { Fault } from '../../errors.ts'
import { parseQuery } from '../../records/query/parse.ts'
import { planQuery, type QueryPlan } from '../../records/query/plan.ts'
import type { Condition, Query } from '../../records/query/query.ts'
import { formatCondition } from './check-source.ts'
import { fillTemplate, listParameters } from './check-templates.ts'
import type { Definition, Parameter, Source } from './definition.ts'
import { listSources } from './dependencies.ts'
import { parameterValue } from './parameter.ts'

/** Canonical texts of the parameters by name, from the request or from defaults. */
export type Given = ReadonlyMap<string, string>

const readSource = (
  { resource, where, sort }: Source,
  given: Given,
): { query: Query } | { faults: Fault[] } => {
  const present = where.filter(({ values }) => listParameters(values).every((name) => given.has(name)))
  const pairs = present.map((each) => {
    const texts = each.values.map((value) => fillTemplate(value, (name) => given.get(name) as string))
    const [name, value] = formatCondition(each, texts)
    return { name, value }
  })
  const outcome = parseQuery(resource, 'page', pairs)
  if ('query' in outcome) return { query: { ...outcome.query, sort } }
  // A fault names a parameter of the request, because the caller does not know the condition.
  const faults = outcome.faults.map(({ parameter: name, ...fault }): Fault => {
    const [parameter] = listParameters(present.find((each) => each.name === name)?.values ?? [])
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
  getPlan(source: Source, more?: readonly Condition[]): QueryPlan
  getValue(parameter: Parameter): string | number | boolean | null
}>

/** Binds a document to a customer, a day (YYYY-MM-DD) and parameters, for its statement. */
export const bind = (
  definition: Definition,
  queries: ReadonlyMap<Source, Query>,
  given: Given,
  moment: { customerId: string; today: string },
): BoundDocument => ({
  ...moment,
  definition,
  getPlan(source, more = []) {
    const query = queries.get(source) as Query
    return planQuery({ ...query, conditions: [...query.conditions, ...more] }, moment)
  },
  getValue: (parameter) => parameterValue(parameter, given.get(parameter.name), moment.today),
})
