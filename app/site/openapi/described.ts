import type { Scalar } from '../../custom/definition.ts'
import type { SchemaNode } from './description.ts'

/** The schema of a part of an answer, and an example. */
export type Described = { schema: SchemaNode; example: unknown }

const typesOf = ({ type }: SchemaNode): string[] => [type ?? []].flat() as string[]

/** Adds null to the allowed values. */
export const orNull = ({ schema, example }: Described): Described => {
  const types = typesOf(schema)
  if (types.length === 0) return { schema: { anyOf: [schema, { type: 'null' }] }, example }
  return { schema: { ...schema, type: [...new Set([...types, 'null'])] }, example }
}

const most = Number.MAX_SAFE_INTEGER
/** A whole number that JavaScript represents exactly. */
export const integer = { type: 'integer', format: 'int64', minimum: -most, maximum: most }
/** A number of records. */
export const count: Described = { schema: { ...integer, minimum: 0 }, example: 42 }

const timed = (format: string, example: string): Described => ({
  schema: { type: 'string', format, examples: [example] },
  example,
})
/** A day, YYYY-MM-DD. */
export const date = timed('date', '2026-11-21')
/** An instant, RFC 3339. */
export const instant = timed('date-time', '2026-11-21T16:20:00.123456Z')

/** Describes any value of the same type as this one. */
export const ofScalar = (value: Scalar): Described => {
  if (value === null) return { schema: { type: 'null' }, example: null }
  if (typeof value === 'string') return { schema: { type: 'string' }, example: value }
  if (typeof value === 'boolean') return { schema: { type: 'boolean' }, example: value }
  return { schema: Number.isInteger(value) ? integer : { type: 'number', format: 'double' }, example: value }
}

/** Describes a union. Uses one list of types if that loses no information. */
export const oneOf = (parts: readonly Described[]): Described => {
  const [first] = parts as readonly [Described, ...Described[]]
  const texts = new Set(parts.map(({ schema }) => JSON.stringify(schema)))
  if (texts.size === 1) return first
  const isPlain = parts.every(({ schema }) =>
    Object.keys(schema).every((key) => key === 'type' || key === 'format'),
  )
  const formats = new Set(parts.flatMap(({ schema }) => schema.format ?? []))
  if (isPlain && formats.size <= 1) {
    const types = [...new Set(parts.flatMap(({ schema }) => typesOf(schema)))]
    const [format] = formats
    return { schema: { type: types, ...(format === undefined ? {} : { format }) }, example: first.example }
  }
  return {
    schema: { anyOf: [...texts].map((text) => JSON.parse(text) as SchemaNode) },
    example: first.example,
  }
}

/** Describes an array of these. */
export const listOf = ({ schema, example }: Described): Described => ({
  schema: { type: 'array', items: schema },
  example: [example],
})

/** Describes an object with these required members. */
export const ofMembers = (members: readonly (readonly [string, Described])[]): Described => ({
  schema: {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
    required: members.map(([name]) => name),
  },
  example: Object.fromEntries(members.map(([name, { example }]) => [name, example])),
})
