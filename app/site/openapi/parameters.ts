import { defaultLimit, maxLimit } from '../../records/query/query.ts'
import type { OpenApiParameter } from './description.ts'

export type Described = Omit<OpenApiParameter, 'name' | 'in'>

/** Maximum size of path and query, and therefore of each value. The values of `cursor` and `after` are not counted. */
export const maxTargetBytes = 8_192
/** Maximum size of path, query and headers together. */
export const maxHeadBytes = 16_384

export const text = (description: string, example: string, maxLength = maxTargetBytes): Described => ({
  description,
  schema: { type: 'string', minLength: 1, maxLength },
  example,
})

/** `last` is the default. Many generated clients send it, so the service must accept it. */
export const choice = (description: string, values: readonly string[], last?: string): Described => ({
  description,
  schema: { type: 'string', enum: values, ...(last === undefined ? {} : { default: last }) },
  example: values[0] as string,
})

export const integer = (
  description: string,
  [minimum, maximum]: readonly [minimum: number, maximum: number],
  example: number,
  last?: number,
): Described => ({
  description,
  schema: {
    type: 'integer',
    format: 'int32',
    minimum,
    maximum,
    ...(last === undefined ? {} : { default: last }),
  },
  example,
})

export const limit = (description: string): Described =>
  integer(description, [1, maxLimit], defaultLimit, defaultLimit)

export const cursor = (description: string): Described =>
  text(
    `\`page.next_cursor\` of the previous answer, unchanged, ${description}`.trim(),
    'AXq3x0a2c0F1WyIyMDI2LTA0LTI1VDExOjAyOjAzLjQ1Njc4OVoiLCI0Mzg1ZGNlMmE5ZWY2MjJiIl0',
    maxHeadBytes,
  )

/** Lists the parameters with these names, in the order of `described`. Throws if one has no description. */
export const describeParameters = (
  names: Iterable<string>,
  described: Readonly<Record<string, Described>>,
): OpenApiParameter[] => {
  const read = new Set(names)
  const missing = [...read].filter((name) => !(name in described))
  if (missing.length > 0) throw new Error(`parameters without a description: ${missing.join(', ')}`)
  return Object.entries(described).flatMap(([name, parameter]) =>
    read.has(name) ? [{ name, in: 'query', ...parameter }] : [],
  )
}
