import { z } from 'zod'
import { resources } from '../../records/resources/index.ts'
import type { SchemaNode } from './description.ts'

/** `answer` allows unknown members, because answers may grow. `request` refuses them. */
export type Direction = 'answer' | 'request'

/** `fields` may omit all members of a record but the id. */
const selectable = new Set(Object.values(resources).map(({ schema }) => schema.meta()?.id))

/** Writes `anyOf: [T, null]` as `type: [T, null]`, so that generators create no union. */
const flattenNull = ({ anyOf, ...rest }: SchemaNode): SchemaNode => {
  const [inner, last, ...more] = (anyOf ?? []) as SchemaNode[]
  if (!inner || last?.type !== 'null' || more.length > 0) return anyOf ? { anyOf, ...rest } : rest
  if (typeof inner.type !== 'string') return { anyOf, ...rest }
  return { ...inner, ...rest, type: [inner.type, 'null'] }
}

const openEnum = ({ enum: closed, ...rest }: SchemaNode): SchemaNode => {
  // A nullable node has the values of its part, which was converted first, and its own description.
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

/** Writes an integer's `exclusiveMinimum` as `minimum`, because ogen refuses `exclusiveMinimum`. */
const withMinimum = (node: SchemaNode): SchemaNode => {
  const { exclusiveMinimum, ...rest } = node
  const isInteger = [node.type].flat().includes('integer')
  if (!isInteger || typeof exclusiveMinimum !== 'number') return node
  return { ...rest, minimum: exclusiveMinimum + 1 }
}

const convert = (node: SchemaNode, direction: Direction): SchemaNode => {
  // The pattern of a date has 300 characters and repeats the format. Keys of an object are always strings.
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

const toNodes = (schema: z.ZodType, direction: Direction) =>
  z.toJSONSchema(schema, {
    io: direction === 'answer' ? 'output' : 'input',
    override({ jsonSchema }) {
      const converted = convert({ ...jsonSchema }, direction)
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, converted)
    },
  })

/** Converts a schema, without its name. */
export const toJsonSchema = (schema: z.ZodType, direction: Direction): SchemaNode => {
  const { $schema: _, ...node } = toNodes(schema, direction)
  return node
}

/**
 * Converts these schemas and all named ones (`meta.id`) inside, by name, with references below `base`. Throws
 * if two have the same name, or if one of `roots` has no name.
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
