import { z } from 'zod'
import { type Parsed, parseNonEmptyText } from '../../lists/values.ts'
import { parseValue } from '../../records/query/filters.ts'
import { checkField, type Scope } from './check-fields.ts'
import { findParameter, fitting } from './check-templates.ts'
import type { FieldRef, Operand, Test } from './definition.ts'
import { bounds, isObject, type TestOperator, testOperators } from './document.ts'
import { type Place, whole } from './faults.ts'

const listOperators = ({ type, array, path }: FieldRef): readonly TestOperator[] => {
  if (array) return ['eq', 'ne', 'in', 'nin']
  if (type === 'json') return ['null']
  if (type === 'boolean') return ['eq', 'ne', 'null']
  return type === 'text' && path.length === 0
    ? testOperators
    : testOperators.filter((each) => each !== 'prefix')
}

const greatestInteger = 2 ** 31 - 1

type Comparison = Readonly<{ ref: FieldRef; operator: TestOperator }>

const checkParameter = (
  name: string,
  { ref: { field, type }, operator }: Comparison,
  place: Place,
  scope: Scope,
): Operand | undefined => {
  const parameter = findParameter(name, place, scope)
  if (!parameter) return undefined
  if (operator !== 'null' && fitting[type].includes(parameter.type)) return { param: parameter }
  return place.addFault(`a parameter of type ${parameter.type} is never ${field.name}, which is ${type}`)
}

const parseText = ({ field, path }: FieldRef, text: string, operator: TestOperator): Parsed => {
  if (path.length > 0) return { value: text }
  return operator === 'prefix' ? parseNonEmptyText(text) : parseValue(field, text, operator)
}

const checkOperand = (
  value: unknown,
  comparison: Comparison,
  place: Place,
  scope: Scope,
): Operand | undefined => {
  const { ref, operator } = comparison
  if (typeof value === 'string' && /^\$[^${]/.test(value))
    return checkParameter(value.slice(1), comparison, place, scope)
  if (operator === 'null' || ref.type === 'boolean')
    return typeof value === 'boolean' ? { literal: value } : place.addFault('expected true or false')
  if (ref.type === 'integer') {
    return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= greatestInteger
      ? { literal: value }
      : place.addFault(`expected an integer from -${greatestInteger} to ${greatestInteger}`)
  }
  if (value === null) return place.addFault('expected a value; to find null, use null: true')
  if (typeof value !== 'string') return place.addFault('expected a text')
  const parsed = parseText(ref, value.startsWith('$$') ? value.slice(1) : value, operator)
  if ('value' in parsed) return { literal: parsed.value }
  const { detail, suggestion } = parsed
  return place.addFault(detail, suggestion, suggestion === undefined ? [] : [suggestion])
}

const checkComparison = (
  { field, ...test }: Record<string, unknown>,
  place: Place,
  scope: Scope,
): Test | undefined => {
  if (typeof field !== 'string')
    return place.at('field').addFault('is missing: expected the name of a field, or any or all with tests')
  const ref = checkField(field, place.at('field'), scope)
  if (!ref) return undefined
  const [name, ...more] = Object.keys(test)
  const known = listOperators(ref)
  if (name === undefined || more.length > 0)
    return place.addFault(`expected field and one of: ${known.join(', ')}`)
  const inner = place.at(name)
  const operator = known.find((each) => each === name)
  if (!operator) return inner.addNameFault(name, `${ref.field.name} is compared by`, known)
  const given = test[name]
  const isList = operator === 'in' || operator === 'nin'
  const values = [given].flat()
  if (Array.isArray(given) !== isList || values.length === 0 || values.length > bounds.choices)
    return inner.addFault(isList ? `expected a list of 1 to ${bounds.choices}` : 'expected one value')
  const check = (value: unknown, index: number) =>
    checkOperand(value, { ref, operator }, isList ? inner.at(index) : inner, scope)
  const operands = whole(values.map(check))
  return operands && { kind: 'compare', ref, operator, operands }
}

const testList = z.array(z.unknown()).min(1).max(20)

/** Checks `{ field, <operator>: value }`, `{ any }` or `{ all }`. Returns `undefined` after a fault. */
export const checkTest = (test: unknown, place: Place, scope: Scope, depth = 1): Test | undefined => {
  if (!isObject(test)) return place.addFault('expected a test: { field: …, eq: … }')
  const kind = (['any', 'all'] as const).find((each) => each in test)
  if (!kind) return checkComparison(test, place, scope)
  const other = Object.keys(test).find((name) => name !== kind)
  if (other !== undefined) place.at(other).addFault(`expected only ${kind}`)
  const inner = place.at(kind)
  if (depth > bounds.depth) return inner.addFault(`expected tests at most ${bounds.depth} deep`)
  const given = inner.read(testList, test[kind])
  const tests = given && whole(given.map((each, index) => checkTest(each, inner.at(index), scope, depth + 1)))
  return tests && { kind, tests }
}
