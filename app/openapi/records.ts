import type { z } from 'zod'
import { createItemSchema, createPageSchema, type Included } from '../../schemas/page.ts'
import { linesType } from '../export/json-lines.ts'
import { type FormatName, mediaTypes } from '../http/formats.ts'
import type { Resource, ResourceName } from '../records/resources/define.ts'
import { resourceNames, resources } from '../records/resources/index.ts'
import { controlParameters } from './controls.ts'
import type { Description, OpenApiParameter, Tag } from './description.ts'
import { getExample } from './examples.ts'
import { filterParameters } from './filters.ts'
import type { SchemaNode } from './headers.ts'
import { tableFiles } from './responses.ts'
import { capitalised, plural } from './words.ts'

/** Returns the name of a record's schema, such as `Certificate` or `LabReport`. */
export const recordName = ({ schema }: Resource) => schema.meta()?.id as string

const describeTag = ({ noun, schema }: Resource): Tag => ({
  name: capitalised(plural(noun)),
  description: schema.meta()?.description as string,
})

const includedBy = ({ includes }: Resource): Included =>
  Object.fromEntries(
    Object.values(includes).map(({ resource }) => [resource, resources[resource].schema] as const),
  )

const createEnvelopes = (resource: Resource) => {
  const { schema, computedForDay } = resource
  const included = includedBy(resource)
  const page = createPageSchema(schema, included, computedForDay)
  return { page, item: createItemSchema(schema, included) }
}

/** The response schemas of each resource. A second creation would register their names twice. */
export const envelopes = Object.fromEntries(
  resourceNames.map((name) => [name, createEnvelopes(resources[name])]),
) as Record<ResourceName, ReturnType<typeof createEnvelopes>>

/** Describes the path parameter of a single record. */
export const idParameter = ({ noun, schema }: Resource): OpenApiParameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `Id of the ${noun}`,
  schema: schema.shape.id as z.ZodType,
})

const csvExample = ({ fields }: Resource): string => {
  const shown = [...fields.values()].slice(0, 2)
  const cells = shown.map(({ schema }) => String(getExample(schema)))
  return `${shown.map(({ name }) => name).join()}\r\n${cells.join()}\r\n`
}

/** A format of a feature. `description`: a sentence. `example`: an answer. */
type DescribedFormat = Readonly<{ format: FormatName; description: string; example: string }>

const describeFormats = (formats: readonly DescribedFormat[]): Readonly<Record<string, SchemaNode>> =>
  Object.fromEntries(
    formats.map(({ format, example }) => [mediaTypes[format], { schema: { type: 'string' }, example }]),
  )

/** `formats`: of features, in addition to the formats of every list. */
export const describePage = (resource: Resource, formats: readonly DescribedFormat[] = []): Description => ({
  rank: 20,
  operationId: `list${plural(recordName(resource))}`,
  summary: `List ${plural(resource.noun)}`,
  description:
    `A page of the ${plural(resource.noun)} that meet all conditions, sorted by \`${resource.defaultSort}\` by default. ` +
    'NDJSON, CSV and XLSX export the whole list from one snapshot. An export costs ten units of `minute`, and two may ' +
    `run at the same time. It has no ETag. If the connection breaks, the export is incomplete.${formats
      .map(({ description }) => ` ${description}`)
      .join('')}`,
  tag: describeTag(resource),
  parameters: [
    ...filterParameters(resource),
    ...controlParameters(
      resource,
      'page',
      formats.map(({ format }) => format),
    ),
  ],
  errors: ['query', 'cursor', 'tag'],
  answer: `A page of ${plural(resource.noun)}`,
  lines: { type: linesType, schema: resource.schema },
  files: { ...tableFiles(csvExample(resource)), ...describeFormats(formats) },
  headers: ['Content-Disposition'],
})

export const describeItem = (resource: Resource): Description => ({
  rank: 20,
  operationId: `get${recordName(resource)}`,
  summary: `Get one ${resource.noun}`,
  description: `The ${resource.noun} with this id. An unknown id and an id of another customer both return 404.`,
  tag: describeTag(resource),
  parameters: [idParameter(resource), ...controlParameters(resource, 'item')],
  errors: ['query', 'record', 'past', 'tag'],
  answer: `The ${resource.noun}`,
})
