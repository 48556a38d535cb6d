import { formatPairs, joinList, type Pair } from '../../http/pairs.ts'
import {
  correct,
  defaultLimit,
  type FaultyQuery,
  formatMeant,
  formatReader,
  into,
  type ParameterReader,
  pageReaders,
  readByName,
  readPairs,
  single,
} from '../../lists/parameters.ts'
import { parseInstant } from '../../lists/values.ts'
import { resourcesReader } from '../../records/query/named-resources.ts'
import type { ResourceName } from '../../records/resources/define.ts'

export type HistoryQuery = Readonly<{
  /** In the order of `resourceNames`. `undefined`: all that the key may read. */
  resources: readonly ResourceName[] | undefined
  /** An instant in UTC with six decimals, or a day relative to today. `undefined`: all kept history. */
  since: string | undefined
  limit: number
  cursor: string | undefined
}>

export type HistoryOutcome = { query: HistoryQuery } | FaultyQuery

export type HistoryShape = 'record' | 'list'

type Draft = { -readonly [name in keyof HistoryQuery]?: HistoryQuery[name] }

const ofList = (draft: Draft): [string, ParameterReader][] => [
  ['resource', resourcesReader(draft)],
  ['since', single(parseInstant, into(draft, 'since', String))],
]

/** Returns the readers of the parameters, which write to `draft`. */
export const historyReaders = (draft: Draft, shape: HistoryShape): Map<string, ParameterReader> =>
  new Map([
    ...(shape === 'list' ? ofList(draft) : []),
    ...pageReaders(draft),
    ['format', formatReader(['json'])],
  ])

/** Parses the query of a history and reports every fault. */
export const parseHistoryQuery = (shape: HistoryShape, pairs: readonly Pair[]): HistoryOutcome => {
  const draft: Draft = {}
  const readers = historyReaders(draft, shape)
  const reading = readPairs(pairs, readByName(readers))
  const { resources, since, limit = defaultLimit, cursor } = draft
  if (reading.faults.length === 0) return { query: { resources, since, limit, cursor } }
  const corrected = correct(formatMeant(reading), (meant) => parseHistoryQuery(shape, meant))
  return { faults: reading.faults, corrected, position: cursor }
}

/** Formats equivalent queries as one text: `list` without the cursor, `selection` for cursors. */
export const formatHistoryQuery = ({ resources, since, limit }: HistoryQuery) => {
  const selection: [string, string][] = []
  if (resources) selection.push(['resource', joinList(resources)])
  if (since !== undefined) selection.push(['since', since])
  const list: [string, string][] =
    limit === defaultLimit ? selection : [...selection, ['limit', String(limit)]]
  return { selection: formatPairs(selection), list: formatPairs(list) }
}
