import { ApiError, type Fault, invalidQuery } from '../../errors.ts'
import type { Pair } from '../../http/pairs.ts'
import {
  correct,
  defaultLimit,
  type FaultyQuery,
  formatMeant,
  formatReader,
  integerWithin,
  into,
  maxLimit,
  type PairReading,
  type PairsReading,
  type ParameterReader,
  readPairs,
  readUnknown,
  readValue,
  single,
} from '../../lists/parameters.ts'
import { parseBoolean } from '../../lists/values.ts'
import { resourcesReader } from '../../records/query/named-resources.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { resourceNames, resources } from '../../records/resources/index.ts'
import type { View } from './token.ts'
import { isOfView, parseView, viewNames } from './view.ts'

export const wholeState = 'snapshot'
export const maxWaitSeconds = 25

export type FeedQuery = Readonly<{
  /** A sync token or `wholeState`. `undefined`: create a token for the changes from now on. */
  after: string | undefined
  /** A sync token that replaces `after`. Only in a stream of events, from polyfills of EventSource. */
  lastEventId?: string | undefined
  /** `undefined`: the token's resources, or all that the key may read. */
  resources: readonly ResourceName[] | undefined
  limit: number
  waitSeconds: number | undefined
  withFormer: boolean
  /** `undefined`: the token's view, or all records with all fields. */
  view: View | undefined
}>

type FeedOutcome = { query: FeedQuery } | FaultyQuery

type Draft = { -readonly [name in keyof FeedQuery]?: FeedQuery[name] }

/** Creates the readers of parameters by name. They write to `draft`. */
export const feedReaders = (draft: Draft): Map<string, ParameterReader> =>
  new Map([
    ['after', single((value) => ({ value }), into(draft, 'after', String))],
    ['lastEventId', single((value) => ({ value }), into(draft, 'lastEventId', String))],
    ['resources', resourcesReader(draft)],
    ['limit', single(integerWithin(1, maxLimit), into(draft, 'limit', Number))],
    ['wait', single(integerWithin(0, maxWaitSeconds), into(draft, 'waitSeconds', Number))],
    [
      'previous',
      single(
        parseBoolean,
        into(draft, 'withFormer', (value) => value === 'true'),
      ),
    ],
    ['format', formatReader(['json', 'ndjson'])],
  ])

const misplaced = ({ after, limit, waitSeconds, withFormer }: Draft): Fault[] => {
  if (after !== wholeState) return []
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

const listKnown = (pairs: readonly Pair[]): readonly string[] => {
  const named = pairs.find(({ name }) => name === 'resources')?.value
  const one = resourceNames.find((name) => name === named)
  return [...feedReaders({}).keys(), ...(one ? viewNames(resources[one]) : [])]
}

/** Parses the feed's query and reports every fault. Pure. */
export const parseFeedQuery = (pairs: readonly Pair[]): FeedOutcome => {
  const draft: Draft = {}
  const readers = feedReaders(draft)
  const known = listKnown(pairs)
  // The resource of filters is known only after all parameters.
  const ofView: Pair[] = []
  const readPair = ({ name, value }: Pair): PairReading => {
    const reader = readers.get(name)
    if (!reader && isOfView(name)) {
      ofView.push({ name, value })
      return { faults: [], ...(value === undefined ? {} : { meant: [name, value] }) }
    }
    return reader
      ? readValue(name, reader, value)
      : readUnknown({ name, value }, { known, takesOperator: isOfView })
  }
  const reading = readPairs(pairs, readPair)
  const viewed = parseView(ofView, draft.resources)
  const viewFaults = 'faults' in viewed ? viewed.faults : []
  const others = misplaced(draft)
  const { after, lastEventId, resources, limit = defaultLimit, waitSeconds, withFormer = false } = draft
  if (reading.faults.length === 0 && others.length === 0 && 'view' in viewed) {
    return {
      query: { after, lastEventId, resources, limit, waitSeconds, withFormer, view: viewed.view },
    }
  }
  const corrected =
    others.length > 0 ? undefined : correct(suggestCorrection(reading, viewed), parseFeedQuery)
  return {
    faults: [...reading.faults, ...others, ...viewFaults],
    corrected,
    position: after === wholeState ? undefined : after,
  }
}

const streamWaits: Fault = {
  parameter: 'wait',
  code: 'invalid_value',
  detail: 'a stream of events waits by itself: leave wait out',
}

const onlyOfStreams: Fault = {
  parameter: 'lastEventId',
  code: 'invalid_value',
  detail: 'only a stream of events has lastEventId: send after instead, or Accept: text/event-stream',
}

/** Returns the query of a page. Throws invalid_query if it has a parameter of streams. */
export const requirePage = (query: FeedQuery): FeedQuery => {
  if (query.lastEventId !== undefined) throw invalidQuery([onlyOfStreams], undefined)
  return query
}

/**
 * Returns the query of an event stream, which continues after the last event. The header `Last-Event-ID` overrides
 * the parameter. Throws invalid_query, invalid_sync_token.
 */
export const resume = (query: FeedQuery, header: string | undefined): FeedQuery => {
  const lastEventId = header || query.lastEventId
  if (query.waitSeconds) throw invalidQuery([streamWaits], undefined)
  if (lastEventId === wholeState)
    throw new ApiError('invalid_sync_token', { detail: 'snapshot is not the id of an event' })
  const resumed = { ...query, waitSeconds: undefined }
  return lastEventId ? { ...resumed, after: lastEventId } : resumed
}

const suggestCorrection = (
  reading: PairsReading,
  viewed: ReturnType<typeof parseView>,
): string | undefined => {
  if (!('faults' in viewed)) return formatMeant(reading)
  if (viewed.corrected === undefined) return undefined
  const meant = formatMeant({
    ...reading,
    meant: reading.meant.filter((pair) => !pair || !isOfView(pair[0])),
  })
  return meant === undefined ? undefined : [meant, viewed.corrected].filter(Boolean).join('&')
}
