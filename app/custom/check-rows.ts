import type { z } from 'zod'
import type { Field, Resource } from '../records/resources/define.ts'
import { checkField, type Scope } from './check-fields.ts'
import { checkSource } from './check-source.ts'
import type { Context } from './check-templates.ts'
import { checkSelect } from './check-values.ts'
import type { Join, JoinMany, JoinOne, Rows } from './definition.ts'
import { bounds, joinShape, memberName, type rowsShape } from './document.ts'
import type { Path } from './faults.ts'

/** Joins find records through these fields: each has an index. */
const isRelation = (field: Field): boolean =>
  field.filter !== undefined &&
  field.kind === 'text' &&
  (field.array
    ? field.indexedElements && /_(ids|codes)$/.test(field.name)
    : /(^|_)(id|country_code)$/.test(field.name))

const listRelations = ({ fields }: Resource): string[] =>
  [...fields.values()].filter((field) => isRelation(field) && field.name !== 'id').map(({ name }) => name)

type Given = z.output<typeof joinShape>

const checkOne = (alias: string, given: Given, path: Path, scope: Scope): JoinOne | undefined => {
  const { faults } = scope
  const on = checkField(given.on as string, [...path, 'on'], scope)
  const source = checkSource({ from: given.to, where: given.where }, path, scope)
  for (const name of ['sort', 'limit'] as const) {
    if (given[name] !== undefined)
      faults.add([...path, name], 'a join by on has one row: expected many_on with it')
  }
  if (!Array.isArray(given.pick))
    return faults.add([...path, 'pick'], 'expected a list of fields: select renames them')
  const known = [...source.resource.fields.keys()]
  const pick = given.pick.flatMap((name, index) => {
    const field = source.resource.fields.get(name)
    const expected = `${given.to} have no field ${name}; expected one of`
    if (!field) faults.addUnknown([...path, 'pick', index], name, expected, known)
    return field ? [field] : []
  })
  if (!on) return undefined
  if (on.type !== 'text' || on.array || on.path.length > 0)
    return faults.add(
      [...path, 'on'],
      `expected a field that holds an id of ${given.to}, such as ${listRelations(scope.resource).join(', ')}`,
    )
  // A later join may start from this id.
  const id = source.resource.fields.get('id')
  const all = id && !pick.includes(id) ? [id, ...pick] : pick
  return { kind: 'one', alias, source, on, pick: all }
}

const checkMany = (alias: string, given: Given, path: Path, scope: Scope): JoinMany | undefined => {
  const { faults } = scope
  const source = checkSource({ from: given.to, where: given.where, sort: given.sort }, path, scope)
  const { resource } = source
  const field = resource.fields.get(given.many_on as string)
  const relations = listRelations(resource)
  if (!field || !relations.includes(field.name))
    return faults.addUnknown(
      [...path, 'many_on'],
      given.many_on,
      `${resource.name} are found by`,
      relations.length > 0 ? relations : ['id'],
    )
  if (given.limit === undefined)
    faults.add([...path, 'limit'], `is missing: expected 1 to ${bounds.listRows} rows at most`)
  const on = checkField(given.on ?? 'id', [...path, 'on'], scope)
  if (on && (on.type !== 'text' || on.array || on.path.length > 0))
    return faults.add([...path, 'on'], `expected a field with the same ids as ${field.name} of ${given.to}`)
  const inner: Scope = { ...scope, resource, joins: new Map() }
  const picked = Array.isArray(given.pick)
    ? Object.fromEntries(given.pick.map((name) => [name, name]))
    : given.pick
  const select = checkSelect(picked, [...path, 'pick'], inner)
  return on && { kind: 'many', alias, source, field, on, limit: given.limit ?? 1, select }
}

const checkJoins = (
  given: Readonly<Record<string, unknown>>,
  path: Path,
  context: Context & { resource: Resource },
): Scope => {
  const joins = new Map<string, Join>()
  const scope: Scope = { ...context, joins }
  const { faults, tally, resource } = context
  const aliases = Object.keys(given)
  for (const [index, alias] of aliases.entries()) {
    const place = [...path, alias]
    tally.joins += 1
    if (tally.joins === bounds.joins + 1)
      faults.add(place, `expected at most ${bounds.joins} joins in a document`)
    if (faults.read(memberName, alias, place) === undefined) continue
    if (resource.fields.has(alias))
      faults.add(place, `expected another name: ${resource.name} has a field ${alias}`)
    const join = faults.read(joinShape, given[alias], place)
    if (!join) continue
    const [start = ''] = (join.on ?? '').split('.')
    if (aliases.indexOf(start) >= index) {
      faults.add(
        [...place, 'on'],
        `a cycle: ${alias} starts from ${start === alias ? 'itself' : `${start}, which is after it`}`,
      )
      continue
    }
    if (join.many_on === undefined && join.on === undefined) {
      faults.add(
        place,
        'expected on (a field of the row that holds an id) or many_on (a field of the others)',
      )
      continue
    }
    const checked =
      join.many_on === undefined ? checkOne(alias, join, place, scope) : checkMany(alias, join, place, scope)
    if (checked) joins.set(alias, checked)
  }
  return scope
}

/** Checks a source with its joins and selected values. Adds faults. */
export const checkRows = (
  given: z.output<typeof rowsShape>,
  select: { given: Readonly<Record<string, unknown>>; path: Path },
  limit: number,
  path: Path,
  context: Context,
): Rows => {
  context.tally.sources += 1
  const source = checkSource(given, path, context)
  const scope = checkJoins(given.joins ?? {}, [...path, 'joins'], { ...context, resource: source.resource })
  return {
    source,
    joins: [...scope.joins.values()],
    select: checkSelect(select.given, select.path, scope),
    limit,
  }
}
