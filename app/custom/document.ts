import { z } from 'zod'
import { tokenParameters } from '../records/query/token-parameters.ts'
import { resourceNames } from '../records/resources/index.ts'

/** Bounds of a document, so that the cost of a response is limited when the operator applies it. */
export const bounds = {
  documentBytes: 65_536,
  sources: 8,
  joins: 3,
  depth: 3,
  members: 100,
  pageRows: 500,
  /** Rows of a to-many join, or of a list within an object. */
  listRows: 50,
  groups: 500,
  params: 20,
  choices: 200,
  texts: 2000,
} as const

const text = z.string().max(bounds.texts)
const count = (most: number) => z.int().min(1).max(most)
/** PostgreSQL limits the name of a column to 63 bytes. */
export const memberName = z
  .string()
  .regex(/^[\p{L}_][\p{L}\p{N}_-]*$/u, 'expected letters, digits, _ and -, not beginning with a digit')
  .refine((name) => Buffer.byteLength(name) <= 63, 'expected at most 63 bytes')
export const parameterName = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'expected up to 40 of a-z 0-9 _')
const resource = z.enum(resourceNames)
export const scalar = z.union(
  [z.string().max(bounds.texts), z.number(), z.boolean(), z.null()],
  'expected a text, a number, true, false or null',
)

/** False for arrays and null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Controls of lists and revisions, and parameters that no URL may have. */
export const reservedParameters: readonly string[] = [
  'limit',
  'cursor',
  'count',
  'format',
  'revision',
  'fields',
  'sort',
  ...tokenParameters,
]

/** These schemas are flat. The checks parse inner parts one by one, so that each fault has its whole path. */
export const documentShape = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected 1 to 64 of a-z 0-9 -, not beginning with -'),
  revision: z.int().min(1).max(1_000_000),
  title: text.optional(),
  description: text.optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  object: z.record(z.string(), z.unknown()).optional(),
  list: z.unknown().optional(),
})

export const parameterShape = z.strictObject({
  type: z.enum(['integer', 'string', 'date', 'boolean']),
  description: text.optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  example: z.union([z.string(), z.number(), z.boolean()]).optional(),
  min: z.union([z.string(), z.number()]).optional(),
  max: z.union([z.string(), z.number()]).optional(),
  enum: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .max(bounds.choices)
    .optional(),
  optional: z.boolean().optional(),
})

const where = z.record(z.string(), z.unknown()).optional()
const sort = z.union([z.string(), z.array(z.string()).min(1)], 'expected sort keys as a list').optional()

export const sourceShape = z.strictObject({ from: resource, where })
const rows = { from: resource, where, sort, joins: z.record(z.string(), z.unknown()).optional() }
export const rowsShape = z.strictObject(rows)
export const partShape = z.strictObject({ ...rows, select: z.record(z.string(), z.unknown()) })
export const listShape = z.strictObject({
  ...rows,
  limit: count(bounds.pageRows).optional(),
  filters: z.array(z.string()).max(bounds.members).optional(),
  select: z.record(z.string(), z.unknown()),
})
export const joinShape = z.strictObject({
  to: resource,
  on: z.string().optional(),
  many_on: z.string().optional(),
  where,
  sort,
  limit: count(bounds.listRows).optional(),
  pick: z.union(
    [z.array(z.string()).min(1).max(bounds.members), z.record(z.string(), z.unknown())],
    'expected a list of fields',
  ),
})

const nested = z.record(z.string(), z.unknown())
/** The forms of a member, each named after its first key. An object of no form is a nested object. */
export const nodeShapes = {
  const: z.strictObject({ const: scalar }),
  param: z.strictObject({ param: z.string() }),
  count: z.strictObject({ count: nested }),
  exists: z.strictObject({ exists: nested }),
  sum: z.strictObject({ sum: nested, field: z.string() }),
  min: z.strictObject({ min: nested, field: z.string() }),
  max: z.strictObject({ max: nested, field: z.string() }),
  avg: z.strictObject({ avg: nested, field: z.string() }),
  count_by: z.strictObject({
    count_by: nested,
    fields: z.array(z.string()).min(1).max(2),
    limit: count(bounds.groups).optional(),
  }),
  newest: z.strictObject({ newest: z.array(resource).min(1), as: z.enum(['date', 'instant']) }),
  first: z.strictObject({ first: nested, select: nested.optional(), value: z.unknown().optional() }),
  list: z.strictObject({
    list: nested,
    select: nested.optional(),
    value: z.unknown().optional(),
    limit: count(bounds.listRows),
  }),
  merge: z.strictObject({
    merge: z.array(nested).min(2).max(4),
    by: z.string(),
    prefer: z.string().optional(),
    limit: count(bounds.listRows),
  }),
  object: z.strictObject({ object: nested }),
} as const
export type NodeName = keyof typeof nodeShapes

export const valueShapes = {
  field: z.strictObject({ field: z.string() }),
  const: nodeShapes.const,
  param: nodeShapes.param,
  concat: z.strictObject({ concat: z.array(z.unknown()).min(1).max(20), separator: text.optional() }),
  map: z.strictObject({
    map: z.strictObject({ field: z.string(), values: z.record(z.string(), scalar), else: scalar.optional() }),
  }),
  date: z.strictObject({ date: z.strictObject({ field: z.string(), format: z.string().max(40) }) }),
  if: z.strictObject({
    // biome-ignore lint/suspicious/noThenProperty: the document's own word; nothing awaits a schema
    if: z.strictObject({ test: z.unknown(), then: z.unknown(), else: z.unknown().optional() }),
  }),
  case: z.strictObject({
    case: z
      // biome-ignore lint/suspicious/noThenProperty: as above
      .array(z.strictObject({ when: z.unknown(), then: z.unknown() }))
      .min(1)
      .max(20),
    else: z.unknown().optional(),
  }),
} as const
export type ValueName = keyof typeof valueShapes

export const testOperators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'prefix', 'null'] as const
export type TestOperator = (typeof testOperators)[number]
