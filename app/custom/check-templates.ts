import { maxValues } from '../records/query/query.ts'
import type { Field } from '../records/resources/define.ts'
import type { Parameter, Template } from './definition.ts'
import { type Faults, type Path, whole } from './faults.ts'

export type Context = Readonly<{
  faults: Faults
  params: ReadonlyMap<string, Parameter>
  tally: { sources: number; joins: number }
}>

const embedded = /\$\{([^{}]*)\}/

/** `$name` is a parameter, `${name}` a parameter within a text, `$$` a dollar sign. */
const parseTemplate = (text: string): Template => {
  if (text.startsWith('$$')) return [text.slice(1)]
  if (/^\$[^{]/.test(text)) return [{ param: text.slice(1) }]
  return text
    .split(embedded)
    .map((part, index) => (index % 2 === 0 ? part : { param: part }))
    .filter((part) => part !== '')
}

/** Finds a parameter of the document. Returns `undefined` after a fault. */
export const findParameter = (
  name: string,
  path: Path,
  { params, faults }: Context,
): Parameter | undefined => {
  const found = params.get(name)
  if (!found) {
    const known = [...params.keys()]
    const detail = known.length > 0 ? `expected one of: ${known.join(', ')}` : 'the document has no params'
    faults.add(path, `the document has no parameter ${name}; ${detail}`, name, known)
  }
  return found
}

export const fitting: Record<Field['kind'], readonly Parameter['type'][]> = {
  text: ['string'],
  date: ['date'],
  instant: ['date'],
  boolean: ['boolean'],
  integer: ['integer'],
  json: [],
}

/** Whether a parameter has a type that the field can be compared with. */
export const fits = (parameter: Parameter, field: Field): boolean =>
  fitting[field.kind].includes(parameter.type)

/** Texts to try for a parameter. `undefined` for free text, which only a request can check. */
const listSamples = ({
  type,
  values,
  default: usual,
  min,
  max,
}: Parameter): readonly string[] | undefined => {
  if (values) return values
  if (type === 'string') return undefined
  if (type === 'boolean') return ['true', 'false']
  if (type === 'date') return [usual ?? '2026-01-01']
  return [usual, min, max]
    .filter((each) => each !== undefined)
    .map(String)
    .concat(min === undefined ? ['1'] : [])
}

/** Fills in samples of the parameters, one set in each round. `undefined` if a parameter has no samples. */
export const writings = (values: readonly Template[], { params }: Context): string[][] | undefined => {
  const used = new Map(
    values
      .flat()
      .filter((part) => typeof part !== 'string')
      .map(({ param }) => [param, listSamples(params.get(param) as Parameter)] as const),
  )
  if ([...used.values()].some((samples) => samples === undefined)) return undefined
  const most = Math.max(1, ...[...used.values()].map((samples) => samples?.length ?? 1))
  return Array.from({ length: most }, (_, round) =>
    values.map((template) =>
      template
        .map((part) => {
          if (typeof part === 'string') return part
          const samples = used.get(part.param) as readonly string[]
          return samples[Math.min(round, samples.length - 1)]
        })
        .join(''),
    ),
  )
}

/** Parses the value or values of a condition as templates. Returns `undefined` after a fault. */
export const checkTemplates = (
  given: unknown,
  isList: boolean,
  path: Path,
  context: Context,
): Template[] | undefined => {
  const { faults } = context
  const values = Array.isArray(given) ? given : [given]
  if (Array.isArray(given) && !isList)
    return faults.add(path, 'expected one value: only =, in, nin and all take a list')
  if (values.length === 0 || values.length > maxValues)
    return faults.add(path, `expected 1 to ${maxValues} values, got ${values.length}`)
  const place = (index: number) => (Array.isArray(given) ? [...path, index] : path)
  const check = (value: unknown, index: number): Template | undefined => {
    if (value === null) return faults.add(place(index), 'expected a value; to find null, use [null]: true')
    if (typeof value === 'object')
      return faults.add(place(index), 'expected a text, a number, true or false, or a list of these')
    const template = parseTemplate(String(value))
    const isUnknown = (part: Template[number]) =>
      typeof part !== 'string' && !findParameter(part.param, place(index), context)
    const unknown = template.filter(isUnknown)
    return unknown.length > 0 ? undefined : template
  }
  return whole(values.map(check))
}
