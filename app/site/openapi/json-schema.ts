import { z } from 'zod'
import { resources } from '../../records/resources/index.ts'
import type { SchemaNode } from './description.ts'

/** `answer`: an answer, so it may grow. `request`: what they send, so nothing else is taken. */
export type Direction = 'answer' | 'request'

/** Of a record `fields` may leave out all but the id. */
const selectable = new Set(Object.values(resources).map(({ schema }) => schema.meta()?.id))

/** `anyOf: [T, null]` as `type: [T, null]`: the same to a validator, and generators make no union of it. */
const flattenNull = ({ anyOf, ...rest }: SchemaNode): SchemaNode => {
  const [inner, last, ...more] = (anyOf ?? []) as SchemaNode[]
  if (!inner || last?.type !== 'null' || more.length > 0) return anyOf ? { anyOf, ...rest } : rest
  if (typeof inner.type !== 'string') return { anyOf, ...rest }
  return { ...inner, ...rest, type: [inner.type, 'null'] }
}

/** Known values, or any other string of the same type. */
const openEnum = ({ enum: closed, ...rest }: SchemaNode): SchemaNode => {
  // A node that may be null has the values of its part, which was opened first, and a description of its own.
  const values = (closed ?? rest['x-extensible-enum']) as string[] | undefined
  if (!values) return rest
  const known = `Known values: ${values.join(', ')}; more may come.`
  const { description = known } = rest
  const whole = String(description).endsWith(known) ? description : `${description}. ${known}`
  return { ...rest, description: whole, 'x-extensible-enum': values }
}

const maxInt32 = 2 ** 31 - 1

const formatOf = ({ type, maximum, format }: SchemaNode): unknown => {
  if (![type].flat().includes('integer')) return format
  return typeof maximum === 'number' && maximum <= maxInt32 ? 'int32' : 'int64'
}

/** `exclusiveMinimum` of an integer as `minimum`: ogen refuses the former. */
const withMinimum = (node: SchemaNode): SchemaNode => {
  const { exclusiveMinimum, ...rest } = node
  const isInteger = [node.type].flat().includes('integer')
  if (!isInteger || typeof exclusiveMinimum !== 'number') return node
  return { ...rest, minimum: exclusiveMinimum + 1 }
}

const convert = (node: SchemaNode, direction: Direction): SchemaNode => {
  // The pattern of a date is 300 characters that say what the format says; keys of an object are strings.
  const { pattern, propertyNames: _, additionalProperties, ...flat } = withMinimum(flattenNull(node))
  const open = direction === 'answer' ? openEnum(flat) : flat
  const format = formatOf(open)
  const mayGrow = additionalProperties === false && direction === 'answer'
  return {
    ...open,
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined || format !== undefined ? {} : { pattern }),
    ...(additionalProperties === undefined || mayGrow ? {} : { additionalProperties }),
  }
}

/** zod's JSON Schema, each of its nodes converted. */
const toNodes = (schema: z.ZodType, direction: Direction) =>
  z.toJSONSchema(schema, {
    io: direction === 'answer' ? 'output' : 'input',
    override({ jsonSchema }) {
      const converted = convert({ ...jsonSchema }, direction)
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, converted)
    },
  })

/** The schema itself, without a name. */
export const toJsonSchema = (schema: z.ZodType, direction: Direction): SchemaNode => {
  const { $schema: _, ...node } = toNodes(schema, direction)
  return node
}

/**
 * These schemas and all named ones (`meta.id`) in them, by name, with references below `base`.
 * Throws where two are called the same, or one of `roots` has no name.
 */
export const toNamedSchemas = (
  roots: readonly z.ZodType[],
  direction: Direction,
  base: string,
): Map<string, SchemaNode> => {
  const anonymous = roots.find((root) => root.meta()?.id === undefined)
  if (anonymous) throw new Error(`a schema of type ${anonymous.type} needs a name (meta.id)`)
  const all = toNodes(z.tuple(roots as [z.ZodType]), direction)
  const text = JSON.stringify(all.$defs ?? {}).replaceAll('"$ref":"#/$defs/', `"$ref":"${base}`)
  return new Map(
    Object.entries(JSON.parse(text) as Record<string, SchemaNode>).map(([name, node]) => [
      name,
      selectable.has(name) ? { ...node, required: ['id'] } : node,
    ]),
  )
}
