import { z } from 'zod'
import type { Field, Resource } from '../../records/resources/define.ts'
import { getKind } from '../../records/resources/kind.ts'
import type { Context } from './check-templates.ts'
import type { FieldRef, Join } from './definition.ts'
import type { Place } from './faults.ts'

export type Scope = Context & Readonly<{ resource: Resource; joins: ReadonlyMap<string, Join> }>

/** Returns the schema of values that are present. */
export const unwrap = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrap(schema.unwrap() as z.ZodType)
    : schema

type Way = Readonly<{ alias: string | undefined; field: Field; path: readonly string[] }>

const follow = ({ alias, field, path }: Way, text: string, place: Place): FieldRef | undefined => {
  if (path.length === 0) return { alias, field, path, type: field.kind, array: field.array }
  let schema: z.ZodType = field.schema
  for (const name of path) {
    const inner = unwrap(schema)
    const shape: Record<string, z.ZodType> = inner instanceof z.ZodObject ? inner.shape : {}
    const known = Object.keys(shape)
    if (!known.includes(name)) {
      const detail = known.length > 0 ? `has: ${known.join(', ')}` : 'is no object'
      return place.addFault(`${text}: the part before .${name} ${detail}`, name, known)
    }
    schema = shape[name] as z.ZodType
  }
  const leaf = unwrap(schema)
  const isPlain = leaf instanceof z.ZodString || leaf instanceof z.ZodEnum
  return { alias, field, path, type: isPlain ? getKind(leaf).kind : 'json', array: false }
}

/** Resolves `field` or `alias.field`, also with a path into an object. Returns `undefined` after a fault. */
export const checkField = (text: string, place: Place, { resource, joins }: Scope): FieldRef | undefined => {
  const [first = '', ...rest] = text.split('.')
  const join = joins.get(first)
  const listPicked = (each: Join) =>
    each.kind === 'one' ? each.pick.map(({ name }) => `${each.alias}.${name}`) : []
  if (join?.kind === 'one') {
    const [name = '', ...inner] = rest
    const field = join.pick.find((each) => each.name === name)
    if (field) return follow({ alias: first, field, path: inner }, text, place)
    const known = listPicked(join)
    const hint = join.source.resource.fields.has(name) ? `${name} is not in its pick` : `it has no ${name}`
    return place.addFault(`${first} picks: ${known.join(', ')}; ${hint}`, text, known)
  }
  const field = resource.fields.get(first)
  if (field) return follow({ alias: undefined, field, path: rest }, text, place)
  const known = [...resource.fields.keys(), ...[...joins.values()].flatMap(listPicked)]
  return place.addNameFault(text, `${text} is no field; expected one of`, known)
}

/** Finds a field, not an array, that fits. Returns `undefined` after a fault. */
export const findField = (
  resource: Resource,
  name: string,
  isFit: (field: Field) => boolean,
  place: Place,
): Field | undefined => {
  const fitting = [...resource.fields.values()].filter((field) => !field.array && isFit(field))
  const found = fitting.find((field) => field.name === name)
  if (found) return found
  const known = fitting.map((field) => field.name)
  const expected =
    known.length > 0 ? `expected one of: ${known.join(', ')}` : `${resource.name} has no field for it`
  const problem = resource.fields.has(name) ? 'cannot be used here' : 'is no field'
  return place.addFault(`${name} ${problem}; ${expected}`, name, known)
}
