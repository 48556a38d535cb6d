import { ApiError, type Fault } from '../../errors.ts'
import { type ExportRequest, exportCost } from '../../export/exports.ts'
import { linesType } from '../../export/json-lines.ts'
import { jsonType } from '../../http/formats.ts'
import type { QueryString } from '../../http/pairs.ts'
import type { Principal } from '../../identity/principal.ts'
import { requireQuery } from '../../lists/lists.ts'
import { resourceNames } from '../../records/resources/index.ts'
import { type FeedQuery, parseFeedQuery, requirePage, resume, wholeState } from './query.ts'
import { expireToken, foreignToken, type SyncToken, type TokenCodec } from './token.ts'

/** The media type of server-sent events (HTML Standard, section 9.2). */
export const eventsType = 'text/event-stream'

const isForState = ({ pairs }: QueryString): boolean =>
  pairs.some(({ name, value }) => name === 'after' && value === wholeState)

/** NDJSON for the whole state, otherwise a page as JSON or a stream of events. */
export const offeredTypes = (rawQuery: QueryString): readonly string[] =>
  isForState(rawQuery) ? [linesType] : [jsonType, eventsType]

/** The cost in the quota `minute`: the whole state costs as much as an export. */
export const feedCost = (rawQuery: QueryString): number => (isForState(rawQuery) ? exportCost : 1)

export type RawFeedRequest = Readonly<{
  principal: Pick<Principal, 'customerId'>
  rawQuery: QueryString
  type?: string
  /** The header `Last-Event-ID`: a sync token that replaces `after` in a stream of events. */
  lastEventId?: string | undefined
}>

export type ParsedFeedQuery = Readonly<{
  query: FeedQuery
  /** `undefined` for the whole state or a new token. */
  token: SyncToken | undefined
}>

export type FeedRequest = Omit<ExportRequest, 'type'> &
  Readonly<{
    query: ParsedFeedQuery
    type?: string
    /** An answer without the database waits for a poll of the change log that starts after the request. */
    noCache: boolean
    /** Authorizes the request again. Rejects like a new request. */
    reauthorize: () => Promise<Principal>
  }>

const tokenFault = (detail: string): Fault => ({ parameter: 'after', code: 'invalid_value', detail })
const invalidSyncToken = (detail: string) =>
  new ApiError('invalid_sync_token', { detail, errors: [tokenFault(detail)] })

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((name) => b.includes(name))

/** Creates the parser of feed requests. It throws invalid_query, invalid_sync_token, sync_token_expired. */
export const createRequestParser = ({
  tokens,
  publicUrl,
}: {
  tokens: TokenCodec
  publicUrl: string
}): ((request: RawFeedRequest) => ParsedFeedQuery) => {
  const decode = (customerId: string, { after, resources, view }: FeedQuery): SyncToken | undefined => {
    if (after === undefined || after === wholeState) return undefined
    const token = tokens.decode(customerId, after)
    if (!token) throw invalidSyncToken(foreignToken)
    if (!token.resources.every((name) => resourceNames.includes(name))) {
      throw expireToken('a resource of this token no longer exists')
    }
    if (resources && !isSame(resources, token.resources)) {
      throw invalidSyncToken(`this token belongs to resources=${token.resources.join(',')}`)
    }
    if (view !== undefined && view !== token.view) {
      throw invalidSyncToken(`this token belongs to ${token.view ?? 'whole records without a filter'}`)
    }
    return token
  }

  const read = (request: RawFeedRequest, asked: FeedQuery): ParsedFeedQuery => {
    const query = request.type === eventsType ? resume(asked, request.lastEventId) : requirePage(asked)
    return { query, token: decode(request.principal.customerId, query) }
  }

  return (request) => {
    const { customerId } = request.principal
    const { type = jsonType } = request
    const isAnswerable = (query: FeedQuery): boolean => {
      try {
        read(request, query)
        return true
      } catch {
        return false
      }
    }
    const query = requireQuery(
      {
        parse: ({ pairs }) => parseFeedQuery(pairs),
        address: `${publicUrl}/v1/changes`,
        checkPosition: (token) => (tokens.decode(customerId, token) ? undefined : tokenFault(foreignToken)),
        isAnswerable,
      },
      request.rawQuery,
      type,
    )
    return read(request, query)
  }
}
