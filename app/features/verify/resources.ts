import { jsonType } from '../../http/formats.ts'
import { CannotVerify, requireAnswers } from './account.ts'
import { readJson, type Send } from './service.ts'

/** A list of records, as the service describes it. */
export type PublishedResource = Readonly<{
  name: string
  /** The members of a record. */
  fields: readonly string[]
  /** A field with texts for each kind of filter. `undefined` if no field has this kind. */
  filters: Readonly<Record<'equal' | 'range' | 'prefix', string | undefined>>
  /** A sort key. */
  sort: string
  /** Whether answers change with the day. */
  dependsOnDay: boolean
}>

type SchemaNode = Readonly<{
  $ref?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, SchemaNode>>
  items?: SchemaNode
  'x-extensible-enum'?: readonly string[]
}>
type Operation = Readonly<{
  parameters?: readonly Readonly<{ name?: string; style?: string; schema?: SchemaNode; example?: unknown }>[]
  responses?: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: SchemaNode }>> }>>
}>
type Described = Readonly<{
  paths?: Readonly<Record<string, { get?: Operation }>>
  components?: { schemas?: Readonly<Record<string, SchemaNode>> }
}>

const readResource = (name: string, operation: Operation, { components }: Described): PublishedResource => {
  const resolve = (node: SchemaNode = {}): SchemaNode =>
    node.$ref === undefined ? node : (components?.schemas?.[node.$ref.split('/').at(-1) ?? ''] ?? {})
  const page = resolve(operation.responses?.['200']?.content?.[jsonType]?.schema)
  const { properties = {} } = resolve(page.properties?.data?.items)
  const { parameters = [] } = operation
  const filters = parameters
    .filter(
      ({ style, name }) => style === 'deepObject' && [properties[name ?? '']?.type].flat().includes('string'),
    )
    .map(({ name = '', schema }) => ({ name, operators: Object.keys(resolve(schema).properties ?? {}) }))
  const findFilter = (operator: string) => filters.find(({ operators }) => operators.includes(operator))?.name
  const states = filters.find(({ name }) => properties[name]?.['x-extensible-enum'])
  const sort = parameters.find((each) => each.name === 'sort')?.example
  return {
    name,
    fields: Object.keys(properties),
    filters: {
      equal: (states ?? filters.find(({ name }) => name !== 'id'))?.name,
      range: findFilter('gt'),
      prefix: findFilter('prefix'),
    },
    sort: /\w+/.exec(String(sort))?.[0] ?? 'id',
    dependsOnDay: parameters.some((each) => each.name === 'on'),
  }
}

/**
 * Reads the lists of records from the service's OpenAPI document, in its order. Throws CannotVerify if it has none. See
 * docs/decisions/0260-verify-reads-the-resources-of-the-service.md.
 */
export const readResources = async (send: Send, origin: string): Promise<PublishedResource[]> => {
  const answer = await requireAnswers(origin, send({ path: '/openapi.json' }))
  const described = (readJson(answer, '') ?? {}) as Described
  const { paths = {} } = described
  const resources = Object.entries(paths).flatMap(([path, { get }]) =>
    get && `${path}/{id}` in paths ? [readResource(path.slice('/v1/'.length), get, described)] : [],
  )
  if (resources.length > 0) return resources
  throw new CannotVerify(
    `${origin} describes no lists of records in /openapi.json (status ${answer.status}). Check the address`,
  )
}
