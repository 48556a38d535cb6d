import { z } from 'zod'
import type { Field, Resource } from '../records/resources/define.ts'
import { getKind } from '../records/resources/kind.ts'
import type { Context } from './check-templates.ts'
import type { FieldRef, Join } from './definition.ts'
import type { Path } from './faults.ts'

export type Scope = Context & Readonly<{ resource: Resource; joins: ReadonlyMap<string, Join> }>

const unwrap = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrap(schema.unwrap() as z.ZodType)
    : schema

const listNames = ({ resource, joins }: Scope): string[] => [
  ...resource.fields.keys(),
  ...[...joins.values()].flatMap((join) =>
    join.kind === 'one' ? join.pick.map(({ name }) => `${join.alias}.${name}`) : [],
  ),
]

const whole = (alias: string | undefined, field: Field): FieldRef => ({
  alias,
  field,
  path: [],
  type: field.kind,
  array: field.array,
})

/** Follows a path into a field that is an object, such as `requirements.schemes`. */
const follow = (ref: FieldRef, names: readonly string[], text: string, path: Path, { faults }: Context) => {
  let schema: z.ZodType = ref.field.schema
  for (const name of names) {
    const inner = unwrap(schema)
    const shape: Record<string, z.ZodType> = inner instanceof z.ZodObject ? inner.shape : {}
    const next = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (!next) {
      const known = Object.keys(shape)
      const detail = known.length > 0 ? `has: ${known.join(', ')}` : 'is no object'
      return faults.add(path, `${text}: the part before .${name} ${detail}`, name, known)
    }
    schema = next
  }
  if (names.length === 0) return ref
  const leaf = unwrap(schema)
  const isPlain = leaf instanceof z.ZodString || leaf instanceof z.ZodEnum
  const type = isPlain ? getKind(leaf).kind : 'json'
  return { ...ref, path: names, type, array: false }
}

/** Resolves `field`, `alias.field` or `field.inner`. Returns `undefined` after a fault. */
export const checkField = (text: string, path: Path, scope: Scope): FieldRef | undefined => {
  const { faults, resource, joins } = scope
  const [first = '', ...rest] = text.split('.')
  const join = joins.get(first)
  if (join?.kind === 'one') {
    const [name = '', ...inner] = rest
    const field = join.pick.find((each) => each.name === name)
    if (field) return follow(whole(first, field), inner, text, path, scope)
    const known = join.pick.map((each) => `${first}.${each.name}`)
    const hint = join.source.resource.fields.has(name) ? `${name} is not in its pick` : `it has no ${name}`
    return faults.add(path, `${first} picks: ${known.join(', ')}; ${hint}`, text, known)
  }
  const field = resource.fields.get(first)
  if (field) return follow(whole(undefined, field), rest, text, path, scope)
  const known = listNames(scope)
  return faults.addUnknown(path, text, `${text} is no field; expected one of`, known)
}

export const aggregated = {
  sum: (field: Field) => field.kind === 'integer',
  avg: (field: Field) => field.kind === 'integer',
  min: (field: Field) => ['integer', 'date', 'instant'].includes(field.kind),
  max: (field: Field) => ['integer', 'date', 'instant'].includes(field.kind),
}

/** Finds a field, not an array, that fits. Returns `undefined` after a fault. */
export const findField = (
  { name: resourceName, fields }: Resource,
  name: string,
  isFit: (field: Field) => boolean,
  path: Path,
  { faults }: Context,
): Field | undefined => {
  const field = fields.get(name)
  if (field && !field.array && isFit(field)) return field
  const known = [...fields.values()].filter((each) => !each.array && isFit(each)).map((each) => each.name)
  const expected =
    known.length > 0 ? `expected one of: ${known.join(', ')}` : `${resourceName} has no field for it`
  const problem = field ? 'cannot be used here' : 'is no field'
  return faults.add(path, `${name} ${problem}; ${expected}`, name, known)
}

/** Whether `count_by` accepts a field. Names and numbers would form one group per record. */
export const isGrouping = (field: Field): boolean =>
  (field.kind === 'text' || field.kind === 'boolean') && field.filter === 'equal' && field.name !== 'id'
