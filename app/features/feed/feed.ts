import type { Readable } from 'node:stream'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import { ApiError } from '../../errors.ts'
import { begunStream } from '../../export/begun-stream.ts'
import type { LiveAnswer } from '../../export/exports.ts'
import { linesType } from '../../export/json-lines.ts'
import type { ExportSource } from '../../export/source.ts'
import { jsonType } from '../../http/formats.ts'
import { requireFraming } from '../../http/require-framing.ts'
import { chooseResources } from '../../identity/rights.ts'
import { toAccountName } from '../../limits/address.ts'
import type { Concurrency } from '../../limits/concurrency.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { readDayAndWindow } from './epoch.ts'
import { longestStreamMs, streamEvents } from './events.ts'
import { readUntilChanged } from './long-poll.ts'
import { wholeState } from './query.ts'
import { type FeedPage, readChanges } from './read.ts'
import {
  createRequestParser,
  eventsType,
  type FeedRequest,
  type ParsedFeedQuery,
  type RawFeedRequest,
} from './request.ts'
import { openSnapshot } from './snapshot.ts'
import type { SyncToken, TokenCodec, View } from './token.ts'
import { type ProveEmpty, toEmptyPage } from './unchanged.ts'
import type { Waiting, Watch } from './wait.ts'

export type Feed = {
  /** Throws invalid_query, invalid_sync_token, sync_token_expired. */
  parse(request: RawFeedRequest): ParsedFeedQuery
  /** Rejects with insufficient_scope, sync_token_expired, quota_exceeded, 503, 505, or like `reauthorize`. */
  answer(request: FeedRequest): Promise<LiveAnswer>
}

type Deps = {
  db: QueuedDb
  tokens: TokenCodec
  waiting: Waiting
  concurrency: Concurrency
  publicUrl: string
  source: ExportSource
  proveEmpty: ProveEmpty
  today: () => string
  databaseNow: () => number
}

/** Creates the change feed, independent of the framework. */
export const createFeed = (deps: Deps): Feed => {
  const { db, tokens, waiting, concurrency, publicUrl, proveEmpty, today, databaseNow } = deps

  const format = (request: FeedRequest, { changes, hasMore, token }: FeedPage) => {
    const { principal, query: asked, countRows } = request
    countRows(changes.length)
    // Encoding takes 50 µs, and most pages keep the token.
    const kept = token === asked.token ? asked.query.after : undefined
    const next = kept ?? tokens.encode(principal.customerId, token)
    const info = { has_more: hasMore, next_token: next }
    return { token: next, body: `{"data":[${changes.join(',')}],"page":${JSON.stringify(info)}}` }
  }

  const answerPage = (request: FeedRequest, page: FeedPage): LiveAnswer => {
    const body = Buffer.from(format(request, page).body)
    return { type: jsonType, body, headers: { 'data-as-of': page.at } }
  }

  const answerEvents = ({ at }: FeedPage, body: Readable | undefined): LiveAnswer => {
    const headers = { 'data-as-of': at, 'x-accel-buffering': 'no' }
    return { type: eventsType, body, headers, isCompressed: true }
  }

  const answerState = async (
    { principal, address, ending, countRows, isHead, httpVersion }: FeedRequest,
    resources: readonly ResourceName[],
    view: View | undefined,
    read: (token: undefined) => Promise<FeedPage>,
  ): Promise<LiveAnswer> => {
    const { customerId } = principal
    const answer = ({ token, at }: Pick<FeedPage, 'token' | 'at'>, body: Readable | undefined) => {
      const headers = { 'sync-token': tokens.encode(customerId, token), 'data-as-of': at }
      return { type: linesType, body, headers }
    }
    requireFraming(httpVersion)
    if (isHead) return answer(await read(undefined), undefined)
    await concurrency.hold(toAccountName(principal, address), 'exports', ending)
    const bindings = await inTurn(db, customerId, () => readDayAndWindow(db, customerId, today()))
    const snapshot = await openSnapshot(db, deps.source, { customerId, resources, bindings, view })
    return answer(snapshot, await begunStream(snapshot.stream(countRows), ending))
  }

  /** Counts as a long poll until the response ends. Ends the watch only if `begin` rejects. */
  const watching = async <T>(
    { principal, address, ending }: FeedRequest,
    resources: readonly ResourceName[],
    ms: number,
    begin: (watch: Watch) => Promise<T>,
  ): Promise<T> => {
    await concurrency.hold(toAccountName(principal, address), 'long_polls', ending)
    const watch = waiting.watch(principal.customerId, resources, ms, ending)
    return begin(watch).catch((error: unknown) => {
      watch.end()
      throw error
    })
  }

  return {
    parse: createRequestParser({ tokens, publicUrl }),
    async answer(request) {
      const { principal, isHead, ending, noCache } = request
      const { customerId, expiresAtMs = Number.POSITIVE_INFINITY } = principal
      const isStream = request.type === eventsType
      const { query, token } = request.query
      const resources = chooseResources(principal, token?.resources ?? query.resources)
      const { limit, waitSeconds = 0, withFormer, view } = query
      // Each read waits for its own turn, so that no turn is held while a poll waits for changes.
      const readInTurn = (from: SyncToken | undefined) =>
        inTurn(db, customerId, () =>
          readChanges(db, { customerId, token: from, resources, day: today(), limit, withFormer, view }),
        )
      const read = async (from: SyncToken | undefined) => {
        const proof = from && (await proveEmpty({ customerId, token: from, noCache }))
        return from && proof ? toEmptyPage(from, proof) : readInTurn(from)
      }
      if (query.after === wholeState) return answerState(request, resources, view, readInTurn)
      if (isHead || (!isStream && waitSeconds === 0)) {
        const page = await read(token)
        return isStream ? answerEvents(page, undefined) : answerPage(request, page)
      }
      const ms = isStream ? Math.min(longestStreamMs, expiresAtMs - databaseNow()) : waitSeconds * 1000
      return watching(request, resources, ms, async (watch) => {
        const checkRights = async () => {
          const current = await request.reauthorize()
          chooseResources(current, resources)
          // The watch ends at the old expiry. A running stream ends without this error.
          if (isStream && current.expiresAtMs !== principal.expiresAtMs) throw new ApiError('token_expired')
        }
        // Sees earlier revocations. Later ones wake the watch (`rights`, `unknown`), which repeats this check.
        await checkRights()
        if (!isStream) return answerPage(request, await readUntilChanged(watch, read, token, checkRights))
        const first = await read(token)
        const options = { first, read, watch, checkRights, ending, format: format.bind(null, request) }
        return answerEvents(first, streamEvents(options))
      })
    },
  }
}
