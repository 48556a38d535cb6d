import { formatReader, into, type ParameterReader, single } from '../../lists/parameters.ts'
import { controlReaders, type Draft, type QueryShape } from '../../records/query/controls.ts'
import type { Definition } from './definition.ts'
import type { Revision } from './granted.ts'
import { parseParameter } from './parameter.ts'

export type ReadParameters = { given: Map<string, string>; draft: Draft; revision?: string }

const oneOfNumbers = (numbers: readonly number[]) => (text: string) =>
  numbers.map(String).includes(text)
    ? { value: text }
    : { detail: `expected ${numbers.length > 1 ? 'one of: ' : ''}${numbers.join(', ')}` }

export type CustomShape = Exclude<QueryShape, 'item'>

/** The parameters of a definition. `today`: YYYY-MM-DD, for the bounds of dates. */
export type CustomGrammar = Readonly<{
  definition: Definition
  /** The revisions that a request may name. */
  revisions: readonly Pick<Revision, 'revision'>[]
  today: string
  shape: CustomShape
}>

const listControls = ['limit', 'count', 'cursor', 'bom', 'format']

/** Creates the readers of parameters by name. They write to `reading`. */
export const createReaders = (
  { definition: { params, body }, revisions, today, shape }: CustomGrammar,
  reading: ReadParameters,
): Map<string, ParameterReader> => {
  const readers = new Map<string, ParameterReader>()
  for (const parameter of params.values()) {
    const parse = (text: string) => parseParameter(parameter, text, today)
    readers.set(
      parameter.name,
      single(parse, (value) => reading.given.set(parameter.name, value)),
    )
  }
  if ('list' in body) {
    const controls = controlReaders(body.list.source.resource, shape)
    for (const name of listControls) {
      const reader = controls.get(name)
      if (reader) readers.set(name, reader(reading.draft))
    }
  } else {
    readers.set('format', formatReader(['json']))
  }
  const isServed = oneOfNumbers(revisions.map(({ revision }) => revision))
  readers.set('revision', single(isServed, into(reading, 'revision', String)))
  return readers
}
