import type { Pair } from '../../http/pairs.ts'
import { translateOperator } from '../../lists/foreign.ts'
import { findNearest } from '../../lists/nearest.ts'
import {
  faulty,
  faultyPair,
  many,
  type PairReading,
  type ParameterReader,
  readUnknown,
  readValue,
  single,
} from '../../lists/parameters.ts'
import {
  describeAccident,
  expectedValue,
  isAccident,
  oneOf,
  type Parsed,
  parseBoolean,
  parseDate,
  parseInstant,
  parseNonEmptyText,
  rangeOperators,
} from '../../lists/values.ts'
import type { Field, Resource } from '../resources/define.ts'
import type { Draft } from './controls.ts'
import type { Operator } from './query.ts'

const normalised: Readonly<Record<string, Operator>> = { eq: 'in', ne: 'nin' }

/** Returns the operators of a field, as clients write them. */
export const getOperators = (field: Field): readonly string[] => {
  if (!field.filter) return []
  if (field.array) return ['eq', 'ne', 'in', 'nin', 'all']
  const operators = ['eq', 'ne', 'in', 'nin']
  if (field.filter === 'range') operators.push(...rangeOperators)
  if (field.filter === 'prefix') operators.push('prefix')
  if (!field.computed) operators.push('null')
  return operators
}

const parseText = (field: Field, text: string): Parsed => {
  const checked = field.element.safeParse(text)
  if (checked.success) return { value: text }
  const capitals = text.toUpperCase()
  const detail = checked.error.issues[0]?.message ?? 'expected another value'
  return field.element.safeParse(capitals).success ? { detail, suggestion: capitals } : { detail }
}

/** Whether the field is text without a list of values. */
export const isFreeText = ({ kind, values }: Field): boolean => kind === 'text' && !values

/** Whether the field may hold empty text. */
export const holdsEmptyText = (field: Field): boolean =>
  isFreeText(field) && field.element.safeParse('').success

/** Parses a filter value. Relative dates stay relative, so that a cursor outlives midnight. */
export const parseValue = (field: Field, text: string, operator = 'in'): Parsed => {
  const isExplicit = operator === 'eq' || operator === 'ne'
  if (text === '' && !(isExplicit && holdsEmptyText(field))) {
    const empty = holdsEmptyText(field) ? `, to find empty text, use ${field.name}[eq]=` : ''
    return { detail: `${expectedValue}; to find null, use [null]=true${empty}` }
  }
  const values = field.kind === 'boolean' ? ['true', 'false'] : field.values
  if (values) return oneOf(values, 'expected one of: ')(text)
  if (field.kind === 'date') return parseDate(text)
  if (field.kind === 'instant') return parseInstant(text, operator)
  if (!isExplicit && isAccident(text)) return explainAccident(field, text)
  return parseText(field, text)
}

/** Refuses a value, or a whole list, that is a client's accident. */
export const explainAccident = ({ name, array }: Field, text: string): { detail: string } => {
  const list = `a list is ${name}=a,b`
  const forms = array
    ? list
    : `null is ${name}[null]=true, ${list}, a prefix is ${name}[prefix]=a if it allows that`
  return {
    detail: `${describeAccident(text)}; ${forms}, and this very text is ${name}[eq]=${text.slice(0, 40)}`,
  }
}

const filterName = /^([^[\]]+)\[([^[\]]*)\]$/

const filterReader = (field: Field, operator: string, draft: Draft): ParameterReader => {
  const take = (values: readonly string[]) => {
    const normal = normalised[operator] ?? (operator as Operator)
    draft.conditions.push({ field: field.name, operator: normal, values: [...new Set(values)] })
  }
  if (operator === 'null') return single(parseBoolean, (value) => take([value]))
  if (operator === 'prefix') return single(parseNonEmptyText, (value) => take([value]))
  if (operator === 'in' || operator === 'nin' || operator === 'all') {
    const read = many((text) => parseValue(field, text, operator), take)
    // A comma would split an object of JSON into texts.
    return (value) =>
      isFreeText(field) && isAccident(value)
        ? faulty('invalid_value', explainAccident(field, value).detail)
        : read(value)
  }
  return single(
    (text) => parseValue(field, text, operator),
    (value) => take([value]),
  )
}

export type FilterContext = {
  resource: Resource
  filterable: readonly Field[]
  known: readonly string[]
  draft: Draft
}

/** Guesses unknown operators only: between two known ones a guess could invert the meaning. */
const nearestOperator = (operator: string, allowed: readonly string[]): string | undefined => {
  const translated = translateOperator(operator)
  if (translated === undefined) return findNearest(operator, allowed)
  return allowed.includes(translated) ? translated : undefined
}

/** Reads a condition, `field=value` or `field[operator]=value`, into the draft. */
export const readFilter = ({ name, value }: Pair, context: FilterContext): PairReading => {
  const { resource, filterable, known, draft } = context
  const bracketed = filterName.exec(name)
  const base = bracketed?.[1] ?? name
  const field = filterable.find((each) => each.name === base)
  if (!field) {
    const problem = resource.fields.has(base) ? 'cannot be filtered' : undefined
    const takesOperator = (other: string) => filterable.some((each) => each.name === other)
    return readUnknown({ name, value }, { known, takesOperator, problem, resource: resource.name })
  }
  const operator = bracketed ? (bracketed[2] as string) : 'in'
  const operators = getOperators(field)
  if (!operators.includes(operator)) {
    const nearest = nearestOperator(operator, operators)
    const detail = `${field.name} allows: ${operators.join(', ')}`
    const suggestion = nearest && `${field.name}[${nearest}]`
    return faultyPair(name, { code: 'unknown_operator', detail, suggestion }, value)
  }
  return readValue(name, filterReader(field, operator, draft), value, holdsEmptyText(field))
}
