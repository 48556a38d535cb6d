import { checkField, type Scope } from './check-fields.ts'
import { type Checkers, checkForm, checkMembers } from './check-forms.ts'
import { findParameter } from './check-templates.ts'
import { checkTest } from './check-tests.ts'
import type { FieldRef, Scalar, Select, Test, Value } from './definition.ts'
import { bounds, isObject, scalar, type ValueName, valueShapes } from './document.ts'
import { type Path, whole } from './faults.ts'

/** Date tokens and their names in PostgreSQL's `to_char`. */
const dateTokens: Readonly<Record<string, string>> = {
  YYYY: 'YYYY',
  YY: 'YY',
  MM: 'MM',
  DD: 'DD',
  HH: 'HH24',
  mm: 'MI',
  ss: 'SS',
}
const timeTokens = new Set(['HH', 'mm', 'ss'])

const checkFormat = (format: string, ref: FieldRef, path: Path, { faults }: Scope): string | undefined => {
  const parts = format.match(/YYYY|YY|MM|DD|HH|mm|ss|[ .,:/_-]+|T|./gu) ?? []
  const bad = parts.find((part) => !(part in dateTokens) && !/^([ .,:/_-]+|T)$/.test(part))
  if (bad !== undefined || parts.length === 0)
    return faults.add(
      path,
      `expected YYYY, YY, MM, DD, HH, mm, ss and separators, as DD.MM.YYYY; got ${JSON.stringify(bad ?? '')}`,
    )
  if (ref.type === 'date' && parts.some((part) => timeTokens.has(part)))
    return faults.add(path, `${ref.field.name} is a date: it has no time of day`)
  return parts.map((part) => dateTokens[part] ?? `"${part}"`).join('')
}

const literal = (value: Scalar): Value => ({ kind: 'literal', value })

/** A bare text is a literal here, but the name of a field in `select`. */
const checkOutcome = (value: unknown, path: Path, scope: Scope, depth: number): Value | undefined => {
  if (isObject(value)) return checkValue(value, path, scope, depth)
  if (value === undefined) scope.faults.add(path, 'is missing: expected a value')
  const read = scope.faults.read(scalar, value ?? null, path)
  return read === undefined ? undefined : literal(read)
}

const checkers: Checkers<typeof valueShapes, Scope, Value> = {
  field: ({ field }, path, scope) => checkValue(field, [...path, 'field'], scope, 1),
  const: (given) => literal(given.const),
  param: ({ param: name }, path, scope) => {
    const param = findParameter(name, [...path, 'param'], scope)
    return param && { kind: 'param', param }
  },
  concat: ({ concat, separator = '' }, path, scope, depth) => {
    const parts = concat.map((part, index) => {
      const place = [...path, 'concat', index]
      const checked = checkValue(part, place, scope, depth + 1)
      const isText =
        checked &&
        checked.kind !== 'items' &&
        !(checked.kind === 'field' && (checked.ref.type === 'json' || checked.ref.array))
      if (checked && !isText)
        scope.faults.add(place, 'expected a single value: a list or an object is not a text')
      return isText ? checked : undefined
    })
    const checked = whole(parts)
    return checked && { kind: 'concat', parts: checked, separator }
  },
  map: ({ map }, path, scope) => {
    const place = [...path, 'map']
    const ref = checkField(map.field, [...place, 'field'], scope)
    if (!ref) return undefined
    if (ref.array || (ref.type !== 'text' && ref.type !== 'boolean'))
      return scope.faults.add([...place, 'field'], `expected a text or a boolean, which ${map.field} is not`)
    const known =
      ref.type === 'boolean' ? ['true', 'false'] : ref.path.length > 0 ? undefined : ref.field.values
    const values = Object.entries(map.values)
    if (values.length > bounds.choices)
      scope.faults.add([...place, 'values'], `expected at most ${bounds.choices}`)
    for (const [value] of values) {
      if (known && !known.includes(value))
        scope.faults.addUnknown([...place, 'values', value], value, `${map.field} is one of`, known)
    }
    return { kind: 'map', ref, values, otherwise: map.else ?? null }
  },
  date: ({ date }, path, scope) => {
    const place = [...path, 'date']
    const ref = checkField(date.field, [...place, 'field'], scope)
    if (!ref) return undefined
    if (ref.array || (ref.type !== 'date' && ref.type !== 'instant'))
      return scope.faults.add(
        [...place, 'field'],
        `expected a date or an instant, which ${date.field} is not`,
      )
    const format = checkFormat(date.format, ref, [...place, 'format'], scope)
    return format === undefined ? undefined : { kind: 'date', ref, format }
  },
  if: ({ if: given }, path, scope, depth) => {
    const place = [...path, 'if']
    const test = checkTest(given.test, [...place, 'test'], scope)
    const yes = checkOutcome(given.then, [...place, 'then'], scope, depth + 1)
    const otherwise = checkOutcome(given.else ?? null, [...place, 'else'], scope, depth + 1)
    return test && yes && otherwise && { kind: 'case', branches: [[test, yes]], otherwise }
  },
  case: (given, path, scope, depth) => {
    const branches = given.case.map(({ when, then }, index): readonly [Test, Value] | undefined => {
      const place = [...path, 'case', index]
      const test = checkTest(when, [...place, 'when'], scope)
      const value = checkOutcome(then, [...place, 'then'], scope, depth + 1)
      return test && value && [test, value]
    })
    const otherwise = checkOutcome(given.else ?? null, [...path, 'else'], scope, depth + 1)
    const checked = whole(branches)
    return checked && otherwise && { kind: 'case', branches: checked, otherwise }
  },
}

const valueNames = Object.keys(valueShapes) as ValueName[]

const checkValue = (value: unknown, path: Path, scope: Scope, depth = 1): Value | undefined => {
  const { faults, joins } = scope
  if (depth > bounds.depth) return faults.add(path, `expected values at most ${bounds.depth} deep`)
  if (typeof value === 'string') {
    const join = joins.get(value)
    if (join?.kind === 'many') return { kind: 'items', join }
    const ref = checkField(value, path, scope)
    return ref && { kind: 'field', ref }
  }
  const name = isObject(value) ? valueNames.find((each) => each in value) : undefined
  if (name === undefined) {
    const [given] = isObject(value) ? Object.keys(value) : []
    const place = given === undefined ? path : [...path, given]
    return faults.add(
      place,
      `expected the name of a field, or one of: ${valueNames.join(', ')}`,
      given,
      valueNames,
    )
  }
  return checkForm(valueShapes, checkers, name, value, path, scope, depth)
}

/** Checks the members of a response's rows. Returns the valid ones. */
export const checkSelect = (select: Readonly<Record<string, unknown>>, path: Path, scope: Scope): Select =>
  checkMembers(select, path, scope, (value, place) => checkValue(value, place, scope))
