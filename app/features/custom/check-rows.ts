import { z } from 'zod'
import type { Field, Resource } from '../../records/resources/define.ts'
import { checkField, type Scope } from './check-fields.ts'
import { checkSource, sourceMembers } from './check-source.ts'
import type { Context } from './check-templates.ts'
import { checkSelect } from './check-values.ts'
import type { FieldRef, Join, JoinMany, JoinOne, Rows, Select } from './definition.ts'
import { bounds, count, memberName, nested, resourceName } from './document.ts'
import type { Place } from './faults.ts'

export const rowsShape = z.strictObject({ ...sourceMembers, joins: nested.optional() })

const { where, sort } = sourceMembers
const joinShape = z.strictObject({
  to: resourceName,
  on: z.string().optional(),
  many_on: z.string().optional(),
  where,
  sort,
  limit: count(bounds.listRows).optional(),
  pick: z.union([z.array(z.string()).min(1).max(bounds.members), nested], 'expected a list of fields'),
})

/** A to-many join finds records by one of these fields: each has an index. */
const isRelation = ({ name, kind, filter, array, indexedElements }: Field): boolean => {
  if (kind !== 'text' || filter === undefined) return false
  return array ? indexedElements && /_(ids|codes)$/.test(name) : /(^|_)(id|country_code)$/.test(name)
}

const listRelations = ({ fields }: Resource): string[] =>
  [...fields.values()].filter((field) => isRelation(field) && field.name !== 'id').map(({ name }) => name)

type Given = z.output<typeof joinShape>

const isId = ({ type, array, path }: FieldRef) => type === 'text' && !array && path.length === 0

const checkOne = (
  alias: string,
  given: Given & { on: string },
  place: Place,
  scope: Scope,
): JoinOne | undefined => {
  const on = checkField(given.on, place.at('on'), scope)
  const source = checkSource({ from: given.to, where: given.where }, place, scope)
  for (const name of ['sort', 'limit'] as const) {
    if (given[name] !== undefined)
      place.at(name).addFault('a join by on has one row: expected many_on with it')
  }
  if (!Array.isArray(given.pick))
    return place.at('pick').addFault('expected a list of fields: select renames them')
  const { fields } = source.resource
  const pick = given.pick.map((name, index) => {
    const expected = `${given.to} have no field ${name}; expected one of`
    return fields.get(name) ?? place.at('pick', index).addNameFault(name, expected, [...fields.keys()])
  })
  if (!on) return undefined
  if (!isId(on)) {
    const known = listRelations(scope.resource).filter((name) => !scope.resource.fields.get(name)?.array)
    const examples = known.length > 0 ? `, such as ${known.join(', ')}` : ''
    return place.at('on').addFault(`expected a field that holds an id of ${given.to}${examples}`)
  }
  const id = fields.get('id')
  // A later join may start from this id.
  const all = new Set(pick.includes(id) ? pick : [id, ...pick])
  return { kind: 'one', alias, source, on, pick: [...all].filter((field) => field !== undefined) }
}

const checkMany = (
  alias: string,
  given: Given & { many_on: string },
  place: Place,
  scope: Scope,
): JoinMany | undefined => {
  const source = checkSource({ from: given.to, where: given.where, sort: given.sort }, place, scope)
  const { resource } = source
  const relations = listRelations(resource)
  const field = resource.fields.get(given.many_on)
  if (relations.length === 0)
    return place
      .at('many_on')
      .addFault(`no field of ${resource.name} holds another record's id: use on instead`)
  if (!field || !relations.includes(field.name))
    return place.at('many_on').addNameFault(given.many_on, `${resource.name} are found by`, relations)
  const on = checkField(given.on ?? 'id', place.at('on'), scope)
  if (on && !isId(on))
    return place.at('on').addFault(`expected a field with the same ids as ${field.name} of ${given.to}`)
  const picked = Array.isArray(given.pick)
    ? Object.fromEntries(given.pick.map((name) => [name, name]))
    : given.pick
  const select = checkSelect(picked, place.at('pick'), { ...scope, resource, joins: new Map() })
  return on && { kind: 'many', alias, source, field, on, limit: given.limit ?? bounds.listRows, select }
}

type GivenJoin = Readonly<{
  alias: string
  given: unknown
  /** The names of the joins after it. */
  later: readonly string[]
}>

const checkJoin = ({ alias, given, later }: GivenJoin, place: Place, scope: Scope) => {
  if (place.read(memberName, alias) === undefined) return undefined
  if (scope.resource.fields.has(alias))
    place.addFault(`expected another name: ${scope.resource.name} has a field ${alias}`)
  const join = place.read(joinShape, given)
  if (!join) return undefined
  const { on, many_on } = join
  const [start = ''] = (on ?? '').split('.')
  if (start === alias) return place.at('on').addFault(`a cycle: ${alias} starts from itself`)
  if (later.includes(start))
    return place.at('on').addFault(`a cycle: ${alias} starts from ${start}, which is after it`)
  if (many_on !== undefined) return checkMany(alias, { ...join, many_on }, place, scope)
  if (on !== undefined) return checkOne(alias, { ...join, on }, place, scope)
  return place.addFault(
    'expected on (a field of the row that holds an id) or many_on (a field of the others)',
  )
}

/** Checks a source, its joins, and then with `select` its values, which may use the joins. Adds faults. */
export const checkRows = (
  given: z.output<typeof rowsShape> & { limit: number },
  place: Place,
  context: Context,
  select: (scope: Scope) => Select,
): Rows => {
  const { tally } = context
  tally.sources += 1
  const source = checkSource(given, place, context)
  const joins = new Map<string, Join>()
  const scope: Scope = { ...context, resource: source.resource, joins }
  const entries = Object.entries(given.joins ?? {})
  for (const [index, [alias, value]] of entries.entries()) {
    const inner = place.at('joins', alias)
    tally.joins += 1
    if (tally.joins === bounds.joins + 1)
      inner.addFault(`expected at most ${bounds.joins} joins in a document`)
    const later = entries.slice(index + 1).map(([name]) => name)
    const join = checkJoin({ alias, given: value, later }, inner, scope)
    if (join) joins.set(alias, join)
  }
  return { source, joins: [...joins.values()], select: select(scope), limit: given.limit }
}
