import { ApiError, type Fault, invalidQuery } from '../errors.ts'
import { type Pair, parsePairs } from '../http/pairs.ts'
import {
  correct,
  formatMeant,
  type PairReading,
  type PairsReading,
  readPairs,
  readValue,
  refuseUnknown,
} from '../records/query/parameters.ts'
import { defaultLimit, maxLimit } from '../records/query/query.ts'
import {
  formatReader,
  integerWithin,
  many,
  oneOfNames,
  type ParameterReader,
  single,
} from '../records/query/readers.ts'
import type { ResourceName } from '../records/resources/define.ts'
import { resourceNames, resources } from '../records/resources/index.ts'
import { isOfView, parseView, type View, viewNames } from './view.ts'

/** The value of `after` that asks for the whole state. */
export const wholeState = 'snapshot'
/** Seconds that a client may be kept waiting. */
export const maxWaitSeconds = 25

/** A query of the feed that was understood. */
export type FeedQuery = Readonly<{
  /** A sync token, `snapshot`, or undefined: from now. */
  after: string | undefined
  /** In one order, each once; undefined: all that the key may read, or the token's. */
  resources: readonly ResourceName[] | undefined
  limit: number
  /** Undefined: the client did not say. */
  waitSeconds: number | undefined
  /** Whether former values are told. */
  withFormer: boolean
  /** Which records, and which of their fields; undefined: all, or the token's. */
  view: View | undefined
}>

/** As with pages; `after` comes along because only the caller can judge whether it is genuine. */
export type FeedOutcome = { query: FeedQuery } | { faults: Fault[]; corrected?: string; after?: string }

type Draft = { -readonly [name in keyof FeedQuery]?: FeedQuery[name] }

/** The parameters by name; what they read goes to the draft. */
export const feedReaders = (draft: Draft): Map<string, ParameterReader> =>
  new Map([
    [
      'after',
      single(
        (value) => ({ value }),
        (value) => {
          draft.after = value
        },
      ),
    ],
    [
      'resources',
      many(oneOfNames(resourceNames, 'invalid_value', 'resources'), (names) => {
        draft.resources = resourceNames.filter((name) => names.includes(name))
      }),
    ],
    [
      'limit',
      single(integerWithin(1, maxLimit), (value) => {
        draft.limit = Number(value)
      }),
    ],
    [
      'wait',
      single(integerWithin(0, maxWaitSeconds), (value) => {
        draft.waitSeconds = Number(value)
      }),
    ],
    [
      'previous',
      single(
        (value) => (['true', 'false'].includes(value) ? { value } : { detail: 'expected true or false' }),
        (value) => {
          draft.withFormer = value === 'true'
        },
      ),
    ],
    ['format', formatReader(['json', 'ndjson'])],
  ])

/** What means nothing for a state that is streamed whole. */
const misplaced = ({ after, limit, waitSeconds, withFormer }: Draft): Fault[] => {
  if (after !== wholeState) return []
  // Defaults mean nothing here either, but generated clients send them.
  const given = [
    ...(limit === undefined || limit === defaultLimit ? [] : ['limit']),
    ...(waitSeconds ? ['wait'] : []),
    ...(withFormer ? ['previous'] : []),
  ]
  return given.map((parameter) => ({
    parameter,
    code: 'invalid_value',
    detail: `a snapshot has no pages and does not wait: leave ${parameter} out`,
  }))
}

/** Names that a query may have been meant to use. Filters are known once one resource is named. */
const listKnown = (rawQuery: string): readonly string[] => {
  const named = parsePairs(rawQuery).find(({ name }) => name === 'resources')?.value
  const one = resourceNames.find((name) => name === named)
  return [...feedReaders({}).keys(), ...(one ? viewNames(resources[one]) : [])]
}

/** Reads the feed's query string; every fault is found. Pure. */
export const parseFeedQuery = (rawQuery: string): FeedOutcome => {
  const draft: Draft = {}
  const readers = feedReaders(draft)
  const known = listKnown(rawQuery)
  // Which resource they are of is known only when all is read.
  const ofView: Pair[] = []
  const readPair = ({ name, value }: Pair): PairReading => {
    const reader = readers.get(name)
    if (!reader && isOfView(name)) {
      ofView.push({ name, value })
      return { faults: [], ...(value === undefined ? {} : { meant: [name, value] }) }
    }
    return reader
      ? readValue(name, reader, value)
      : refuseUnknown({ name, value }, { known, takesOperator: isOfView })
  }
  const reading = readPairs(rawQuery, readPair)
  const viewed = parseView(ofView, draft.resources)
  const viewFaults = 'faults' in viewed ? viewed.faults : []
  const others = misplaced(draft)
  const { after, resources, limit = defaultLimit, waitSeconds, withFormer = false } = draft
  if (reading.faults.length === 0 && others.length === 0 && 'view' in viewed) {
    return { query: { after, resources, limit, waitSeconds, withFormer, view: viewed.view } }
  }
  const corrected = others.length > 0 ? undefined : correct(meantOf(reading, viewed), parseFeedQuery)
  return {
    faults: [...reading.faults, ...others, ...viewFaults],
    ...(corrected === undefined ? {} : { corrected }),
    ...(after === undefined ? {} : { after }),
  }
}

const streamWaits: Fault = {
  parameter: 'wait',
  code: 'invalid_value',
  detail: 'a stream of events waits by itself: leave wait out',
}

/**
 * Returns the query of a stream of events, which goes on after the last event that the client has seen. Throws
 * invalid_query with `wait`, and invalid_sync_token where the event is none.
 */
export const resume = (query: FeedQuery, lastEventId: string | undefined): FeedQuery => {
  if (query.waitSeconds) throw invalidQuery([streamWaits], undefined)
  if (lastEventId === wholeState) throw new ApiError('invalid_sync_token', { detail: 'snapshot is no event' })
  const resumed = { ...query, waitSeconds: undefined }
  return lastEventId ? { ...resumed, after: lastEventId } : resumed
}

/** The query that was meant, as a query string; undefined: nobody knows. */
const meantOf = (reading: PairsReading, viewed: ReturnType<typeof parseView>): string | undefined => {
  if (!('faults' in viewed)) return formatMeant(reading)
  if (viewed.corrected === undefined) return undefined
  const meant = formatMeant({
    ...reading,
    meant: reading.meant.filter((pair) => !pair || !isOfView(pair[0])),
  })
  return meant === undefined ? undefined : [meant, viewed.corrected].filter(Boolean).join('&')
}
