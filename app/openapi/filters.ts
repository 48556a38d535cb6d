import { z } from 'zod'
import { joinList } from '../http/pairs.ts'
import { maxValues } from '../lists/parameters.ts'
import { getOperators } from '../records/query/filters.ts'
import type { Field, Resource, ResourceName } from '../records/resources/define.ts'
import type { OpenApiParameter } from './description.ts'
import { listExamples } from './examples.ts'
import { maxTargetBytes } from './parameters.ts'
import { plural } from './words.ts'

const summary =
  'Conditions on a field. A record must meet all of them. `in`, `nin` and `all` take lists: values separated by commas, ' +
  `at most ${maxValues}; \`\\,\` is a comma within a value`

const ofValue: Readonly<Record<string, string>> = {
  eq: 'Equal to this value, commas included',
  ne: 'Not equal to this value, or null',
  in: 'Equal to any of these values. The same as the name alone',
  nin: 'Equal to none of these values, or null',
  gt: 'After this',
  gte: 'At this or after it',
  lt: 'Before this',
  lte: 'At this or before it',
  prefix: 'Begins with this text',
  null: '`true`: is null. `false`: is not null',
}

const ofArray: Readonly<Record<string, string>> = {
  eq: 'Contains this value, commas included',
  ne: 'Does not contain this value',
  in: 'Contains any of these values. The same as the name alone',
  nin: 'Contains none of these values',
  all: 'Contains all of these values',
}

const createSchema = (id: string, operators: string, words = ofValue) => {
  const member = (operator: string) =>
    (operator === 'null' ? z.enum(['true', 'false']) : z.string().max(maxTargetBytes))
      .optional()
      .meta({ description: words[operator] as string })
  const shape = Object.fromEntries(operators.split(' ').map((operator) => [operator, member(operator)]))
  return z.object(shape).meta({ id, description: summary })
}

const schemas = new Map(
  [
    createSchema('Filter', 'eq ne in nin null'),
    createSchema('ComputedFilter', 'eq ne in nin'),
    createSchema('PrefixFilter', 'eq ne in nin prefix null'),
    createSchema('RangeFilter', 'eq ne in nin gt gte lt lte null'),
    createSchema('ArrayFilter', 'eq ne in nin all', ofArray),
  ].map((schema) => [Object.keys(schema.shape).join(' '), schema]),
)

const isTime = ({ kind }: Field) => kind === 'date' || kind === 'instant'

const exampleFor = (field: Field): Readonly<Record<string, string>> =>
  isTime(field) ? { gte: '2020-01-01' } : { in: joinList(listExamples(field).slice(0, 2)) }

const describeFilter = (field: Field, description: string): OpenApiParameter => {
  const operators = getOperators(field).join(' ')
  const schema = schemas.get(operators)
  if (!schema) throw new Error(`${field.name}: no schema has the operators ${operators}`)
  const shape = { in: 'query', style: 'deepObject', explode: true } as const
  return { name: field.name, ...shape, description, schema, example: exampleFor(field) }
}

const describeMeaning = (field: Field): string => {
  const { name, array, kind, values } = field
  const [operator, example] = Object.entries(exampleFor(field))[0] as [string, string]
  const short = `for example \`${name}${operator === 'in' ? '' : `[${operator}]`}=${example}\``
  if (isTime(field)) {
    const kinds = kind === 'date' ? 'A day' : 'An instant or a day (UTC)'
    return `${kinds}, ${short}. Also relative to today: \`today\`, \`today+90d\`, \`today-30d\`.`
  }
  if (kind === 'boolean') return `\`true\` or \`false\`, ${short}.`
  const noun = name.replaceAll('_', ' ')
  const known = values ? ` Values: ${values.join(', ')}.` : ''
  return array
    ? `Contains any of the given ${noun}, ${short}.${known}`
    : `Matches any of the given ${/\d$/.test(noun) ? `${noun} codes` : plural(noun)}, ${short}.${known}`
}

const filterable = ({ fields }: Resource) => [...fields.values()].filter(({ filter }) => filter)

/** Lists a parameter for each filter. See docs/decisions/0133-filters-are-objects-in-openapi.md. */
export const filterParameters = (resource: Resource): OpenApiParameter[] =>
  filterable(resource).map((field) => describeFilter(field, describeMeaning(field)))

/** Lists the filters of all resources. A filter of several resources is one parameter, which names them. */
export const sharedFilterParameters = (
  resources: Readonly<Record<ResourceName, Resource>>,
): OpenApiParameter[] => {
  const owned = Object.values(resources).flatMap((resource) =>
    filterable(resource).map((field) => ({ field, resource: resource.name })),
  )
  return [...Map.groupBy(owned, ({ field }) => field.name).values()].map((owners) => {
    const names = owners.map(({ resource }) => resource).join(', ')
    const [{ field }] = owners as [(typeof owned)[number]]
    return describeFilter(field, `The filter of the list, without relative dates. Only for ${names}.`)
  })
}
