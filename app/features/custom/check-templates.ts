import { maxValues } from '../../lists/parameters.ts'
import type { Field } from '../../records/resources/define.ts'
import type { Parameter, Template } from './definition.ts'
import { type Place, whole } from './faults.ts'

export type Context = Readonly<{
  params: ReadonlyMap<string, Parameter>
  tally: { sources: number; joins: number }
}>

/** `$name`, or `${name}` within a text: a parameter. `$$` at the start: a literal that begins with `$`. */
const parseTemplate = (text: string): Template => {
  if (text.startsWith('$$')) return [text.slice(1)]
  if (/^\$[^{]/.test(text)) return [{ param: text.slice(1) }]
  return text
    .split(/\$\{([^{}]*)\}/)
    .map((part, index) => (index % 2 === 0 ? part : { param: part }))
    .filter((part) => part !== '')
}

/** Lists the parameters of templates, with repetitions. */
export const listParameters = (templates: readonly Template[]): string[] =>
  templates.flat().flatMap((part) => (typeof part === 'string' ? [] : [part.param]))

/** Inserts texts of parameters into a template. */
export const fillTemplate = (template: Template, getText: (param: string) => string): string =>
  template.map((part) => (typeof part === 'string' ? part : getText(part.param))).join('')

/** Finds a parameter of the document. Returns `undefined` after a fault. */
export const findParameter = (name: string, place: Place, { params }: Context): Parameter | undefined => {
  const found = params.get(name)
  if (found) return found
  const known = [...params.keys()]
  const detail = known.length > 0 ? `expected one of: ${known.join(', ')}` : 'the document has no params'
  return place.addFault(`the document has no parameter ${name}; ${detail}`, name, known)
}

/** The types of parameters that a field can be compared with. */
export const fitting: Record<Field['kind'], readonly Parameter['type'][]> = {
  text: ['string'],
  date: ['date'],
  instant: ['date'],
  boolean: ['boolean'],
  integer: ['integer'],
  json: [],
}

/** Texts to try for a parameter. None for free text, which only a request can check. */
const listSamples = ({ type, values, default: usual, min, max }: Parameter): readonly string[] => {
  if (values) return values
  if (type === 'string') return []
  if (type === 'boolean') return ['true', 'false']
  if (type === 'date') return [usual ?? '2026-01-01']
  return [usual, min ?? 1, max].filter((each) => each !== undefined).map(String)
}

/** Fills in samples of the parameters, one of each in each round. Empty if a parameter has no samples. */
export const listWritings = (values: readonly Template[], { params }: Context): string[][] => {
  const samples = new Map(
    listParameters(values).map((name) => [name, listSamples(params.get(name) as Parameter)]),
  )
  const counts = [...samples.values()].map(({ length }) => length)
  if (counts.includes(0)) return []
  const getSample = (name: string, round: number) => {
    const all = samples.get(name) as readonly string[]
    return all[round % all.length] as string
  }
  return Array.from({ length: Math.max(1, ...counts) }, (_, round) =>
    values.map((template) => fillTemplate(template, (name) => getSample(name, round))),
  )
}

/** Parses the value or values of a condition as templates. Returns `undefined` after a fault. */
export const checkTemplates = (
  given: unknown,
  isList: boolean,
  place: Place,
  context: Context,
): Template[] | undefined => {
  const values = Array.isArray(given) ? given : [given]
  if (Array.isArray(given) && !isList)
    return place.addFault('expected one value: only =, in, nin and all take a list')
  if (values.length === 0 || values.length > maxValues)
    return place.addFault(`expected 1 to ${maxValues} values, got ${values.length}`)
  const check = (value: unknown, index: number): Template | undefined => {
    const inner = Array.isArray(given) ? place.at(index) : place
    if (value === null) return inner.addFault('expected a value; to find null, use [null]: true')
    if (typeof value === 'object')
      return inner.addFault('expected a text, a number, true or false, or a list of these')
    const template = parseTemplate(String(value))
    return whole(listParameters([template]).map((name) => findParameter(name, inner, context))) && template
  }
  return whole(values.map(check))
}
