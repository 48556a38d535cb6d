import { formatNames } from '../http/formats.ts'
import { type Draft, markReader, type QueryShape, refuseMark } from '../records/query/controls.ts'
import { maxLimit } from '../records/query/query.ts'
import { integerWithin, oneOfNames, type ParameterReader, single } from '../records/query/readers.ts'
import type { Definition } from './definition.ts'
import { parseParameter } from './parameter.ts'

/** Revisions that are answered now, and the one that is answered unless another is asked for. */
export type Revisions = Readonly<{ current: number; served: readonly number[] }>

/** What was read so far. */
export type ReadParameters = { given: Map<string, string>; draft: Draft; revision?: string }

const oneOfNumbers = (numbers: readonly number[]) => (text: string) =>
  numbers.map(String).includes(text)
    ? { value: text }
    : { detail: `expected ${numbers.length > 1 ? 'one of: ' : ''}${numbers.join(', ')}` }

const onlyOne = (wanted: string) => (text: string) =>
  text === wanted ? { value: text } : { detail: `expected ${wanted}`, suggestion: wanted }

/** A page, all of a list at once, or that as CSV. */
export type CustomShape = Exclude<QueryShape, 'item'>

const listReaders = (draft: Draft, shape: CustomShape): [string, ParameterReader][] => [
  ...pageReaders(draft).filter(([name]) => shape === 'page' || name === 'limit'),
  ['bom', shape === 'csv' ? readMark(draft) : refuseMark],
]

const readMark = (draft: Draft): ParameterReader =>
  markReader((hasMark) => {
    draft.hasMark = hasMark
  })

const pageReaders = (draft: Draft): [string, ParameterReader][] => [
  [
    'limit',
    single(integerWithin(1, maxLimit), (value) => {
      draft.limit = Number(value)
    }),
  ],
  [
    'count',
    single(onlyOne('exact'), () => {
      draft.count = true
    }),
  ],
  [
    'cursor',
    single(
      (text) => ({ value: text }),
      (value) => {
        draft.cursor = value
      },
    ),
  ],
]

/** What reads each parameter that the endpoint takes, by name. */
export const readersOf = (
  { params, body }: Definition,
  { served }: Revisions,
  today: string,
  reading: ReadParameters,
  shape: CustomShape,
): Map<string, ParameterReader> => {
  const readers = new Map<string, ParameterReader>()
  for (const parameter of params.values()) {
    const take = (value: string) => void reading.given.set(parameter.name, value)
    readers.set(
      parameter.name,
      single((text) => parseParameter(parameter, text, today), take),
    )
  }
  if ('list' in body)
    for (const [name, reader] of listReaders(reading.draft, shape)) readers.set(name, reader)
  const takeRevision = (value: string) => {
    reading.revision = value
  }
  readers.set('revision', single(oneOfNumbers(served), takeRevision))
  readers.set(
    'format',
    single(oneOfNames('list' in body ? formatNames : ['json'], 'invalid_value', 'expected one of'), () => {}),
  )
  return readers
}
