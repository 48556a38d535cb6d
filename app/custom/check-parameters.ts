import { resolveDate } from '../records/query/values.ts'
import type { Parameter } from './definition.ts'
import { bounds, parameterName, parameterShape, reservedParameters } from './document.ts'
import type { Faults, Path } from './faults.ts'
import { maxBytes, parseParameter } from './parameter.ts'

/** Any day works, because only two relative or two fixed dates are compared. */
const today = '2026-01-01'

const boundsByType: Record<Parameter['type'], string> = {
  boolean: 'none',
  date: 'dates',
  string: `numbers of characters from 1 to ${maxBytes}`,
  integer: 'integers',
}

const isBound = (type: Parameter['type'], bound: unknown): boolean => {
  if (type === 'boolean') return false
  if (type === 'date') {
    return typeof bound === 'string' && 'value' in parseParameter(plain('date'), bound, today)
  }
  return Number.isInteger(bound) && (type === 'integer' || (Number(bound) >= 1 && Number(bound) <= maxBytes))
}

/** False for a relative and a fixed date, because their order depends on the day. */
const isReversed = (type: Parameter['type'], min: unknown, max: unknown): boolean => {
  if (type !== 'date') return Number(min) > Number(max)
  const [from, to] = [String(min), String(max)]
  return (
    from.startsWith('today') === to.startsWith('today') && resolveDate(from, today) > resolveDate(to, today)
  )
}

const plain = (type: Parameter['type']): Parameter => ({ name: '', type, optional: false })

const checkParameter = (name: string, value: unknown, path: Path, faults: Faults): Parameter | undefined => {
  const given = faults.read(parameterShape, value, path)
  if (!given) return undefined
  const { type, description, min, max, optional = false } = given
  for (const [bound, at] of [
    [min, 'min'],
    [max, 'max'],
  ] as const) {
    if (bound !== undefined && !isBound(type, bound))
      return faults.add(
        [...path, at],
        `expected ${boundsByType[type]} as bounds of a parameter of type ${type}`,
      )
  }
  if (min !== undefined && max !== undefined && isReversed(type, min, max)) {
    return faults.add([...path, 'min'], `expected at most max, which is ${max}`)
  }
  const parameter: Parameter = {
    name,
    type,
    description,
    min,
    max,
    optional,
    values: given.enum?.map(String),
  }
  if (type === 'boolean' && given.enum)
    faults.add([...path, 'enum'], 'expected no bounds: a boolean is true or false')
  for (const [index, each] of (parameter.values ?? []).entries()) {
    const parsed = parseParameter({ ...parameter, values: undefined }, each, today)
    if ('detail' in parsed) faults.add([...path, 'enum', index], parsed.detail)
  }
  if (given.default !== undefined && optional) {
    faults.add([...path, 'optional'], 'a parameter with a default is never missing: leave one of both out')
  }
  const [usual, example] = (['default', 'example'] as const).map((name) => {
    const text = given[name]
    if (text === undefined) return undefined
    const parsed = parseParameter(parameter, String(text), today)
    if ('value' in parsed) return parsed.value
    return faults.add([...path, name], parsed.detail)
  })
  return { ...parameter, default: usual, example }
}

/** Checks the parameters of a document. Returns the valid ones by name. */
export const checkParameters = (
  params: Readonly<Record<string, unknown>>,
  path: Path,
  faults: Faults,
): Map<string, Parameter> => {
  const checked = new Map<string, Parameter>()
  const names = Object.keys(params)
  if (names.length > bounds.params) faults.add(path, `expected at most ${bounds.params}, got ${names.length}`)
  for (const name of names) {
    const place = [...path, name]
    if (faults.read(parameterName, name, place) === undefined) continue
    if (reservedParameters.includes(name)) {
      faults.add(place, `expected another name: ${reservedParameters.join(', ')} mean something already`)
      continue
    }
    const parameter = checkParameter(name, params[name], place, faults)
    if (parameter) checked.set(name, parameter)
  }
  return checked
}
