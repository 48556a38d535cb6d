import type { Fault } from '../../errors.ts'
import type { Pair } from '../../http/pairs.ts'
import {
  formatMeant,
  type PairReading,
  readPairs,
  readValue,
  unknownParameter,
} from '../../records/query/parameters.ts'
import { defaultLimit, maxLimit } from '../../records/query/query.ts'
import {
  integerWithin,
  many,
  oneOfNames,
  type ParameterReader,
  refuse,
  single,
} from '../../records/query/readers.ts'
import { type Parsed, parseInstant, parsePrefix } from '../../records/query/values.ts'
import type { TrailFilter, TrailList } from './lists.ts'

/** A query of the trail that was understood. Relative days are still relative. */
export type TrailQuery = Readonly<{
  conditions: ReadonlyMap<string, readonly string[]>
  /** Undefined: 50 on a page, and no limit of an export. */
  limit: number | undefined
  cursor: string | undefined
}>

type Draft = { conditions: Map<string, readonly string[]>; limit?: number; cursor?: string }

/** As with pages of records. */
type TrailOutcome = { query: TrailQuery } | { faults: Fault[]; corrected?: string }

const formats = ['json', 'ndjson']

const parseNumber = (text: string): Parsed =>
  /^(0|[1-9]\d{0,14})$/.test(text) ? { value: text } : { detail: 'expected the number of a root' }

const filterReader = (
  { kind, values }: TrailFilter,
  name: string,
  take: (values: string[]) => void,
): ParameterReader => {
  if (kind === 'instant') return single(parseInstant, (value) => take([value]))
  if (kind === 'number') return single(parseNumber, (value) => take([value]))
  if (kind === 'numbers') return many(parseNumber, take)
  return many(values ? oneOfNames(values, 'invalid_value', name) : parsePrefix, take)
}

const any = (value: string): Parsed => ({ value })
const noPages = () => refuse('invalid_value', 'an export has no pages: leave cursor out')

/** The parameters of a list by name; what they read goes to the draft. */
export const trailReaders = (
  list: TrailList,
  isExport: boolean,
  draft: Draft = { conditions: new Map() },
): Map<string, ParameterReader> => {
  const filters = Object.entries(list.filters).map(
    ([name, filter]) =>
      [name, filterReader(filter, name, (values) => draft.conditions.set(name, values))] as const,
  )
  return new Map<string, ParameterReader>([
    ...filters,
    [
      'limit',
      single(integerWithin(1, maxLimit), (value) => {
        draft.limit = Number(value)
      }),
    ],
    [
      'cursor',
      isExport
        ? noPages
        : single(any, (value) => {
            draft.cursor = value
          }),
    ],
    [
      'format',
      single(
        (value) =>
          formats.includes(value) ? { value } : { detail: `expected one of: ${formats.join(', ')}` },
        () => {},
      ),
    ],
  ])
}

/** Reads the query string of a list; every fault is found. Pure. */
export const parseTrailQuery = (list: TrailList, isExport: boolean, rawQuery: string): TrailOutcome => {
  const draft: Draft = { conditions: new Map() }
  const readers = trailReaders(list, isExport, draft)
  const readPair = ({ name, value }: Pair): PairReading => {
    const reader = readers.get(name)
    if (reader) return readValue(name, reader, value)
    const { fault, nearest } = unknownParameter(name, [...readers.keys()])
    return nearest && value !== undefined ? { faults: [fault], meant: [nearest, value] } : { faults: [fault] }
  }
  const reading = readPairs(rawQuery, readPair)
  const { conditions, limit, cursor } = draft
  if (reading.faults.length === 0) return { query: { conditions, limit, cursor } }
  const meant = formatMeant(reading)
  const again = meant === undefined ? undefined : parseTrailQuery(list, isExport, meant)
  const corrected = again && 'query' in again ? meant : undefined
  return { faults: reading.faults, ...(corrected === undefined ? {} : { corrected }) }
}

/** Rows of a page. */
export const pageLimit = ({ limit = defaultLimit }: TrailQuery): number => limit

/** What a cursor belongs to: the list and its conditions, in one form. */
export const selectionOf = ({ path }: TrailList, { conditions }: TrailQuery): string =>
  JSON.stringify([path, ...[...conditions].sort(([a], [b]) => (a < b ? -1 : 1))])
