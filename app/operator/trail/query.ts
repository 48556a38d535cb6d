import type { Fault } from '../../errors.ts'
import { correct, formatMeant, readByName, readPairs } from '../../records/query/parameters.ts'
import { defaultLimit } from '../../records/query/query.ts'
import {
  formatReader,
  many,
  oneOfNames,
  type ParameterReader,
  pageReaders,
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
type TrailOutcome = { query: TrailQuery } | { faults: Fault[]; corrected?: string; cursor?: string }

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
    ...pageReaders(draft),
    ...(isExport ? [['cursor', noPages] as const] : []),
    ['format', formatReader(formats)],
  ])
}

/** Reads the query string of a list; every fault is found. Pure. */
export const parseTrailQuery = (list: TrailList, isExport: boolean, rawQuery: string): TrailOutcome => {
  const draft: Draft = { conditions: new Map() }
  const readers = trailReaders(list, isExport, draft)
  const reading = readPairs(rawQuery, readByName(readers))
  const { conditions, limit, cursor } = draft
  if (reading.faults.length === 0) return { query: { conditions, limit, cursor } }
  const corrected = correct(formatMeant(reading), (meant) => parseTrailQuery(list, isExport, meant))
  return {
    faults: reading.faults,
    ...(corrected === undefined ? {} : { corrected }),
    ...(cursor === undefined ? {} : { cursor }),
  }
}

/** Rows of a page. */
export const pageLimit = ({ limit = defaultLimit }: TrailQuery): number => limit

/** What a cursor belongs to: the list and its conditions, in one form. */
export const selectionOf = ({ path }: TrailList, { conditions }: TrailQuery): string =>
  JSON.stringify([path, ...[...conditions].sort(([a], [b]) => (a < b ? -1 : 1))])
