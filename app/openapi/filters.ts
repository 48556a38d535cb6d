import { maxTextBytes } from '../../schemas/fields.ts'
import { maxValues, operatorsOf } from '../query/query.ts'
import { parsePrefix, parseValue } from '../query/values.ts'
import type { Field, Resource } from '../resources/define.ts'
import type { Parameter } from './description.ts'
import { filterExample } from './examples.ts'

/** The request target's bound (contract, section 4): no value is longer. */
export const maxTargetBytes = 8192

/** What the bare name asks for; `in` says the same. */
const bare = ''

const ofValue: Readonly<Record<string, string>> = {
  [bare]: 'is any of these',
  eq: 'is this',
  ne: 'is not this, or null',
  in: 'is any of these',
  nin: 'is none of these, or null',
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

/** No filter takes it, so the parser says what it does take. */
const impossible = '\u0000'

/** "expected one of: a, b" → "One of: a, b". */
const asGrammar = (parsed: { value: string } | { detail: string }): string => {
  if ('value' in parsed) throw new Error('a filter takes U+0000')
  const text = parsed.detail.replace(/^expected /, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const grammarOf = (field: Field, operator: string): string => {
  if (operator === 'null') return 'One of: true, false'
  return asGrammar(operator === 'prefix' ? parsePrefix(impossible) : parseValue(field, impossible))
}

const describeFilter = (field: Field, operator: string): Parameter => {
  const phrase = (field.array ? ofArray : ofValue)[operator]
  if (phrase === undefined) throw new Error(`the operator ${operator} has no description`)
  const isList = lists.has(operator)
  const splitting = isList ? ` At most ${maxValues}, comma-separated; \`\\,\` is a comma within one.` : ''
  return {
    name: operator === bare ? field.name : `${field.name}[${operator}]`,
    in: 'query',
    description: `\`${field.name}\` ${phrase}. ${grammarOf(field, operator)}.${splitting}`,
    schema: { type: 'string', minLength: 1, maxLength: isList ? maxTargetBytes : maxTextBytes },
    example: filterExample(field, operator, isList),
  }
}

/** One parameter for each way to filter: the bare name, and every operator of every field. */
export const filterParameters = (resource: Resource): Parameter[] =>
  [...resource.fields.values()]
    .filter((field) => field.filter)
    .flatMap((field) => [bare, ...operatorsOf(field)].map((operator) => describeFilter(field, operator)))
