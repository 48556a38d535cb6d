import { formatPairs, type Pair } from '../../http/pairs.ts'
import {
  correct,
  type FaultyQuery,
  faulty,
  formatMeant,
  formatReader,
  many,
  oneOfNames,
  type ParameterReader,
  pageReaders,
  readByName,
  readPairs,
  single,
} from '../../lists/parameters.ts'
import { type Parsed, parseInstant, parseNonEmptyText } from '../../lists/values.ts'
import { type EntryFilter, entryFilters } from './entries.ts'

export type TrailQuery = Readonly<{
  conditions: ReadonlyMap<string, readonly string[]>
  /** If `undefined`, a page has 50 entries, and an export all of them. */
  limit: number | undefined
  cursor: string | undefined
  /** The query string without the cursor. */
  list: string
}>

type Draft = { conditions: Map<string, readonly string[]>; limit?: number; cursor?: string }

type TrailOutcome = { query: TrailQuery } | FaultyQuery

const formats = ['json', 'ndjson']

const parseNumber = (text: string): Parsed =>
  /^(0|[1-9]\d{0,14})$/.test(text) ? { value: text } : { detail: 'expected the number of an entry' }

const filterReader = (
  { kind, values }: EntryFilter,
  name: string,
  take: (values: string[]) => void,
): ParameterReader => {
  if (kind === 'instant') return single(parseInstant, (value) => take([value]))
  if (kind === 'number') return single(parseNumber, (value) => take([value]))
  return many(values ? oneOfNames(values, 'invalid_value', name) : parseNonEmptyText, take)
}

const noPages = () => faulty('invalid_value', 'an export has no pages: leave cursor out')

/** Returns the parameter readers by name. They store values in `draft`. */
export const trailReaders = (
  isExport: boolean,
  draft: Draft = { conditions: new Map() },
): Map<string, ParameterReader> => {
  const filters = Object.entries(entryFilters).map(
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

/** As the client wrote it: another order or spelling is another list, which is not cached. */
const formatList = (pairs: readonly Pair[]): string =>
  formatPairs(pairs.flatMap(({ name, value = '' }) => (name === 'cursor' ? [] : [[name, value] as const])))

/** Parses a customer's query of the audit trail. Collects every fault; see `FaultyQuery` for the cursor. */
export const parseTrailQuery = (isExport: boolean, pairs: readonly Pair[]): TrailOutcome => {
  const draft: Draft = { conditions: new Map() }
  const readers = trailReaders(isExport, draft)
  const reading = readPairs(pairs, readByName(readers))
  const { conditions, limit, cursor } = draft
  if (reading.faults.length === 0) return { query: { conditions, limit, cursor, list: formatList(pairs) } }
  const corrected = correct(formatMeant(reading), (meant) => parseTrailQuery(isExport, meant))
  return { faults: reading.faults, corrected, position: cursor }
}

/** Returns a canonical text of the conditions. A cursor is bound to it. */
export const formatSelection = ({ conditions }: TrailQuery): string =>
  JSON.stringify(['audit', ...[...conditions].sort(([a], [b]) => (a < b ? -1 : 1))])
