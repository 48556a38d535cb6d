import { inTurn, type QueuedDb } from '../db/connect.ts'
import { ApiError } from '../errors.ts'
import { begunStream } from '../export/begun-stream.ts'
import { linesType } from '../export/json-lines.ts'
import type { ExportSource } from '../export/source.ts'
import { requireFraming } from '../http/require-framing.ts'
import type { Principal } from '../identity/principal.ts'
import { chooseResources } from '../identity/principals.ts'
import { toAccountName } from '../limits/address.ts'
import type { Concurrency } from '../limits/concurrency.ts'
import type { ResourceName } from '../records/resources/define.ts'
import { readDayAndWindow } from './day-and-window.ts'
import { longestStreamMs, streamEvents } from './events.ts'
import { readUntilChanged } from './long-poll.ts'
import { eventsType, jsonType } from './offer.ts'
import { createRequestParser, type FeedAsked, type FeedQuestion } from './parse-request.ts'
import { wholeState } from './query.ts'
import { type FeedPage, readChanges } from './read.ts'
import type { FeedAnswer, FeedRequest } from './request.ts'
import { openSnapshot } from './snapshot.ts'
import type { SyncToken, TokenCodec } from './token.ts'
import type { View } from './view.ts'
import type { Waiting, Watch } from './wait.ts'

export type Feed = {
  /** Throws invalid_query, invalid_sync_token, sync_token_expired. */
  parse(asked: FeedAsked): FeedQuestion
  /** Rejects with insufficient_scope, sync_token_expired, quota_exceeded, unavailable, overloaded. */
  answer(request: FeedRequest): Promise<FeedAnswer>
}

type Read = (token: SyncToken | undefined) => Promise<FeedPage>

type Deps = {
  db: QueuedDb
  tokens: TokenCodec
  waiting: Waiting
  concurrency: Concurrency
  publicUrl: string
  source: ExportSource
  today: () => string
  databaseNow: () => number
}

const eventsHead = ({ at }: FeedPage) => ({
  type: eventsType,
  headers: { 'data-as-of': at, 'x-accel-buffering': 'no' },
  isCompressed: true,
})

/** Creates the change feed, independent of the framework. */
export const createFeed = (deps: Deps): Feed => {
  const { db, tokens, waiting, concurrency, publicUrl, today, databaseNow } = deps

  const answerPage = ({ principal, countRows }: FeedRequest, page: FeedPage) => {
    countRows(page.changes.length)
    const info = { has_more: page.hasMore, next_token: tokens.encode(principal.customerId, page.token) }
    const body = Buffer.from(`{"data":[${page.changes.join(',')}],"page":${JSON.stringify(info)}}`)
    return { type: jsonType, body, headers: { 'data-as-of': page.at } }
  }

  const stateHeaders = (customerId: string, { token, at }: Pick<FeedPage, 'token' | 'at'>) => ({
    'sync-token': tokens.encode(customerId, token),
    'data-as-of': at,
  })

  const answerState = async (
    { principal, address, ending, countRows }: FeedRequest,
    resources: readonly ResourceName[],
    view: View | undefined,
  ): Promise<FeedAnswer> => {
    const { customerId } = principal
    await concurrency.hold(toAccountName(principal, address), 'exports', ending)
    const bindings = await inTurn(db, customerId, () => readDayAndWindow(db, customerId, today()))
    const snapshot = await openSnapshot(db, deps.source, { customerId, resources, bindings, view })
    const headers = stateHeaders(customerId, snapshot)
    return { type: linesType, body: await begunStream(snapshot.stream(countRows), ending), headers }
  }

  /** Runs `begin` with a watch, which counts as one of the customer's long polls. */
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

  const createJudge =
    ({ judgeAnew }: FeedRequest, resources: readonly ResourceName[]) =>
    async (): Promise<Principal> => {
      const principal = await judgeAnew()
      chooseResources(principal, resources)
      return principal
    }

  const streamMs = ({ principal: { expiresAtMs = Number.POSITIVE_INFINITY } }: FeedRequest): number =>
    Math.min(longestStreamMs, expiresAtMs - databaseNow())

  const answerEvents = async (
    request: FeedRequest,
    first: FeedPage,
    rest: Pick<Parameters<typeof streamEvents>[0], 'read' | 'watch' | 'judge'>,
  ) => {
    const format = (page: FeedPage) => ({
      body: answerPage(request, page).body.toString(),
      token: tokens.encode(request.principal.customerId, page.token),
    })
    const body = streamEvents({ first, format, ending: request.ending, ...rest })
    return { ...eventsHead(first), body }
  }

  return {
    parse: createRequestParser({ tokens, publicUrl }),
    async answer(request) {
      const { principal, isHead } = request
      const { customerId } = principal
      const isStream = request.type === eventsType
      const { query, token } = request.query
      const resources = chooseResources(principal, token?.resources ?? query.resources)
      const { limit, waitSeconds = 0, withFormer, view } = query
      // Each read waits for its own turn, so that no turn is held while a poll waits for changes.
      const read: Read = (from) =>
        inTurn(db, customerId, async () => {
          const bindings = await readDayAndWindow(db, customerId, today())
          return readChanges(db, { customerId, token: from, resources, bindings, limit, withFormer, view })
        })
      if (query.after === wholeState) {
        requireFraming(request.httpVersion)
        if (!isHead) return answerState(request, resources, view)
        return { type: linesType, body: undefined, headers: stateHeaders(customerId, await read(undefined)) }
      }
      if (isHead || (!isStream && waitSeconds === 0)) {
        const page = await read(token)
        return isStream ? { ...eventsHead(page), body: undefined } : answerPage(request, page)
      }
      const judge = createJudge(request, resources)
      const ms = isStream ? streamMs(request) : waitSeconds * 1000
      return watching(request, resources, ms, async (watch) => {
        // This check sees revocations before the watch, and later ones wake it.
        await judge()
        if (!isStream) return answerPage(request, await readUntilChanged(watch, read, token, judge))
        const judgeStream = async () => {
          // The watch ends at the old expiry of the access token.
          if ((await judge()).expiresAtMs !== principal.expiresAtMs) throw new ApiError('token_expired')
        }
        return answerEvents(request, await read(token), { read, watch, judge: judgeStream })
      })
    },
  }
}
