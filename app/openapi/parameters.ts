import { z } from 'zod'
import { defaultLimit, maxLimit } from '../lists/parameters.ts'
import type { Components } from './components.ts'
import type { OpenApiParameter } from './description.ts'
import { getExample } from './examples.ts'
import type { SchemaNode } from './headers.ts'

/** Limit of `plugins/gate.ts` for path and query without `cursor` and `after`, so for each other value. */
export const maxTargetBytes = 8_192
/** Limit of `app/main/early.ts` for path, query and headers together. */
export const maxHeadBytes = 16_384

/** `last` is the default. Many generated clients send it, so the service must accept it. */
const describe = (schema: z.ZodType, description: string, example: unknown, last?: unknown): z.ZodType =>
  schema.meta({ description, examples: [example], ...(last === undefined ? {} : { default: last }) })

export const text = (description: string, example: string, maxLength = maxTargetBytes) =>
  describe(z.string().min(1).max(maxLength), description, example)

export const choice = (description: string, values: readonly string[], last?: string) =>
  describe(z.enum(values), description, values[0], last)

export const integer = (description: string, [min, max]: [number, number], example: number, last?: number) =>
  describe(z.int().min(min).max(max), description, example, last)

export const limit = (description: string) => integer(description, [1, maxLimit], defaultLimit, defaultLimit)

export const cursor = (description: string) =>
  text(
    `\`page.next_cursor\` of the previous answer, unchanged, ${description}`,
    'AXq3x0a2c0F1WyIyMDI2LTA0LTI1VDExOjAyOjAzLjQ1Njc4OVoiLCI0Mzg1ZGNlMmE5ZWY2MjJiIl0',
    maxHeadBytes,
  )

export const headerParameter = (name: string, description: string, example: string): OpenApiParameter => ({
  name,
  in: 'header',
  schema: describe(z.string().max(maxHeadBytes), description, example),
})

/** Lists the parameters with these names, in the order of `described`. Throws if one has no description. */
export const queryParameters = (
  names: Iterable<string>,
  described: Readonly<Record<string, z.ZodType>>,
): OpenApiParameter[] => {
  const read = new Set(names)
  const missing = [...read].filter((name) => !(name in described))
  if (missing.length > 0) throw new Error(`parameters without a description: ${missing.join(', ')}`)
  return Object.entries(described).flatMap(([name, schema]) =>
    read.has(name) ? [{ name, in: 'query' as const, schema }] : [],
  )
}

/** Converts a parameter to a node of the document. */
export const toParameterNode = (parameter: OpenApiParameter, components: Components): SchemaNode => {
  const { required, schema, ...rest } = parameter
  const { description, examples: _, ...node } = components.referSchema(schema, 'request')
  const shown = { description, example: getExample(schema), ...rest }
  return { ...shown, ...(required ? { required } : {}), schema: node }
}
