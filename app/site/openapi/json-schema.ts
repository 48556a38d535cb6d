import { z } from 'zod'
import { resources } from '../../records/resources/index.ts'
import type { SchemaNode } from './description.ts'

/** `answer`: an answer, so it may grow. `request`: what they send, so nothing else is taken. */
export type Direction = 'answer' | 'request'

const isNode = (value: unknown): value is SchemaNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
const openEnum = ({ enum: values, ...rest }: SchemaNode): SchemaNode => {
  if (!values) return rest
  const known = `Known values: ${(values as string[]).join(', ')}; more may come.`
  const description = rest.description ? `${rest.description}. ${known}` : known
  return { ...rest, description, 'x-extensible-enum': values }
}

const maxInt32 = 2 ** 31 - 1

const formatOf = ({ type, maximum, format }: SchemaNode): unknown => {
  if (![type].flat().includes('integer')) return format
  return typeof maximum === 'number' && maximum <= maxInt32 ? 'int32' : 'int64'
}

const mapNodes = (nodes: unknown, each: (node: SchemaNode) => SchemaNode): unknown =>
  isNode(nodes)
    ? Object.fromEntries(Object.entries(nodes).map(([key, node]) => [key, each(node as SchemaNode)]))
    : nodes

const convert = (node: SchemaNode, direction: Direction): SchemaNode => {
  const inner = (child: unknown) => (isNode(child) ? convert(child, direction) : child)
  // The pattern of a date is 300 characters that say what the format says; keys of an object are strings.
  const { pattern, propertyNames: _, additionalProperties, ...flat } = flattenNull(node)
  const open = direction === 'answer' ? openEnum(flat) : flat
  const format = formatOf(open)
  const closed = additionalProperties === false && direction === 'answer'
  return {
    ...open,
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined || format !== undefined ? {} : { pattern }),
    ...(open.properties ? { properties: mapNodes(open.properties, (each) => convert(each, direction)) } : {}),
    ...(open.items ? { items: inner(open.items) } : {}),
    ...(Array.isArray(open.anyOf) ? { anyOf: open.anyOf.map(inner) } : {}),
    ...(additionalProperties === undefined || closed
      ? {}
      : { additionalProperties: inner(additionalProperties) }),
  }
}

/** The schema itself, without a name. */
export const toJsonSchema = (schema: z.ZodType, direction: Direction): SchemaNode => {
  const { $schema: _, ...node } = z.toJSONSchema(schema, { io: direction === 'answer' ? 'output' : 'input' })
  return convert(node, direction)
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
  const all = z.toJSONSchema(z.tuple(roots as [z.ZodType]), {
    io: direction === 'answer' ? 'output' : 'input',
  })
  const text = JSON.stringify(all.$defs ?? {}).replaceAll('"$ref":"#/$defs/', `"$ref":"${base}`)
  return new Map(
    Object.entries(JSON.parse(text) as Record<string, SchemaNode>).map(([name, node]) => {
      const converted = convert(node, direction)
      return [name, selectable.has(name) ? { ...converted, required: ['id'] } : converted]
    }),
  )
}
