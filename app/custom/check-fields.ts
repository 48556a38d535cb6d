import { z } from 'zod'
import type { Field, Resource } from '../records/resources/define.ts'
import { kindOf } from '../records/resources/kind.ts'
import type { Context } from './check-templates.ts'
import type { FieldRef, JoinMany, JoinOne } from './definition.ts'
import type { Path } from './faults.ts'

/** What names of fields may mean: those of the row, and those that joins picked. */
export type Scope = Context &
  Readonly<{ resource: Resource; ones: ReadonlyMap<string, JoinOne>; manys: ReadonlyMap<string, JoinMany> }>

const unwrap = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrap(schema.unwrap() as z.ZodType)
    : schema

/** The fields that a reference may name, as its author writes them. */
const listNames = ({ resource, ones }: Scope): string[] => [
  ...resource.fields.keys(),
  ...[...ones].flatMap(([alias, { pick }]) => pick.map(({ name }) => `${alias}.${name}`)),
]

const whole = (alias: string | undefined, field: Field): FieldRef => ({
  alias,
  field,
  path: [],
  type: field.kind,
  array: field.array,
})

/** Into a field that is an object: `requirements.schemes`. */
const follow = (ref: FieldRef, names: readonly string[], text: string, path: Path, { faults }: Context) => {
  let schema: z.ZodType = ref.field.schema
  for (const name of names) {
    const inner = unwrap(schema)
    const shape: Record<string, z.ZodType> = inner instanceof z.ZodObject ? inner.shape : {}
    const next = shape[name]
    if (!next) {
      const known = Object.keys(shape)
      const detail = known.length > 0 ? `has: ${known.join(', ')}` : 'is no object'
      faults.add(path, `${text}: what is before .${name} ${detail}`, name, known)
      return undefined
    }
    schema = next
  }
  if (names.length === 0) return ref
  const leaf = unwrap(schema)
  const isPlain = leaf instanceof z.ZodString || leaf instanceof z.ZodEnum
  const type = isPlain ? kindOf(leaf).kind : 'json'
  return { ...ref, path: names, type, array: false }
}

/** `field`, `alias.field`, `field.inner`; a fault with the nearest name where there is none. */
export const checkField = (text: string, path: Path, scope: Scope): FieldRef | undefined => {
  const { faults, resource, ones } = scope
  const [first = '', ...rest] = text.split('.')
  const join = ones.get(first)
  if (join) {
    const [name = '', ...inner] = rest
    const field = join.pick.find((each) => each.name === name)
    if (field) return follow(whole(first, field), inner, text, path, scope)
    const known = join.pick.map((each) => `${first}.${each.name}`)
    const hint = join.source.resource.fields.has(name) ? `${name} is not in its pick` : `it has no ${name}`
    faults.add(path, `${first} picks: ${known.join(', ')}; ${hint}`, text, known)
    return undefined
  }
  const field = resource.fields.get(first)
  if (field) return follow(whole(undefined, field), rest, text, path, scope)
  const known = listNames(scope)
  faults.add(path, `there is no field ${text}; expected one of: ${known.join(', ')}`, text, known)
  return undefined
}
