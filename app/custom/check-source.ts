import { formatPairs, joinList } from '../http/pairs.ts'
import { parseQuery } from '../records/query/parse.ts'
import { getOperators, maxSortKeys, parseSortKey, type SortKey } from '../records/query/query.ts'
import type { Field, Resource } from '../records/resources/define.ts'
import { resources } from '../records/resources/index.ts'
import { type Context, checkTemplates, fits, fitting, writings } from './check-templates.ts'
import type { Parameter, Source, Template, Where } from './definition.ts'
import type { Path } from './faults.ts'

/** Parameters of computed fields. They are allowed in `where`, but are not fields. */
const dayControls = ['on', 'expiring_within']
const listOperators: readonly (string | undefined)[] = [undefined, 'in', 'nin', 'all']
const conditionName = /^([^[\]]+)(?:\[([^[\]]*)\])?$/

/** Formats a condition as a name and a value of the query grammar. */
export const formatCondition = (
  { name, isList }: Pick<Where, 'name' | 'isList'>,
  values: readonly string[],
) => [name, isList ? joinList(values) : (values[0] as string)] as const

type Named = Readonly<{ field: Field | undefined; operator: string | undefined; isControl: boolean }>

const readName = (resource: Resource, name: string, path: Path, { faults }: Context): Named | undefined => {
  const [, base = name, operator] = conditionName.exec(name) ?? []
  if (resource.computedForDay && dayControls.includes(name)) {
    return { field: undefined, operator: undefined, isControl: true }
  }
  const field = resource.fields.get(base)
  if (!field?.filter) {
    const known = [...resource.fields.values()].filter((each) => each.filter).map((each) => each.name)
    if (resource.computedForDay) known.push(...dayControls)
    const ofCustomer = 'is not a field: an answer contains only records of the customer that requests it'
    const unknown = base.startsWith('customer') ? ofCustomer : 'is no field'
    const what = field ? 'cannot be filtered' : unknown
    return faults.addUnknown(path, base, `${base} ${what}; ${resource.name} filters`, known)
  }
  const known = getOperators(field)
  if (operator !== undefined && !known.includes(operator)) {
    return faults.addUnknown(path, operator, `${base} allows`, known)
  }
  return { field, operator, isControl: false }
}

const checkTypes = (
  { field, operator }: Named,
  values: readonly Template[],
  path: Path,
  { faults, params }: Context,
): boolean => {
  if (!field) return true
  for (const [only, ...others] of values) {
    if (typeof only !== 'object' || others.length > 0) continue
    const parameter = params.get(only.param) as Parameter
    const isRight = operator === 'null' ? parameter.type === 'boolean' : fits(parameter, field)
    if (isRight) continue
    const expected = operator === 'null' ? 'boolean' : fitting[field.kind].join(' or ')
    const got = `${only.param} of type ${parameter.type}`
    faults.add(path, `expected a parameter of type ${expected}, got ${got}`)
    return false
  }
  return true
}

const checkCondition = (
  resource: Resource,
  name: string,
  given: unknown,
  path: Path,
  context: Context,
): Where | undefined => {
  const { faults } = context
  const named = readName(resource, name, path, context)
  if (!named) return undefined
  const isList = !named.isControl && listOperators.includes(named.operator)
  const values = checkTemplates(given, isList, path, context)
  if (!values || !checkTypes(named, values, path, context)) return undefined
  const where = { name, isList, values }
  const found = new Map<string, string | undefined>()
  for (const written of writings(values, context) ?? []) {
    const outcome = parseQuery(resource, 'page', formatPairs([formatCondition(where, written)]))
    if (!('faults' in outcome)) continue
    for (const { detail, did_you_mean: meant } of outcome.faults) found.set(detail, meant)
  }
  for (const [detail, meant] of found) faults.add(path, detail, meant, meant === undefined ? [] : [meant])
  return found.size > 0 ? undefined : where
}

const checkWhere = (
  resource: Resource,
  where: Readonly<Record<string, unknown>> | undefined,
  path: Path,
  context: Context,
): Where[] =>
  Object.entries(where ?? {}).flatMap(([name, value]) => {
    const condition = checkCondition(resource, name, value, [...path, name], context)
    return condition ? [condition] : []
  })

/** Accepts only the sort keys of queries, because an index must serve the first key. */
const checkSort = (
  resource: Resource,
  given: string | readonly string[] | undefined,
  path: Path,
  { faults }: Context,
): SortKey[] => {
  const texts =
    given === undefined ? [resource.defaultSort] : typeof given === 'string' ? given.split(',') : given
  if (texts.length > maxSortKeys)
    faults.add(path, `expected at most ${maxSortKeys} keys, got ${texts.length}`)
  const keys = texts.map(parseSortKey)
  for (const { key } of keys) {
    if (resource.sorts.includes(key)) continue
    faults.addUnknown(path, key, `${resource.name} sorts by`, resource.sorts)
  }
  if (new Set(keys.map(({ key }) => key)).size < keys.length) faults.add(path, 'expected each sort key once')
  return keys
}

/** Checks the conditions and sort keys of a source against its resource. Adds faults. */
export const checkSource = (
  given: {
    from: string
    where?: Readonly<Record<string, unknown>> | undefined
    sort?: string | string[] | undefined
  },
  path: Path,
  context: Context,
): Source => {
  const resource = resources[given.from as keyof typeof resources]
  return {
    resource,
    where: checkWhere(resource, given.where, [...path, 'where'], context),
    sort: checkSort(resource, given.sort, [...path, 'sort'], context),
  }
}
