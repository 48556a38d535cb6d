import { z } from 'zod'
import { type Parsed, resolveDate } from '../../lists/values.ts'
import { tokenParameters } from '../../records/query/query.ts'
import type { Parameter } from './definition.ts'
import { bounds, text } from './document.ts'
import type { Place } from './faults.ts'
import { maxBytes, parseParameter } from './parameter.ts'

const parameterName = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'expected up to 40 of a-z 0-9 _')
const bound = z.union([z.string(), z.number()])
const value = z.union([z.string(), z.number(), z.boolean()])
const parameterShape = z.strictObject({
  type: z.enum(['integer', 'string', 'date', 'boolean']),
  description: text.optional(),
  default: value.optional(),
  example: value.optional(),
  min: bound.optional(),
  max: bound.optional(),
  enum: z.array(bound).min(1).max(bounds.choices).optional(),
  optional: z.boolean().default(false),
})

/** Controls of lists and revisions, and parameters that no URL may have. */
const reserved = [
  'limit',
  'cursor',
  'count',
  'format',
  'bom',
  'revision',
  'fields',
  'sort',
  ...tokenParameters,
]

/** Any day: only two fixed dates, or two relative ones, are compared. */
const today = '2026-01-01'

const isRelative = (date: unknown): boolean => String(date).startsWith('today')

const boundsByType: Record<Parameter['type'], string> = {
  boolean: 'none',
  date: 'dates',
  string: `numbers of characters from 1 to ${maxBytes}`,
  integer: 'integers',
}

const isBound = (type: Parameter['type'], given: string | number): boolean => {
  if (type === 'boolean') return false
  if (type === 'date')
    return (
      typeof given === 'string' &&
      'value' in parseParameter({ name: '', type, optional: false }, given, today)
    )
  return Number.isInteger(given) && (type === 'integer' || (Number(given) >= 1 && Number(given) <= maxBytes))
}

/** False for a relative and a fixed date, because their order depends on the day. */
const isReversed = (type: Parameter['type'], min: unknown, max: unknown): boolean => {
  if (type !== 'date') return Number(min) > Number(max)
  const [from, to] = [String(min), String(max)]
  return isRelative(from) === isRelative(to) && resolveDate(from, today) > resolveDate(to, today)
}

/** Parses a value of the document, without bounds that may or may not include it, depending on the day. */
const parseValue = (parameter: Parameter, text: string): Parsed => {
  const { type, min, max } = parameter
  const keep = (bound: typeof min) =>
    type === 'date' && isRelative(bound) !== isRelative(text) ? undefined : bound
  return parseParameter({ ...parameter, min: keep(min), max: keep(max) }, text, today)
}

const checkParameter = (name: string, given: unknown, place: Place): Parameter | undefined => {
  const read = place.read(parameterShape, given)
  if (!read) return undefined
  const { type, description, min, max, optional, enum: choices } = read
  for (const [at, limit] of Object.entries({ min, max })) {
    if (limit !== undefined && !isBound(type, limit))
      return place.at(at).addFault(`expected ${boundsByType[type]} as bounds of a parameter of type ${type}`)
  }
  if (min !== undefined && max !== undefined && isReversed(type, min, max))
    return place.at('min').addFault(`expected at most max, which is ${max}`)
  const parameter: Parameter = { name, type, description, min, max, optional }
  const values = choices?.map(String)
  if (type === 'boolean' && values)
    place.at('enum').addFault('expected no bounds: a boolean is true or false')
  for (const [index, each] of (values ?? []).entries()) {
    const parsed = parseValue(parameter, each)
    if ('detail' in parsed) place.at('enum', index).addFault(parsed.detail)
  }
  if (read.default !== undefined && optional)
    place.at('optional').addFault('a parameter with a default is never missing: leave one of both out')
  const parse = (member: 'default' | 'example') => {
    if (read[member] === undefined) return undefined
    const parsed = parseValue({ ...parameter, values }, String(read[member]))
    return 'value' in parsed ? parsed.value : place.at(member).addFault(parsed.detail)
  }
  return { ...parameter, values, default: parse('default'), example: parse('example') }
}

/** Checks the parameters of a document. Returns the valid ones by name. */
export const checkParameters = (
  params: Readonly<Record<string, unknown>>,
  place: Place,
): Map<string, Parameter> => {
  const entries = Object.entries(params)
  if (entries.length > bounds.params)
    place.addFault(`expected at most ${bounds.params}, got ${entries.length}`)
  const checked = new Map<string, Parameter>()
  for (const [name, given] of entries) {
    const inner = place.at(name)
    if (inner.read(parameterName, name) === undefined) continue
    if (reserved.includes(name)) {
      inner.addFault(`expected another name: ${reserved.join(', ')} mean something already`)
      continue
    }
    const parameter = checkParameter(name, given, inner)
    if (parameter) checked.set(name, parameter)
  }
  return checked
}
