import { z } from 'zod'
import { joinList } from '../../http/pairs.ts'
import { maxParameters } from '../../lists/parameters.ts'
import { parseSortKey } from '../../records/query/controls.ts'
import { getOperators } from '../../records/query/filters.ts'
import { parseQuery } from '../../records/query/parse.ts'
import { maxSortKeys, type SortKey } from '../../records/query/query.ts'
import type { Field, Resource } from '../../records/resources/define.ts'
import { resources } from '../../records/resources/index.ts'
import { type Context, checkTemplates, fitting, listWritings } from './check-templates.ts'
import type { Parameter, Source, Template, Where } from './definition.ts'
import { nested, resourceName } from './document.ts'
import type { Place } from './faults.ts'

export const sourceMembers = {
  from: resourceName,
  where: nested.optional(),
  sort: z.union([z.string(), z.array(z.string()).min(1)], 'expected sort keys as a list').optional(),
}

/** Parameters of computed fields. They are allowed in `where`, but are not fields. */
const dayControls = ['on', 'expiring_within']
const listOperators: readonly (string | undefined)[] = [undefined, 'in', 'nin', 'all']

/** Formats a condition as a name and a value of the query grammar. */
export const formatCondition = (
  { name, isList }: Pick<Where, 'name' | 'isList'>,
  values: readonly string[],
) => [name, isList ? joinList(values) : (values[0] as string)] as const

type Named = Readonly<{ field: Field | undefined; operator: string | undefined; isList: boolean }>

const readName = (resource: Resource, name: string, place: Place): Named | undefined => {
  if (resource.computedForDay && dayControls.includes(name))
    return { field: undefined, operator: undefined, isList: false }
  const [, base = name, operator] = /^([^[\]]+)(?:\[([^[\]]*)\])?$/.exec(name) ?? []
  const field = resource.fields.get(base)
  if (!field?.filter) {
    const known = [...resource.fields.values()].filter((each) => each.filter).map((each) => each.name)
    if (resource.computedForDay) known.push(...dayControls)
    const ofCustomer = 'is not a field: an answer contains only records of the customer that requests it'
    const unknown = base.startsWith('customer') ? ofCustomer : 'is no field'
    const problem = field ? 'cannot be filtered' : unknown
    return place.addNameFault(base, `${base} ${problem}; ${resource.name} filters`, known)
  }
  const known = getOperators(field)
  if (operator !== undefined && !known.includes(operator))
    return place.addNameFault(operator, `${base} allows`, known)
  return { field, operator, isList: listOperators.includes(operator) }
}

/** Checks the type of a parameter that is a whole value. */
const areTypesRight = (
  { field, operator }: Named,
  values: readonly Template[],
  place: Place,
  { params }: Context,
): boolean =>
  values.every(([only, ...others]) => {
    if (!field || typeof only !== 'object' || others.length > 0) return true
    const { type } = params.get(only.param) as Parameter
    const expected = operator === 'null' ? ['boolean'] : fitting[field.kind]
    if (expected.some((each) => each === type)) return true
    place.addFault(`expected a parameter of type ${expected.join(' or ')}, got ${only.param} of type ${type}`)
    return false
  })

type GivenCondition = Readonly<{ resource: Resource; name: string; value: unknown }>

const checkCondition = (
  { resource, name, value }: GivenCondition,
  place: Place,
  context: Context,
): Where | undefined => {
  const named = readName(resource, name, place)
  if (!named) return undefined
  const values = checkTemplates(value, named.isList, place, context)
  if (!values || !areTypesRight(named, values, place, context)) return undefined
  const where = { name, isList: named.isList, values }
  const found = new Map<string, string | undefined>()
  for (const written of listWritings(values, context)) {
    const [parameter, text] = formatCondition(where, written)
    const outcome = parseQuery(resource, 'page', [{ name: parameter, value: text }])
    if (!('faults' in outcome)) continue
    for (const { detail, did_you_mean: meant } of outcome.faults) found.set(detail, meant)
  }
  for (const [detail, meant] of found) place.addFault(detail, meant, meant === undefined ? [] : [meant])
  return found.size > 0 ? undefined : where
}

/** Accepts only the sort keys of queries, because an index must serve the first key. */
const checkSort = (
  resource: Resource,
  place: Place,
  given: string | readonly string[] = resource.defaultSort,
): SortKey[] => {
  const keys = (typeof given === 'string' ? given.split(',') : given).map(parseSortKey)
  if (keys.length > maxSortKeys) place.addFault(`expected at most ${maxSortKeys} keys, got ${keys.length}`)
  for (const { key } of keys) {
    if (!resource.sorts.includes(key)) place.addNameFault(key, `${resource.name} sorts by`, resource.sorts)
  }
  if (new Set(keys.map(({ key }) => key)).size < keys.length) place.addFault('expected each sort key once')
  return keys
}

/** Checks the conditions and sort keys of a source against its resource. Adds faults. */
export const checkSource = (
  { from, where = {}, sort }: Pick<z.output<z.ZodObject<typeof sourceMembers>>, 'from' | 'where' | 'sort'>,
  place: Place,
  context: Context,
): Source => {
  const resource = resources[from]
  const given = Object.entries(where)
  if (given.length > maxParameters)
    place.at('where').addFault(`expected at most ${maxParameters} conditions, got ${given.length}`)
  const conditions = given.map(([name, value]) =>
    checkCondition({ resource, name, value }, place.at('where', name), context),
  )
  return {
    resource,
    where: conditions.filter((each) => each !== undefined),
    sort: checkSort(resource, place.at('sort'), sort),
  }
}
