import { z } from 'zod'
import type {
  Definition,
  FieldRef,
  Node as Member,
  Parameter,
  Rows,
  Select,
  Value,
} from '../../custom/definition.ts'
import { bounds } from '../../custom/document.ts'
import type { Field } from '../../records/resources/define.ts'
import {
  count,
  type Described,
  date,
  instant,
  integer,
  listOf,
  ofMembers,
  ofScalar,
  oneOf,
  orNull,
} from './described.ts'
import { exampleOf } from './examples.ts'
import { toJsonSchema } from './json-schema.ts'

const ofSchema = (schema: z.ZodType, example: unknown): Described => {
  const { examples: _, ...node } = toJsonSchema(schema, 'answer')
  return { schema: node, example }
}

const ofField = (field: Field): Described => ofSchema(field.schema, exampleOf(field.schema))

const unwrap = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrap(schema.unwrap() as z.ZodType)
    : schema

const ofRef = ({ field, path, alias }: FieldRef): Described => {
  if (path.length === 0) return alias === undefined ? ofField(field) : orNull(ofField(field))
  let schema: z.ZodType = field.schema
  let example = exampleOf(field.schema)
  for (const name of path) {
    schema = (unwrap(schema) as z.ZodObject).shape[name] as z.ZodType
    example = (example as Record<string, unknown> | null)?.[name] ?? null
  }
  return orNull(ofSchema(schema, example))
}

const ofParameter = ({ type, optional, default: usual, values }: Parameter): Described => {
  const given = usual ?? values?.[0]
  const described: Record<Parameter['type'], Described> = {
    integer: { schema: integer, example: Number(given ?? 1) },
    string: { schema: { type: 'string' }, example: given ?? 'text' },
    date,
    boolean: { schema: { type: 'boolean' }, example: given !== 'false' },
  }
  return optional ? orNull(described[type]) : described[type]
}

const ofValue = (value: Value): Described => {
  switch (value.kind) {
    case 'field':
      return ofRef(value.ref)
    case 'literal':
      return ofScalar(value.value)
    case 'param':
      return ofParameter(value.param)
    case 'concat':
      return { schema: { type: 'string' }, example: 'text' }
    case 'date':
      return orNull({ schema: { type: 'string' }, example: '21.11.2026' })
    case 'map':
      return oneOf([...value.values.map(([, to]) => ofScalar(to)), ofScalar(value.otherwise)])
    case 'case':
      return oneOf([...value.branches.map(([, then]) => ofValue(then)), ofValue(value.otherwise)])
    case 'items':
      return listOf(ofSelect(value.join.select))
  }
}

const ofSelect = (select: Select): Described =>
  ofMembers(select.map(([name, value]) => [name, ofValue(value)] as const))

const ofRow = (rows: Rows, plain: boolean): Described => {
  const [only] = rows.select
  return plain && only ? ofValue(only[1]) : ofSelect(rows.select)
}

const ofMember = (node: Member): Described => {
  switch (node.kind) {
    case 'object':
      return ofMembers(node.members.map(([name, member]) => [name, ofMember(member)] as const))
    case 'literal':
      return ofScalar(node.value)
    case 'param':
      return ofParameter(node.param)
    case 'count':
      return count
    case 'exists':
      return ofScalar(true)
    case 'sum':
      return { schema: integer, example: 42 }
    case 'avg':
      return orNull({ schema: { type: 'number', format: 'double' }, example: 42.5 })
    case 'min':
    case 'max':
      return orNull(ofField(node.field))
    case 'count_by':
      return listOf(
        ofMembers([...node.fields.map((field) => [field.name, ofField(field)] as const), ['count', count]]),
      )
    case 'newest':
      return node.as === 'date' ? date : instant
    case 'first':
      return orNull(ofRow(node.rows, node.plain))
    case 'list':
      return listOf(ofRow(node.rows, node.plain))
    case 'merge':
      return listOf(oneOf(node.parts.map((part) => ofSelect(part.select))))
  }
}

const page = (dependsOnDay: boolean): Described =>
  ofMembers([
    [
      'limit',
      { schema: { type: 'integer', format: 'int32', minimum: 1, maximum: bounds.pageRows }, example: 50 },
    ],
    ['has_more', { schema: { type: 'boolean' }, example: false }],
    ['next_cursor', { schema: { type: ['string', 'null'] }, example: null }],
    ...(dependsOnDay ? [['as_of', date] as const] : []),
  ])

/** Describes a row of a list. `undefined` if the endpoint returns an object. */
export const describeRow = ({ body }: Definition): Described | undefined =>
  'list' in body ? ofSelect(body.list.select) : undefined

/** Describes the answers of a custom endpoint. */
export const describeAnswer = ({ body, dependsOnDay }: Definition): Described => {
  if ('object' in body) return ofMember(body.object)
  const { schema, example } = page(dependsOnDay)
  const properties = {
    ...(schema.properties as object),
    total: { ...count.schema, description: 'With count=exact' },
  }
  const info = { schema: { ...schema, properties }, example }
  return ofMembers([
    ['data', listOf(ofSelect(body.list.select))],
    ['page', info],
  ])
}
