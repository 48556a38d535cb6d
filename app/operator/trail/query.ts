import {
  correct,
  type FaultyQuery,
  formatMeant,
  readByName,
  readPairs,
} from '../../records/query/parameters.ts'
import {
  formatReader,
  many,
  oneOfNames,
  type ParameterReader,
  pageReaders,
  refuse,
  single,
} from '../../records/query/readers.ts'
import { type Parsed, parseInstant, parseNonEmptyText } from '../../records/query/values.ts'
import type { TrailFilter, TrailList } from './lists.ts'

export type TrailQuery = Readonly<{
  conditions: ReadonlyMap<string, readonly string[]>
  /** If `undefined`, a page has 50 entries, and an export all of them. */
  limit: number | undefined
  cursor: string | undefined
}>

type Draft = { conditions: Map<string, readonly string[]>; limit?: number; cursor?: string }

type TrailOutcome = { query: TrailQuery } | FaultyQuery

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
  return many(values ? oneOfNames(values, 'invalid_value', name) : parseNonEmptyText, take)
}

const noPages = () => refuse('invalid_value', 'an export has no pages: leave cursor out')

/** Returns a list's parameter readers by name. They store values in `draft`. */
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

/** Parses a customer's query of the audit trail. Collects every fault; see `FaultyQuery` for the cursor. */
export const parseTrailQuery = (list: TrailList, isExport: boolean, rawQuery: string): TrailOutcome => {
  const draft: Draft = { conditions: new Map() }
  const readers = trailReaders(list, isExport, draft)
  const reading = readPairs(rawQuery, readByName(readers))
  const { conditions, limit, cursor } = draft
  if (reading.faults.length === 0) return { query: { conditions, limit, cursor } }
  const corrected = correct(formatMeant(reading), (meant) => parseTrailQuery(list, isExport, meant))
  return { faults: reading.faults, corrected, cursor }
}

/** Returns a canonical text of the list and its conditions. A cursor is bound to it. */
export const formatSelection = ({ path }: TrailList, { conditions }: TrailQuery): string =>
  JSON.stringify([path, ...[...conditions].sort(([a], [b]) => (a < b ? -1 : 1))])
