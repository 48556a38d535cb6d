import { maxTextBytes } from '../../../schemas/fields.ts'
import { maxValues, normalised, operatorsOf } from '../../records/query/query.ts'
import { holdsEmptyText, parsePrefix, parseValue } from '../../records/query/values.ts'
import type { Field, Resource, ResourceName } from '../../records/resources/define.ts'
import type { OpenApiParameter, SchemaNode } from './description.ts'
import { filterExample } from './examples.ts'

/** Bound of the request target (contract, section 4), and therefore of each value. */
export const maxTargetBytes = 8192

/** The operator of a name without brackets. `in` means the same. */
const bare = ''

const ofValue: Readonly<Record<string, string>> = {
  [bare]: 'is any of these',
  eq: 'is this',
  ne: 'is not this',
  in: 'is any of these',
  nin: 'is none of these',
  gt: 'is greater than this',
  gte: 'is this or greater',
  lt: 'is less than this',
  lte: 'is this or less',
  prefix: 'begins with this',
  null: 'is null (true) or not (false)',
}

const ofArray: Readonly<Record<string, string>> = {
  [bare]: 'contains any of these',
  eq: 'contains this',
  ne: 'does not contain this',
  in: 'contains any of these',
  nin: 'contains none of these',
  all: 'contains every one of these',
}

const lists: ReadonlySet<string> = new Set([bare, 'in', 'nin', 'all'])
const negations: ReadonlySet<string> = new Set(['ne', 'nin'])

const meaningOf = (field: Field, operator: string): string => {
  const phrase = (field.array ? ofArray : ofValue)[operator]
  if (phrase === undefined) throw new Error(`the operator ${operator} has no description`)
  return `\`${field.name}\` ${phrase}${field.nullable && negations.has(operator) ? ', or null' : ''}.`
}

/** No filter accepts it, so the parser's message lists the allowed values: "expected one of: a, b". */
const impossible = '\u0000'

const grammarOf = (field: Field, operator: string): string => {
  const parsed = operator === 'prefix' ? parsePrefix(impossible) : parseValue(field, impossible)
  if ('value' in parsed) throw new Error(`${field.name} takes U+0000`)
  return parsed.detail.replace(/^expected /, '')
}

const schemaOf = (field: Field, operator: string): SchemaNode => {
  if (operator === 'null') return { type: 'string', enum: ['true', 'false'] }
  const least = holdsEmptyText(field) && operator !== 'prefix' ? {} : { minLength: 1 }
  return { type: 'string', ...least, maxLength: lists.has(operator) ? maxTargetBytes : maxTextBytes }
}

/** `operator` is `bare` for the name alone. */
const describeFilter = (field: Field, operator: string, description: string): OpenApiParameter => ({
  name: operator === bare ? field.name : `${field.name}[${operator}]`,
  in: 'query',
  description,
  schema: schemaOf(field, operator),
  example: filterExample(field, operator, lists.has(operator)),
})

const descriptionOf = (field: Field, operator: string): string => {
  const meaning = meaningOf(field, operator)
  if (operator === 'null') return meaning
  const grammar = grammarOf(field, operator)
  return lists.has(operator)
    ? `${meaning} Each is ${grammar}. At most ${maxValues}, comma-separated; \`\\,\` is a comma within one.`
    : `${meaning} The value is ${grammar}.`
}

/** Lists one parameter for each filter: the bare name, and every operator of every field. */
export const filterParameters = (resource: Resource): OpenApiParameter[] =>
  [...resource.fields.values()]
    .filter((field) => field.filter)
    .flatMap((field) =>
      [bare, ...operatorsOf(field)].map((operator) =>
        describeFilter(field, operator, descriptionOf(field, operator)),
      ),
    )

/** Operators without synonyms: omits `in`, which is the bare name, and the ones that normalise to another. */
const plainOperatorsOf = (field: Field): string[] => [
  bare,
  ...operatorsOf(field).filter((operator) => operator !== 'in' && !(operator in normalised)),
]

type Owner = Readonly<{ field: Field; resource: ResourceName }>

/** If the meaning differs between resources, lists each meaning with its resources. */
const sharedDescription = (owners: readonly Owner[], operator: string): string => {
  const nullable = owners.some(({ field }) => field.nullable)
  const byMeaning = Map.groupBy(owners, ({ field }) => meaningOf({ ...field, nullable }, operator))
  return [...byMeaning]
    .map(([meaning, having]) => `${meaning} Of ${having.map(({ resource }) => resource).join(', ')}.`)
    .join(' ')
}

/**
 * Lists one parameter for each condition on a field of any of these resources, with the names of the
 * resources that have the field. Values are described in the parameters of their lists. See
 * docs/decisions/0122-the-feed-names-each-filter-once.md.
 */
export const sharedFilterParameters = (
  resources: Readonly<Record<ResourceName, Resource>>,
): OpenApiParameter[] => {
  const fields = Object.values(resources).flatMap(({ name, fields }) =>
    [...fields.values()].filter(({ filter }) => filter).map((field): Owner => ({ field, resource: name })),
  )
  return [...Map.groupBy(fields, ({ field }) => field.name).values()].flatMap((owners) => {
    const operators = new Set(owners.flatMap(({ field }) => plainOperatorsOf(field)))
    return [...operators].map((operator) => {
      const having = owners.filter(({ field }) => plainOperatorsOf(field).includes(operator))
      return describeFilter((having[0] as Owner).field, operator, sharedDescription(having, operator))
    })
  })
}
