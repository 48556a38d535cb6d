import { z } from 'zod'
import { maxTotal } from '../../../schemas/page.ts'
import { getExample } from '../../openapi/examples.ts'
import { toJsonSchema } from '../../openapi/json-schema.ts'
import type { Field } from '../../records/resources/define.ts'
import { unwrap } from './check-fields.ts'
import type { Definition, FieldRef, Node, Parameter, Rows, Scalar, Select, Value } from './definition.ts'
import { bounds } from './document.ts'

const withExample = <T extends z.ZodType>(schema: T, ...examples: unknown[]): T => schema.meta({ examples })

const count = withExample(z.int().min(0), 42)
const date = withExample(z.iso.date(), '2026-11-21')
const instant = withExample(z.iso.datetime(), '2026-11-21T16:20:00.123456Z')

const ofScalar = (value: Scalar): z.ZodType => {
  if (value === null) return z.null()
  if (typeof value === 'string') return withExample(z.string(), value)
  if (typeof value === 'boolean') return withExample(z.boolean(), value)
  return withExample(Number.isInteger(value) ? z.int() : z.number(), value)
}

/** Returns a union without duplicates. If one of the schemas is null, the union is nullable. */
const toUnion = (parts: readonly z.ZodType[]): z.ZodType => {
  const getKey = (part: z.ZodType) => {
    const { examples: _, ...node } = toJsonSchema(part, 'answer')
    return JSON.stringify(node)
  }
  const values = parts.filter((part) => !(part instanceof z.ZodNull))
  const [first, ...others] = [...Map.groupBy(values, getKey).values()].map(([part]) => part as z.ZodType)
  if (!first) return z.null()
  const union = others.length > 0 ? z.union([first, ...others]) : first
  return values.length < parts.length ? union.nullable() : union
}

const ofRef = ({ field, path, alias }: FieldRef): z.ZodType => {
  if (path.length === 0) return alias === undefined ? field.schema : field.schema.nullable()
  let schema: z.ZodType = field.schema
  let example = getExample(field.schema)
  for (const name of path) {
    schema = (unwrap(schema) as z.ZodObject).shape[name] as z.ZodType
    example = (example as Record<string, unknown> | null)?.[name] ?? null
  }
  return withExample(schema.nullable(), example)
}

const ofParameter = ({ type, optional, default: usual, values }: Parameter): z.ZodType => {
  const given = usual ?? values?.[0]
  const schema = {
    integer: withExample(z.int(), Number(given ?? 1)),
    string: withExample(z.string(), given ?? 'text'),
    date,
    boolean: withExample(z.boolean(), given !== 'false'),
  }[type]
  return optional ? schema.nullable() : schema
}

const ofValue = (value: Value): z.ZodType => {
  switch (value.kind) {
    case 'field':
      return ofRef(value.ref)
    case 'literal':
      return ofScalar(value.value)
    case 'param':
      return ofParameter(value.param)
    case 'concat':
      return ofScalar('text')
    case 'date':
      return ofScalar('21.11.2026').nullable()
    case 'map':
      return toUnion([...value.values.map(([, to]) => ofScalar(to)), ofScalar(value.otherwise)])
    case 'case':
      return toUnion([...value.branches.map(([, then]) => ofValue(then)), ofValue(value.otherwise)])
    case 'items':
      return z.array(ofSelect(value.join.select))
  }
}

const ofSelect = (select: Select) =>
  z.object(Object.fromEntries(select.map(([name, value]) => [name, ofValue(value)])))

const ofRow = ({ select }: Rows, plain: boolean): z.ZodType =>
  plain && select[0] ? ofValue(select[0][1]) : ofSelect(select)

const ofNode = (node: Node): z.ZodType => {
  switch (node.kind) {
    case 'object':
      return z.object(Object.fromEntries(node.members.map(([name, member]) => [name, ofNode(member)])))
    case 'literal':
      return ofScalar(node.value)
    case 'param':
      return ofParameter(node.param)
    case 'count':
      return count
    case 'exists':
      return ofScalar(true)
    case 'sum':
      return ofScalar(42)
    case 'avg':
      return ofScalar(42.5).nullable()
    case 'min':
    case 'max':
      return node.field.schema.nullable()
    case 'count_by':
      return z.array(
        z.object({
          ...Object.fromEntries(node.fields.map((field: Field) => [field.name, field.schema])),
          count,
        }),
      )
    case 'newest':
      return node.as === 'date' ? date : instant
    case 'first':
      return ofRow(node.rows, node.plain).nullable()
    case 'list':
      return z.array(ofRow(node.rows, node.plain))
    case 'merge':
      return z.array(toUnion(node.parts.map((part) => ofSelect(part.select))))
  }
}

/** Returns the schema of a row of a list. `undefined` if the endpoint returns an object. */
export const createRowSchema = ({ body }: Definition): z.ZodType | undefined =>
  'list' in body ? ofSelect(body.list.select) : undefined

/** Returns the schema of the answers of a custom endpoint. */
export const createAnswerSchema = ({ body, dependsOnDay }: Definition): z.ZodType => {
  if ('object' in body) return ofNode(body.object)
  const page = z.object({
    limit: withExample(z.int().min(1).max(bounds.pageRows), 50),
    has_more: ofScalar(false),
    next_cursor: withExample(z.string().nullable(), null),
    ...(dependsOnDay ? { as_of: date } : {}),
    total: count.optional().meta({ description: 'With `count=exact`' }),
    total_is_lower_bound: ofScalar(true)
      .optional()
      .meta({ description: `True if more than ${maxTotal} records match` }),
  })
  return z.object({ data: z.array(ofSelect(body.list.select)), page })
}
