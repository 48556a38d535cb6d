import { z } from 'zod'
import { checkField, type Scope } from './check-fields.ts'
import { checkMembers, type FormCheck, fixedForms, form } from './check-forms.ts'
import { checkTest } from './check-tests.ts'
import type { FieldRef, Select, Value } from './definition.ts'
import { bounds, isObject, scalar, text } from './document.ts'
import { type Place, whole } from './faults.ts'

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

const checkFormat = (format: string, { field, type }: FieldRef, place: Place): string | undefined => {
  const parts = format.match(/YYYY|YY|MM|DD|HH|mm|ss|[ .,:/_-]+|T|./gsu) ?? []
  const bad = parts.find((part) => !(part in dateTokens) && !/^([ .,:/_-]+|T)$/.test(part))
  if (bad !== undefined || parts.length === 0) {
    const got = JSON.stringify(bad ?? '')
    return place.addFault(`expected YYYY, YY, MM, DD, HH, mm, ss and separators, as DD.MM.YYYY; got ${got}`)
  }
  if (type === 'date' && parts.some((part) => ['HH', 'mm', 'ss'].includes(part)))
    return place.addFault(`${field.name} is a date: it has no time of day`)
  return parts.map((part) => dateTokens[part] ?? `"${part}"`).join('')
}

/** A bare text is a literal here, but the name of a field in `select`. */
const checkOutcome = (value: unknown, place: Place, scope: Scope, depth: number): Value | undefined => {
  if (isObject(value)) return checkValue(value, place, scope, depth)
  if (value === undefined) return place.addFault('is missing: expected a value')
  const literal = place.read(scalar, value)
  return literal === undefined ? undefined : { kind: 'literal', value: literal }
}

// biome-ignore-start lint/suspicious/noThenProperty: the document's own word; nothing awaits a schema
const ifShape = z.strictObject({ test: z.unknown(), then: z.unknown(), else: z.unknown().optional() })
const branchShape = z.strictObject({ when: z.unknown(), then: z.unknown() })
// biome-ignore-end lint/suspicious/noThenProperty: as above

const isText = (value: Value): boolean => {
  if (value.kind === 'field') return value.ref.type !== 'json' && !value.ref.array
  if (value.kind !== 'case') return value.kind !== 'items'
  return value.branches.every(([, then]) => isText(then)) && isText(value.otherwise)
}

const valueForms: Record<string, FormCheck<Scope, Value>> = {
  field: form(z.strictObject({ field: z.string() }), ({ field }, place, scope) =>
    checkValue(field, place.at('field'), scope),
  ),
  ...fixedForms,
  concat: form(
    z.strictObject({ concat: z.array(z.unknown()).min(1).max(20), separator: text.optional() }),
    ({ concat, separator = '' }, place, scope, depth) => {
      const parts = concat.map((part, index) => {
        const inner = place.at('concat', index)
        const checked = checkValue(part, inner, scope, depth + 1)
        if (!checked || isText(checked)) return checked
        return inner.addFault('expected a single value: a list or an object is not a text')
      })
      const checked = whole(parts)
      return checked && { kind: 'concat', parts: checked, separator }
    },
  ),
  map: form(
    z.strictObject({
      map: z.strictObject({
        field: z.string(),
        values: z.record(z.string(), scalar),
        else: scalar.optional(),
      }),
    }),
    ({ map }, outer, scope) => {
      const place = outer.at('map')
      const ref = checkField(map.field, place.at('field'), scope)
      if (!ref) return undefined
      if (ref.array || (ref.type !== 'text' && ref.type !== 'boolean'))
        return place.at('field').addFault(`expected a text or a boolean, which ${map.field} is not`)
      // A path leads into an object, which has no `values`.
      const known = ref.type === 'boolean' ? ['true', 'false'] : ref.field.values
      const values = Object.entries(map.values)
      if (values.length > bounds.choices) place.at('values').addFault(`expected at most ${bounds.choices}`)
      for (const [value] of values) {
        if (known && !known.includes(value))
          place.at('values', value).addNameFault(value, `${map.field} is one of`, known)
      }
      return { kind: 'map', ref, values, otherwise: map.else ?? null }
    },
  ),
  date: form(
    z.strictObject({ date: z.strictObject({ field: z.string(), format: z.string().max(40) }) }),
    ({ date }, outer, scope) => {
      const place = outer.at('date')
      const ref = checkField(date.field, place.at('field'), scope)
      if (!ref) return undefined
      if (ref.array || (ref.type !== 'date' && ref.type !== 'instant'))
        return place.at('field').addFault(`expected a date or an instant, which ${date.field} is not`)
      const format = checkFormat(date.format, ref, place.at('format'))
      return format === undefined ? undefined : { kind: 'date', ref, format }
    },
  ),
  if: form(z.strictObject({ if: ifShape }), ({ if: given }, outer, scope, depth) => {
    const place = outer.at('if')
    const test = checkTest(given.test, place.at('test'), scope)
    const then = checkOutcome(given.then, place.at('then'), scope, depth + 1)
    const otherwise = checkOutcome(given.else ?? null, place.at('else'), scope, depth + 1)
    return test && then && otherwise && { kind: 'case', branches: [[test, then]], otherwise }
  }),
  case: form(
    z.strictObject({ case: z.array(branchShape).min(1).max(20), else: z.unknown().optional() }),
    (given, place, scope, depth) => {
      const branches = given.case.map(({ when, then }, index) => {
        const inner = place.at('case', index)
        const test = checkTest(when, inner.at('when'), scope)
        const value = checkOutcome(then, inner.at('then'), scope, depth + 1)
        return test && value && ([test, value] as const)
      })
      const otherwise = checkOutcome(given.else ?? null, place.at('else'), scope, depth + 1)
      const checked = whole(branches)
      return checked && otherwise && { kind: 'case', branches: checked, otherwise }
    },
  ),
}

const valueNames = Object.keys(valueForms)

const checkValue = (value: unknown, place: Place, scope: Scope, depth = 1): Value | undefined => {
  if (depth > bounds.depth) return place.addFault(`expected values at most ${bounds.depth} deep`)
  if (typeof value === 'string') {
    const join = scope.joins.get(value)
    if (join?.kind === 'many') return { kind: 'items', join }
    const ref = checkField(value, place, scope)
    return ref && { kind: 'field', ref }
  }
  const names = isObject(value) ? Object.keys(value) : []
  const [, check] = Object.entries(valueForms).find(([name]) => names.includes(name)) ?? []
  if (check) return check(value, place, scope, depth)
  const [given] = names
  const inner = given === undefined ? place : place.at(given)
  return inner.addFault(
    `expected the name of a field, or one of: ${valueNames.join(', ')}`,
    given,
    valueNames,
  )
}

/** Checks the members of a response's rows. Returns the valid ones. */
export const checkSelect = (select: Readonly<Record<string, unknown>>, place: Place, scope: Scope): Select =>
  checkMembers(select, place, (value, inner) => checkValue(value, inner, scope))
