import { maxTextBytes } from '../../../schemas/fields.ts'
import { maxValues, operatorsOf } from '../../records/query/query.ts'
import { parsePrefix, parseValue } from '../../records/query/values.ts'
import type { Field, Resource } from '../../records/resources/define.ts'
import type { OpenApiParameter } from './description.ts'
import { filterExample } from './examples.ts'

/** The request target's bound (contract, section 4): no value is longer. */
export const maxTargetBytes = 8192

/** What the bare name asks for; `in` says the same. */
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

/** No filter takes it, so the parser says what it does take: "expected one of: a, b". */
const impossible = '\u0000'

const grammarOf = (field: Field, operator: string): string => {
  const parsed = operator === 'prefix' ? parsePrefix(impossible) : parseValue(field, impossible)
  if ('value' in parsed) throw new Error(`${field.name} takes U+0000`)
  return parsed.detail.replace(/^expected /, '')
}

const describeFilter = (field: Field, operator: string): Omit<OpenApiParameter, 'name' | 'in'> => {
  const meaning = meaningOf(field, operator)
  const isList = lists.has(operator)
  const example = filterExample(field, operator, isList)
  if (operator === 'null') {
    return { description: meaning, schema: { type: 'string', enum: ['true', 'false'] }, example }
  }
  const grammar = grammarOf(field, operator)
  const description = isList
    ? `${meaning} Each is ${grammar}. At most ${maxValues}, comma-separated; \`\\,\` is a comma within one.`
    : `${meaning} The value is ${grammar}.`
  const maxLength = isList ? maxTargetBytes : maxTextBytes
  return { description, schema: { type: 'string', minLength: 1, maxLength }, example }
}

/** One parameter for each way to filter: the bare name, and every operator of every field. */
export const filterParameters = (resource: Resource): OpenApiParameter[] =>
  [...resource.fields.values()]
    .filter((field) => field.filter)
    .flatMap((field) => [
      { name: field.name, in: 'query', ...describeFilter(field, bare) },
      ...operatorsOf(field).map(
        (operator): OpenApiParameter => ({
          name: `${field.name}[${operator}]`,
          in: 'query',
          ...describeFilter(field, operator),
        }),
      ),
    ])
