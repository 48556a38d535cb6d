import { ApiError, type Fault, invalidQuery } from '../errors.ts'
import { type FeedQuery, parseFeedQuery, resume, wholeState } from './query.ts'
import type { FeedRequest } from './request.ts'
import { foreignToken, type SyncToken, type TokenCodec } from './token.ts'

type Asked = Readonly<{
  query: FeedQuery
  /** Undefined: the client asks for the whole state, or for a token. */
  token: SyncToken | undefined
}>

const tokenFault = (detail: string): Fault => ({ parameter: 'after', code: 'invalid_value', detail })
const refuseToken = (detail: string) =>
  new ApiError('invalid_sync_token', { detail, errors: [tokenFault(detail)] })

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((name) => b.includes(name))

/**
 * Returns what reads a request of the feed: its query, and the token in it. That function throws invalid_query and
 * invalid_sync_token. `isStream`: the answer is to be a stream of events.
 */
export const createAskedReader = ({ tokens, publicUrl }: { tokens: TokenCodec; publicUrl: string }) => {
  const decode = (customerId: string, { after, resources, view }: FeedQuery): SyncToken | undefined => {
    if (after === undefined || after === wholeState) return undefined
    const token = tokens.decode(customerId, after)
    if (!token) throw refuseToken(foreignToken)
    if (resources && !isSame(resources, token.resources)) {
      throw refuseToken(`this token belongs to resources=${token.resources.join(',')}`)
    }
    if (view !== undefined && view !== token.view) {
      throw refuseToken(`this token belongs to ${token.view ?? 'whole records without a filter'}`)
    }
    return token
  }

  /** Whether the service answers a corrected query: its token is judged as if it had arrived. */
  const isAnswerable = (customerId: string, corrected: string): boolean => {
    const outcome = parseFeedQuery(corrected)
    try {
      if ('query' in outcome) decode(customerId, outcome.query)
      return 'query' in outcome
    } catch {
      return false
    }
  }

  const parse = ({ principal, rawQuery }: FeedRequest): FeedQuery => {
    const outcome = parseFeedQuery(rawQuery)
    if ('query' in outcome) return outcome.query
    const { faults, corrected, after } = outcome
    const isForeign =
      after !== undefined && after !== wholeState && !tokens.decode(principal.customerId, after)
    const isGood = corrected !== undefined && !isForeign && isAnswerable(principal.customerId, corrected)
    throw invalidQuery(
      isForeign ? [...faults, tokenFault(foreignToken)] : faults,
      isGood ? `${publicUrl}/v1/changes?${corrected}` : undefined,
    )
  }

  return (request: FeedRequest, isStream: boolean): Asked => {
    const asked = parse(request)
    const query = isStream ? resume(asked, request.lastEventId) : asked
    return { query, token: decode(request.principal.customerId, query) }
  }
}
