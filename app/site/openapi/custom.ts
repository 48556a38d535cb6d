import type { Definition, Parameter as Given } from '../../custom/definition.ts'
import { formerRevisionDays } from '../../custom/granted.ts'
import { formatNames, mediaTypes } from '../../http/formats.ts'
import type { Resource } from '../../records/resources/define.ts'
import { controlParameters } from './controls.ts'
import { describeAnswer, describeRow } from './custom-answer.ts'
import type { OpenApiParameter, Route, SchemaNode, Tag } from './description.ts'
import { tableFiles } from './files.ts'
import { filterParameters } from './filters.ts'
import { entryHeaders } from './headers.ts'

const tag: Tag = { name: 'Custom endpoints', description: 'Endpoints made for this customer' }

const schemaOf = ({ type, min, max, values, default: usual }: Given): SchemaNode => {
  const of = <T>(read: (text: string) => T) => ({
    ...(values ? { enum: values.map(read) } : {}),
    ...(usual === undefined ? {} : { default: read(usual) }),
  })
  switch (type) {
    case 'integer': {
      const [minimum, maximum] = [Number(min ?? -999_999_999), Number(max ?? 999_999_999)]
      return { type, format: 'int32', minimum, maximum, ...of(Number) }
    }
    case 'boolean':
      return { type, ...(usual === undefined ? {} : { default: usual === 'true' }) }
    case 'date':
      // Dates may be relative to today, so they have no format.
      return { type: 'string', minLength: 1, maxLength: 12, ...of(String) }
    case 'string':
      return { type, minLength: Number(min ?? 1), maxLength: Number(max ?? 2000), ...of(String) }
  }
}

const exampleOfParameter = ({ type, min, values, default: usual, example }: Given): string | number => {
  const text = example ?? usual ?? values?.[0]
  if (type === 'integer') return Number(text ?? min ?? 1)
  if (type === 'date') return text ?? 'today'
  if (type === 'boolean') return text ?? 'true'
  return text ?? 'x'.repeat(Number(min ?? 1))
}

const describeParameter = (parameter: Given): OpenApiParameter => {
  const { name, type, description, optional, default: usual, min, max } = parameter
  const bounds =
    type === 'date' && (min ?? max) !== undefined ? ` From ${min ?? 'any'} to ${max ?? 'any'}.` : ''
  const form = type === 'date' ? ' YYYY-MM-DD, or today, today+90d, today-30d.' : ''
  const absent = optional ? ' Absent: conditions that name it are left out.' : ''
  return {
    name,
    in: 'query',
    ...(optional || usual !== undefined ? {} : { required: true as const }),
    description: `${description ?? `The parameter ${name}`}.${form}${bounds}${absent}`,
    schema: schemaOf(parameter),
    example: exampleOfParameter(parameter),
  }
}

const revisionParameter = (revision: number): OpenApiParameter => ({
  name: 'revision',
  in: 'query',
  description:
    'Another revision of the definition than the current one: the one before, ' +
    `for ${formerRevisionDays} days after it was replaced.`,
  schema: { type: 'integer', format: 'int32', minimum: 1, maximum: revision, default: revision },
  example: revision,
})

const onlyFields = (resource: Resource, names: readonly string[]): Resource => ({
  ...resource,
  fields: new Map([...resource.fields].filter(([name]) => names.includes(name))),
})

const listControls = ['limit', 'count', 'bom', 'cursor']

const listParameters = ({ body }: Definition): OpenApiParameter[] => {
  if ('object' in body) return []
  const { source, filters, limit } = body.list
  const controls = controlParameters(source.resource, 'page')
    .filter(({ name }) => listControls.includes(name))
    .map((each) => (each.name === 'limit' ? { ...each, schema: { ...each.schema, default: limit } } : each))
  return [...filterParameters(onlyFields(source.resource, filters)), ...controls]
}

const pascalCase = (name: string) =>
  name
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')

const exportsOf = (definition: Definition): SchemaNode => {
  const row = describeRow(definition)
  const header = 'list' in definition.body ? definition.body.list.select.map(([name]) => name).join(',') : ''
  return {
    [mediaTypes.ndjson]: { schema: row?.schema, example: row?.example },
    ...tableFiles(`${header}\r\n`),
  }
}

/** Describes a custom endpoint as a route of the document. */
export const describeCustom = (definition: Definition): Route => {
  const { name, title, description, params, revision, body } = definition
  const isList = 'list' in body
  const format = { name: 'format', in: 'query' as const, description: 'Overrides the header Accept.' }
  return {
    method: 'GET',
    path: `/v1/custom/${name}`,
    scope: `custom:${name}`,
    description: {
      operationId: `getCustom${pascalCase(name)}`,
      summary: title ?? `Get ${name}`,
      description: description ?? `The custom endpoint ${name}.`,
      tag,
      parameters: [
        ...[...params.values()].map(describeParameter),
        ...listParameters(definition),
        {
          ...format,
          schema: { type: 'string', enum: isList ? formatNames : ['json'] },
          example: 'json',
        },
        revisionParameter(revision),
      ],
      errors: isList ? ['query', 'cursor', 'record', 'tag'] : ['query', 'record', 'tag'],
      answer: {
        description: title ?? name,
        inline: { ...describeAnswer(definition), ...(isList ? { others: exportsOf(definition) } : {}) },
        headers: [...entryHeaders, 'Definition-Revision', ...(isList ? (['Link'] as const) : [])],
      },
    },
  }
}
