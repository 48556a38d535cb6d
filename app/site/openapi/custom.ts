import type { Definition, Parameter } from '../../custom/definition.ts'
import { formerRevisionDays } from '../../custom/granted.ts'
import { formatNames, mediaTypes } from '../../http/formats.ts'
import { controlParameters } from './controls.ts'
import { createAnswerSchema, createRowSchema } from './custom-answer.ts'
import type { OpenApiParameter, Route, SchemaNode, Tag } from './description.ts'
import { filterParameters } from './filters.ts'
import { choice, integer } from './parameters.ts'
import { tableFiles } from './responses.ts'
import { capitalised } from './words.ts'

const tag: Tag = { name: 'Custom endpoints', description: 'Endpoints made for this customer' }

const describeValue = ({ type, min, max, values, default: usual }: Parameter): SchemaNode => {
  const read = (text: string) =>
    type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : text
  const given = {
    ...(values ? { enum: values.map(read) } : {}),
    ...(usual === undefined ? {} : { default: read(usual) }),
  }
  if (type === 'boolean') return { type, ...given }
  // A date may be relative to today, such as `today+90d`, so it has no format.
  if (type === 'date') return { type: 'string', minLength: 1, maxLength: 12, ...given }
  if (type === 'string')
    return { type, minLength: Number(min ?? 1), maxLength: Number(max ?? 2000), ...given }
  const [minimum, maximum] = [Number(min ?? -999_999_999), Number(max ?? 999_999_999)]
  return { type, format: 'int32', minimum, maximum, ...given }
}

const exampleFor = ({ type, min, values, default: usual, example }: Parameter): string | number => {
  const text = example ?? usual ?? values?.[0]
  if (type === 'integer') return Number(text ?? min ?? 1)
  if (type === 'date') return text ?? 'today'
  if (type === 'boolean') return text ?? 'true'
  return text ?? 'x'.repeat(Number(min ?? 1))
}

const describeParameter = (parameter: Parameter): OpenApiParameter => {
  const { name, type, description, optional, default: usual, min, max } = parameter
  const bounds =
    type === 'date' && (min ?? max) !== undefined ? ` From ${min ?? 'any'} to ${max ?? 'any'}.` : ''
  const form = type === 'date' ? ' A day, or `today`, `today+90d`, `today-30d`.' : ''
  const absent = optional ? ' Without it, conditions that use it are omitted.' : ''
  return {
    name,
    in: 'query',
    ...(optional || usual !== undefined ? {} : { required: true as const }),
    description: `${description ?? `The parameter ${name}`}.${form}${bounds}${absent}`,
    schema: describeValue(parameter),
    example: exampleFor(parameter),
  }
}

const listControls = ['limit', 'count', 'bom', 'cursor']

const listParameters = ({ body }: Definition): OpenApiParameter[] => {
  if ('object' in body) return []
  const { source, filters, limit } = body.list
  const controls = controlParameters(source.resource, 'page')
    .filter(({ name }) => listControls.includes(name))
    .map((each) => (each.name === 'limit' ? { ...each, schema: { ...each.schema, default: limit } } : each))
  return [...filterParameters(source.resource).filter(({ name }) => filters.includes(name)), ...controls]
}

const describeExports = (definition: Definition) => {
  const schema = createRowSchema(definition)
  if (!schema || !('list' in definition.body)) return {}
  const header = definition.body.list.select.map(([name]) => name).join(',')
  return { lines: { type: mediaTypes.ndjson, schema }, files: tableFiles(`${header}\r\n`) }
}

/** Describes a custom endpoint as a route. */
export const describeCustom = (definition: Definition): Route => {
  const { name, title, description, params, revision, body } = definition
  const isList = 'list' in body
  const former = `A revision of the endpoint. The previous one works for ${formerRevisionDays} days after it was replaced.`
  return {
    method: 'GET',
    path: `/v1/custom/${name}`,
    scope: `custom:${name}`,
    description: {
      operationId: `getCustom${name.split('-').map(capitalised).join('')}`,
      summary: title ?? `Get ${name}`,
      description: description ?? `The custom endpoint ${name}.`,
      tag,
      parameters: [
        ...[...params.values()].map(describeParameter),
        ...listParameters(definition),
        {
          name: 'format',
          in: 'query',
          ...choice('Overrides the header Accept.', isList ? formatNames : ['json']),
        },
        { name: 'revision', in: 'query', ...integer(former, [1, revision], revision, revision) },
      ],
      errors: isList ? ['query', 'cursor', 'record', 'tag'] : ['query', 'record', 'tag'],
      answer: title ?? name,
      schema: createAnswerSchema(definition),
      ...describeExports(definition),
      headers: ['Definition-Revision'],
    },
  }
}
