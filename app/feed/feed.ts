import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { inTurn } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import { ApiError, type Fault } from '../errors.ts'
import { begunStream } from '../export/begun-stream.ts'
import { linesType } from '../export/json-lines.ts'
import type { ExportSource } from '../export/source.ts'
import type { Principal } from '../identity/principal.ts'
import { accountOf } from '../limits/address.ts'
import type { Concurrency, Ending } from '../limits/concurrency.ts'
import type { ResourceName } from '../records/resources/define.ts'
import { resourceNames } from '../records/resources/index.ts'
import { jsonType } from './offer.ts'
import { type FeedQuery, parseFeedQuery, wholeState } from './query.ts'
import { type FeedPage, readChanges } from './read.ts'
import { openSnapshot } from './snapshot.ts'
import { type DayAndWindow, foreignToken, type SyncToken, type TokenCodec } from './token.ts'
import type { View } from './view.ts'
import type { Waiting } from './wait.ts'

export type FeedRequest = Readonly<{
  principal: Principal
  rawQuery: string
  /** Headers only are asked for: no waiting. */
  isHead: boolean
  /** The client's address. */
  address: string
  /** The answer's end, or its client's. */
  ending: Ending
  /** Told of records as they go out, for the audit trail. */
  countRows: (rows: number) => void
}>

/** What is answered: bytes of JSON, or lines to come. */
export type FeedAnswer = Readonly<{
  type: string
  body: Buffer | Readable
  headers: Readonly<Record<string, string>>
}>

export type Feed = {
  /** Rejects with invalid_query, insufficient_scope, invalid_sync_token, sync_token_expired, quota_exceeded. */
  answer(request: FeedRequest): Promise<FeedAnswer>
}

type Deps = {
  db: Db
  tokens: TokenCodec
  waiting: Waiting
  concurrency: Concurrency
  publicUrl: string
  /** Connections for whole states. */
  source: ExportSource
  /** The UTC date by the database's clock, YYYY-MM-DD. */
  today: () => string
  /** Throws insufficient_scope. */
  requireScope: (principal: Principal, scope: string) => void
}

const tokenFault = (detail: string): Fault => ({ parameter: 'after', code: 'invalid_value', detail })
const refuseToken = (detail: string) =>
  new ApiError('invalid_sync_token', { detail, errors: [tokenFault(detail)] })

const mayRead = ({ scopes }: Principal, name: ResourceName) => scopes?.has(`${name}:read`) ?? true

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((name) => b.includes(name))

/** The change feed without a framework: query → scopes → token → what changed, at once or when it comes. */
export const createFeed = (deps: Deps): Feed => {
  const { db, tokens, waiting, concurrency, publicUrl, today, requireScope } = deps

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
    throw new ApiError('invalid_query', {
      errors: isForeign ? [...faults, tokenFault(foreignToken)] : faults,
      ...(!isGood ? {} : { try: `${publicUrl}/v1/changes?${corrected}` }),
    })
  }

  const resolveResources = (
    principal: Principal,
    asked: readonly ResourceName[] | undefined,
  ): readonly ResourceName[] => {
    const wanted = asked ?? resourceNames.filter((name) => mayRead(principal, name))
    for (const name of wanted.length > 0 ? wanted : resourceNames) requireScope(principal, `${name}:read`)
    return wanted
  }

  /** The setting as it is now: what the principal says may be half a second old, and `moment` is a promise. */
  const momentOf = async ({ customerId, expiringWithin }: Principal): Promise<DayAndWindow> => {
    const { rows } = await sql<{ window: number }>`
      select expiring_within as "window" from find_customer(${customerId})`.execute(db)
    return { day: today(), window: rows[0]?.window ?? expiringWithin }
  }

  const answerPage = (customerId: string, page: FeedPage, token = page.token): FeedAnswer => {
    const info = { has_more: page.hasMore, next_token: tokens.encode(customerId, token) }
    const body = Buffer.from(`{"data":[${page.changes.join(',')}],"page":${JSON.stringify(info)}}`)
    return { type: jsonType, body, headers: { 'data-as-of': page.at } }
  }

  const answerState = async (
    { principal, address, ending, isHead, countRows }: FeedRequest,
    resources: readonly ResourceName[],
    view: View | undefined,
  ): Promise<FeedAnswer> => {
    const { customerId } = principal
    await concurrency.hold(accountOf(principal, address), 'exports', ending)
    const bindings = await inTurn(db, customerId, () => momentOf(principal))
    const snapshot = await openSnapshot(db, deps.source, { customerId, resources, bindings, view })
    const headers = {
      'sync-token': tokens.encode(customerId, snapshot.token),
      'data-as-of': snapshot.at,
    }
    if (isHead) {
      await snapshot.close()
      return { type: linesType, body: Buffer.alloc(0), headers }
    }
    return { type: linesType, body: await begunStream(snapshot.stream(countRows), ending), headers }
  }

  /** Reads until there is something, or no more reason to wait. */
  const readPatiently = async (
    request: FeedRequest,
    query: FeedQuery,
    read: (token: SyncToken | undefined) => Promise<FeedPage>,
    token: SyncToken | undefined,
    resources: readonly ResourceName[],
  ): Promise<FeedPage> => {
    const { principal, address, ending, isHead } = request
    if (query.waitSeconds === 0 || isHead) return read(token)
    const { customerId } = principal
    await concurrency.hold(accountOf(principal, address), 'long_polls', ending)
    const watch = waiting.watch(customerId, resources, query.waitSeconds * 1000, ending)
    try {
      let page = await read(token)
      while (page.changes.length === 0 && !page.hasMore) {
        const wake = await watch.next()
        // The same token: what was answered to the request is what it asked with.
        if (wake === 'closing') return { ...page, token: token ?? page.token }
        if (wake === 'gone' || wake === 'rights') return page
        page = await read(page.token)
        if (wake === 'time') return page
      }
      return page
    } finally {
      watch.end()
    }
  }

  return {
    async answer(request) {
      const { principal } = request
      const { customerId } = principal
      const query = parse(request)
      const token = decode(customerId, query)
      const resources = resolveResources(principal, token?.resources ?? query.resources)
      if (query.after === wholeState) return answerState(request, resources, query.view)
      const { limit, withFormer } = query
      // A turn for each read: a poll that waits for changes holds none.
      const read = (from: SyncToken | undefined) =>
        inTurn(db, customerId, async () => {
          const bindings = await momentOf(principal)
          return readChanges(db, {
            customerId,
            token: from,
            resources,
            bindings,
            limit,
            withFormer,
            view: query.view,
          })
        })
      return answerPage(customerId, await readPatiently(request, query, read, token, resources))
    },
  }
}
