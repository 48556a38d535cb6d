import { z } from 'zod'
import { resources } from '../records/resources/index.ts'
import type { SchemaNode } from './headers.ts'

/** Answers may have members that are not described, because they may grow. Requests may not. */
export type Direction = 'answer' | 'request'

/** Names of the records. With `fields`, a record may lack any member but its id. */
const selectable = new Set(Object.values(resources).map(({ schema }) => schema.meta()?.id))

/** Writes `anyOf: [T, null]` as `type: [T, null]`, because generators would create a union. */
const flattenNull = ({ anyOf, ...rest }: SchemaNode): SchemaNode => {
  const [inner, last, ...more] = (anyOf ?? []) as SchemaNode[]
  if (!inner || last?.type !== 'null' || more.length > 0) return anyOf ? { anyOf, ...rest } : rest
  if (typeof inner.type !== 'string') return { anyOf, ...rest }
  return { ...inner, ...rest, type: [inner.type, 'null'] }
}

const openEnum = ({ enum: closed, ...rest }: SchemaNode): SchemaNode => {
  // The inner part of a nullable enum is converted first: then `x-extensible-enum` exists already.
  const values = (closed ?? rest['x-extensible-enum']) as string[] | undefined
  if (!values) return rest
  const known = `Known values: ${values.join(', ')}; more may be added.`
  const { description = known } = rest
  const whole = String(description).endsWith(known) ? description : `${description}. ${known}`
  return { ...rest, description: whole, 'x-extensible-enum': values }
}

/** Without `exclusiveMinimum`, which ogen refuses, and with the size of integers, which other generators need. */
const withSize = ({ exclusiveMinimum, ...node }: SchemaNode): SchemaNode => {
  if (![node.type].flat().includes('integer')) return node
  const isSmall = typeof node.maximum === 'number' && node.maximum < 2 ** 31
  const minimum = typeof exclusiveMinimum === 'number' ? { minimum: exclusiveMinimum + 1 } : {}
  return { ...node, ...minimum, format: isSmall ? 'int32' : 'int64' }
}

const convert = (node: SchemaNode, direction: Direction): SchemaNode => {
  // The pattern of a date has 300 characters and repeats its format.
  const { pattern, propertyNames: _, additionalProperties, ...flat } = withSize(flattenNull(node))
  const mayGrow = additionalProperties === false && direction === 'answer'
  return {
    ...(direction === 'answer' ? openEnum(flat) : flat),
    ...(pattern === undefined || flat.format !== undefined ? {} : { pattern }),
    ...(additionalProperties === undefined || mayGrow ? {} : { additionalProperties }),
  }
}

/** Converts a schema. Its own name (`meta.id`) is ignored. */
export const toJsonSchema = (schema: z.ZodType, direction: Direction): SchemaNode => {
  const { $schema: _, ...node } = z.toJSONSchema(schema, {
    io: direction === 'answer' ? 'output' : 'input',
    override({ jsonSchema }) {
      const converted = convert({ ...jsonSchema }, direction)
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, converted)
    },
  })
  return node
}

/** Converts named schemas (`meta.id`) and the named schemas inside them. Throws on equal names. */
export const toNamedSchemas = (
  roots: readonly z.ZodType[],
  direction: Direction,
  base: string,
): [name: string, node: SchemaNode][] => {
  const { $defs = {} } = toJsonSchema(z.tuple(roots as [z.ZodType]), direction)
  const text = JSON.stringify($defs).replaceAll('"$ref":"#/$defs/', `"$ref":"${base}`)
  return Object.entries(JSON.parse(text) as Record<string, SchemaNode>).map(([name, node]) => [
    name,
    selectable.has(name) ? { ...node, required: ['id'] } : node,
  ])
}
