import { z } from 'zod'
import { parsePrefix, parseValue } from '../records/query/values.ts'
import { checkField, type Scope } from './check-fields.ts'
import { findParameter, fits } from './check-templates.ts'
import type { FieldRef, Operand, Test } from './definition.ts'
import { bounds, isObject, type TestOperator, testOperators } from './document.ts'
import { type Path, whole } from './faults.ts'

const operatorsFor = ({ type, array, path }: FieldRef): readonly TestOperator[] => {
  if (array) return ['eq', 'ne', 'in', 'nin']
  if (type === 'json') return ['null']
  if (type === 'boolean') return ['eq', 'ne', 'null']
  const ordered = testOperators.filter((each) => each !== 'prefix')
  return type === 'text' && path.length === 0 ? testOperators : ordered
}

const greatestInteger = 2 ** 31 - 1

const checkOperand = (
  value: unknown,
  ref: FieldRef,
  operator: TestOperator,
  path: Path,
  scope: Scope,
): Operand | undefined => {
  const { faults } = scope
  if (typeof value === 'string' && /^\$[^${]/.test(value)) {
    const parameter = findParameter(value.slice(1), path, scope)
    if (!parameter) return undefined
    if (operator !== 'null' && fits(parameter, { ...ref.field, kind: ref.type as 'text' }))
      return { param: parameter.name }
    return faults.add(
      path,
      `a parameter of type ${parameter.type} is never ${ref.field.name}, which is ${ref.type}`,
    )
  }
  const text = typeof value === 'string' && value.startsWith('$$') ? value.slice(1) : value
  if (operator === 'null' || ref.type === 'boolean') {
    if (typeof text === 'boolean') return { literal: text }
    return faults.add(path, 'expected true or false')
  }
  if (ref.type === 'integer') {
    if (Number.isInteger(text) && Math.abs(text as number) <= greatestInteger)
      return { literal: text as number }
    return faults.add(path, `expected an integer from -${greatestInteger} to ${greatestInteger}`)
  }
  if (typeof text !== 'string')
    return faults.add(
      path,
      text === null ? 'expected a value; to find null, use null: true' : 'expected a text',
    )
  const parsed =
    ref.path.length > 0
      ? { value: text }
      : operator === 'prefix'
        ? parsePrefix(text)
        : parseValue(ref.field, text, operator)
  if ('value' in parsed) return { literal: parsed.value }
  return faults.add(
    path,
    parsed.detail,
    parsed.suggestion,
    parsed.suggestion === undefined ? [] : [parsed.suggestion],
  )
}

const checkComparison = (test: Record<string, unknown>, path: Path, scope: Scope): Test | undefined => {
  const { faults } = scope
  if (typeof test.field !== 'string')
    return faults.add(
      [...path, 'field'],
      'is missing: expected the name of a field, or any or all with tests',
    )
  const ref = checkField(test.field, [...path, 'field'], scope)
  if (!ref) return undefined
  const names = Object.keys(test).filter((name) => name !== 'field')
  const [name, ...more] = names
  const known = operatorsFor(ref)
  if (name === undefined || more.length > 0)
    return faults.add(path, `expected field and one of: ${known.join(', ')}`)
  const operator = known.find((each) => each === name)
  if (!operator) return faults.addUnknown([...path, name], name, `${ref.field.name} is compared by`, known)
  const given = test[name]
  const isList = operator === 'in' || operator === 'nin'
  const values = [given].flat()
  if (Array.isArray(given) !== isList || values.length === 0 || values.length > bounds.choices) {
    const expected = isList ? `expected a list of 1 to ${bounds.choices}` : 'expected one value'
    return faults.add([...path, name], expected)
  }
  const place = (index: number) => (isList ? [...path, name, index] : [...path, name])
  const operands = whole(
    values.map((value, index) => checkOperand(value, ref, operator, place(index), scope)),
  )
  return operands && { kind: 'compare', ref, operator, operands }
}

const testList = z.array(z.unknown()).min(1).max(20)

/** Checks `{ field, <operator>: value }`, `{ any }` or `{ all }`. Returns `undefined` after a fault. */
export const checkTest = (test: unknown, path: Path, scope: Scope, depth = 1): Test | undefined => {
  const { faults } = scope
  if (!isObject(test)) return faults.add(path, 'expected a test: { field: …, eq: … }')
  for (const kind of ['any', 'all'] as const) {
    if (!(kind in test)) continue
    const [other] = Object.keys(test).filter((name) => name !== kind)
    if (other !== undefined) faults.add([...path, other], `expected only ${kind}`)
    if (depth > bounds.depth)
      return faults.add([...path, kind], `expected tests at most ${bounds.depth} deep`)
    const inner = faults.read(testList, test[kind], [...path, kind])
    const check = (each: unknown, index: number) => checkTest(each, [...path, kind, index], scope, depth + 1)
    const tests = inner && whole(inner.map(check))
    return tests && { kind, tests }
  }
  return checkComparison(test, path, scope)
}
