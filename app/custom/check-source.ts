import { formatPairs, joinList } from '../http/pairs.ts'
import { parseQuery } from '../records/query/parse.ts'
import { maxSortKeys, maxValues, operatorsOf, parseSortKey, type SortKey } from '../records/query/query.ts'
import type { Field, Resource } from '../records/resources/define.ts'
import { resources } from '../records/resources/index.ts'
import type { Parameter, Source, Template, Where } from './definition.ts'
import type { Faults, Path } from './faults.ts'

/** What a check knows of the document around it. */
export type Context = Readonly<{ faults: Faults; params: ReadonlyMap<string, Parameter> }>

/** What computed fields are computed for: of the query grammar, though no filters. */
const dayControls = ['on', 'expiring_within']
const listOperators: readonly (string | undefined)[] = [undefined, 'in', 'nin', 'all']
const conditionName = /^([^[\]]+)(?:\[([^[\]]*)\])?$/
const embedded = /\$\{([^{}]*)\}/

/** `$name` is a parameter, `${name}` one within a text, `$$` a dollar. */
const parseTemplate = (text: string): Template => {
  if (text.startsWith('$$')) return [text.slice(1)]
  if (/^\$[^{]/.test(text)) return [{ param: text.slice(1) }]
  return text
    .split(embedded)
    .map((part, index) => (index % 2 === 0 ? part : { param: part }))
    .filter((part) => part !== '')
}

/** The parameter of this name; a fault where there is none. */
export const findParameter = (
  name: string,
  path: Path,
  { params, faults }: Context,
): Parameter | undefined => {
  const found = params.get(name)
  if (!found) {
    const known = [...params.keys()]
    const detail = known.length > 0 ? `expected one of: ${known.join(', ')}` : 'the document has no params'
    faults.add(path, `there is no parameter ${name}; ${detail}`, name, known)
  }
  return found
}

const fitting: Record<Field['kind'], readonly Parameter['type'][]> = {
  text: ['string'],
  date: ['date'],
  instant: ['date'],
  boolean: ['boolean'],
  integer: ['integer'],
  json: [],
}

/** Whether values of the parameter can be values of the field, as a whole. */
export const fits = (parameter: Parameter, field: Field): boolean =>
  fitting[field.kind].includes(parameter.type)

/** Texts that a parameter may have; undefined where any text will do, and only requests can tell. */
const samplesOf = ({ type, values, default: usual, min, max }: Parameter): readonly string[] | undefined => {
  if (values) return values
  if (type === 'string') return undefined
  if (type === 'boolean') return ['true', 'false']
  if (type === 'date') return [usual ?? '2026-01-01']
  return [usual, min, max]
    .filter((each) => each !== undefined)
    .map(String)
    .concat(min === undefined ? ['1'] : [])
}

/** The condition's values with each sample of each parameter in turn; undefined where some are known by requests alone. */
const writings = (values: readonly Template[], { params }: Context): string[][] | undefined => {
  const used = new Map(
    values
      .flat()
      .filter((part) => typeof part !== 'string')
      .map(({ param }) => [param, samplesOf(params.get(param) as Parameter)] as const),
  )
  if ([...used.values()].some((samples) => samples === undefined)) return undefined
  const most = Math.max(1, ...[...used.values()].map((samples) => samples?.length ?? 1))
  return Array.from({ length: most }, (_, round) =>
    values.map((template) =>
      template
        .map((part) => {
          if (typeof part === 'string') return part
          const samples = used.get(part.param) as readonly string[]
          return samples[Math.min(round, samples.length - 1)]
        })
        .join(''),
    ),
  )
}

/** A condition as the query grammar writes it. */
export const formatCondition = (
  { name, isList }: Pick<Where, 'name' | 'isList'>,
  values: readonly string[],
) => [name, isList ? joinList(values) : (values[0] as string)] as const

const checkTemplates = (
  given: unknown,
  isList: boolean,
  path: Path,
  context: Context,
): Template[] | undefined => {
  const { faults } = context
  const values = Array.isArray(given) ? given : [given]
  if (Array.isArray(given) && !isList) {
    faults.add(path, 'expected one value: only =, in, nin and all take a list')
    return undefined
  }
  if (values.length === 0 || values.length > maxValues) {
    faults.add(path, `expected 1 to ${maxValues} values, got ${values.length}`)
    return undefined
  }
  const place = (index: number) => (Array.isArray(given) ? [...path, index] : path)
  const templates = values.map((value, index): Template | undefined => {
    if (value === null) {
      faults.add(place(index), 'expected a value; to find null, use [null]: true')
      return undefined
    }
    if (typeof value === 'object') {
      faults.add(place(index), 'expected a text, a number, true or false, or a list of these')
      return undefined
    }
    const template = parseTemplate(String(value))
    const unknown = template.filter(
      (part) => typeof part !== 'string' && !findParameter(part.param, place(index), context),
    )
    return unknown.length > 0 ? undefined : template
  })
  return templates.every((each) => each !== undefined) ? templates : undefined
}

const checkCondition = (
  resource: Resource,
  name: string,
  given: unknown,
  path: Path,
  context: Context,
): Where | undefined => {
  const { faults, params } = context
  const [, base = name, operator] = conditionName.exec(name) ?? []
  const field = resource.fields.get(base)
  const isControl = resource.computedForDay && dayControls.includes(name)
  if (!isControl && !field?.filter) {
    const known = [...resource.fields.values()].filter((each) => each.filter).map((each) => each.name)
    if (resource.computedForDay) known.push(...dayControls)
    const what = field
      ? 'cannot be filtered'
      : base.startsWith('customer')
        ? 'is not a field: an answer shows only records of the customer who asks'
        : 'is no field'
    faults.add(path, `${base} ${what}; ${resource.name} filters: ${known.join(', ')}`, base, known)
    return undefined
  }
  if (field && !isControl && operator !== undefined && !operatorsOf(field).includes(operator)) {
    const known = operatorsOf(field)
    faults.add(path, `${base} takes: ${known.join(', ')}`, operator, known)
    return undefined
  }
  const isList = !isControl && listOperators.includes(operator)
  const values = checkTemplates(given, isList, path, context)
  if (!values) return undefined
  for (const template of values) {
    const [only, ...others] = template
    if (typeof only !== 'object' || others.length > 0 || !field || isControl) continue
    const parameter = params.get(only.param) as Parameter
    const isRight = operator === 'null' ? parameter.type === 'boolean' : fits(parameter, field)
    if (isRight) continue
    const expected = operator === 'null' ? 'boolean' : fitting[field.kind].join(' or ')
    faults.add(path, `expected a parameter of type ${expected}, got ${only.param} of type ${parameter.type}`)
    return undefined
  }
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

/** The conditions of a source. */
export const checkWhere = (
  resource: Resource,
  where: Readonly<Record<string, unknown>> | undefined,
  path: Path,
  context: Context,
): Where[] =>
  Object.entries(where ?? {}).flatMap(([name, value]) => {
    const condition = checkCondition(resource, name, value, [...path, name], context)
    return condition ? [condition] : []
  })

/** Sort keys: as in queries, because an index must serve the first. */
export const checkSort = (
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
    faults.add(path, `${resource.name} sorts by: ${resource.sorts.join(', ')}`, key, resource.sorts)
  }
  if (new Set(keys.map(({ key }) => key)).size < keys.length) faults.add(path, 'expected each sort key once')
  return keys
}

/** A source whose shape was read: conditions and sort against its resource. */
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
