import { z } from 'zod'
import { formatNames, mediaTypes } from '../../http/formats.ts'
import { controlParameters } from '../../openapi/controls.ts'
import type { OpenApiParameter, PersonalRoutes, Route } from '../../openapi/description.ts'
import { filterParameters } from '../../openapi/filters.ts'
import { choice, integer, queryParameters } from '../../openapi/parameters.ts'
import { tableFiles } from '../../openapi/responses.ts'
import { capitalised } from '../../openapi/words.ts'
import { createAnswerSchema, createRowSchema } from './answer-schema.ts'
import type { Definition, Parameter } from './definition.ts'
import { previousRevisionDays } from './granted.ts'

const tag = { name: 'Custom endpoints', description: 'Endpoints made for this customer' }

const toType = ({ type, min, max }: Parameter): { schema: z.ZodType; usual: string } => {
  if (type === 'boolean') return { schema: z.boolean(), usual: 'true' }
  // A date may be relative to today, such as `today+90d`, so it has no format.
  if (type === 'date') return { schema: z.string().min(1).max(12), usual: 'today' }
  if (type === 'string') {
    const [least, most] = [Number(min ?? 1), Number(max ?? 2000)]
    return { schema: z.string().min(least).max(most), usual: 'x'.repeat(least) }
  }
  const [least, most] = [Number(min ?? -999_999_999), Number(max ?? 999_999_999)]
  return { schema: z.int().min(least).max(most), usual: String(min ?? Math.min(1, most)) }
}

const describeParameter = (parameter: Parameter): OpenApiParameter => {
  const { name, type, description, optional, default: last, example, values, min, max } = parameter
  const bounds =
    type === 'date' && (min ?? max) !== undefined ? ` From ${min ?? 'any'} to ${max ?? 'any'}.` : ''
  const form = type === 'date' ? ' A day, or `today`, `today+90d`, `today-30d`.' : ''
  const absent = optional ? ' Without it, conditions that use it are omitted.' : ''
  const read = (text: string) =>
    type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : text
  const { schema, usual } = toType(parameter)
  const shown = example ?? last ?? values?.[0] ?? usual
  return {
    name,
    in: 'query',
    required: !optional && last === undefined,
    schema: schema.meta({
      description: `${description ?? `The parameter ${name}`}.${form}${bounds}${absent}`,
      examples: [read(shown)],
      ...(values ? { enum: values.map(read) } : {}),
      ...(last === undefined ? {} : { default: read(last) }),
    }),
  }
}

const listControls = ['limit', 'count', 'bom', 'cursor']

const listParameters = ({ body }: Definition): OpenApiParameter[] => {
  if ('object' in body) return []
  const { source, filters, limit } = body.list
  const controls = controlParameters(source.resource, 'page')
    .filter(({ name }) => listControls.includes(name))
    .map((each) => (each.name === 'limit' ? { ...each, schema: each.schema.meta({ default: limit }) } : each))
  return [...filterParameters(source.resource).filter(({ name }) => filters.includes(name)), ...controls]
}

const describeExports = (definition: Definition) => {
  const schema = createRowSchema(definition)
  if (!schema || !('list' in definition.body)) return {}
  const header = definition.body.list.select.map(([name]) => name).join(',')
  return { lines: { type: mediaTypes.ndjson, schema }, files: tableFiles(`${header}\r\n`) }
}

/** Describes a custom endpoint as a route. */
const describeCustom = (definition: Definition): Route => {
  const { name, title, description, params, revision, body } = definition
  const isList = 'list' in body
  const former = `A revision of the endpoint. The previous one works for ${previousRevisionDays} days after it was replaced.`
  return {
    method: 'GET',
    path: `/v1/custom/${name}`,
    scope: `custom:${name}`,
    description: {
      rank: 100,
      operationId: `getCustom${name.split('-').map(capitalised).join('')}`,
      summary: title ?? `Get ${name}`,
      description: description ?? `The custom endpoint ${name}.`,
      tag,
      parameters: [
        ...[...params.values()].map(describeParameter),
        ...listParameters(definition),
        ...queryParameters(['format', 'revision'], {
          format: choice('Overrides the header Accept.', isList ? formatNames : ['json']),
          revision: integer(former, [1, revision], revision, revision),
        }),
      ],
      errors: isList ? ['query', 'cursor', 'record', 'tag'] : ['query', 'record', 'tag'],
      answer: title ?? name,
      schema: createAnswerSchema(definition),
      ...describeExports(definition),
      headers: ['Definition-Revision'],
    },
  }
}

/** Customers with the same documents have the same routes. */
export const describeDefinitions = (definitions: readonly Definition[]): PersonalRoutes => ({
  key: definitions.map(({ digest }) => digest).join(),
  describe: () => definitions.map(describeCustom),
})
