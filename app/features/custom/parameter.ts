import { findNearest } from '../../lists/nearest.ts'
import {
  describeAccident,
  isAccident,
  type Parsed,
  parseBoolean,
  parseDate,
  resolveDate,
} from '../../lists/values.ts'
import type { Parameter } from './definition.ts'

export const maxBytes = 2000

const betweenText = (min: unknown, max: unknown): string =>
  [min === undefined ? '' : ` from ${min}`, max === undefined ? '' : ` to ${max}`].join('')

const parseInteger = (text: string, { min, max }: Parameter): Parsed => {
  const detail = `expected an integer${betweenText(min, max)}`
  if (!/^(0|-?[1-9]\d{0,8})$/.test(text)) return { detail }
  const number = Number(text)
  return (min === undefined || number >= Number(min)) && (max === undefined || number <= Number(max))
    ? { value: text }
    : { detail }
}

const parseText = (text: string, { min, max }: Parameter): Parsed => {
  if (isAccident(text)) return { detail: describeAccident(text) }
  const isStorable = text.isWellFormed() && !text.includes('\u0000') && Buffer.byteLength(text) <= maxBytes
  const length = [...text].length
  if (isStorable && length >= Number(min ?? 1) && length <= Number(max ?? maxBytes)) return { value: text }
  const lengths = min === undefined && max === undefined ? '' : ` of${betweenText(min, max)} characters`
  return { detail: `expected a text${lengths}, at most ${maxBytes} bytes, without U+0000` }
}

const parseDay = (text: string, { min, max }: Parameter, today: string): Parsed => {
  const parsed = parseDate(text)
  if ('detail' in parsed || (min === undefined && max === undefined)) return parsed
  const at = (value: string) => resolveDate(value, today)
  const day = at(parsed.value)
  const isWithin =
    (min === undefined || day >= at(String(min))) && (max === undefined || day <= at(String(max)))
  return isWithin ? parsed : { detail: `expected a date${betweenText(min, max)}` }
}

const parsers: Record<Parameter['type'], (text: string, parameter: Parameter, today: string) => Parsed> = {
  integer: parseInteger,
  string: parseText,
  date: parseDay,
  boolean: parseBoolean,
}

/** Parses a parameter to canonical text. Relative dates remain relative. `today` (YYYY-MM-DD): for bounds. */
export const parseParameter = (parameter: Parameter, text: string, today: string): Parsed => {
  const { values, type } = parameter
  if (!values || values.includes(text)) return parsers[type](text, parameter, today)
  const suggestion = findNearest(text, values)
  return { detail: `expected one of: ${values.join(', ')}`, ...(suggestion ? { suggestion } : {}) }
}

/** Converts canonical text to a value. Null if the parameter was not given. */
export const parameterValue = (
  { type }: Parameter,
  text: string | undefined,
  today: string,
): string | number | boolean | null => {
  if (text === undefined) return null
  if (type === 'integer') return Number(text)
  if (type === 'boolean') return text === 'true'
  return type === 'date' ? resolveDate(text, today) : text
}
