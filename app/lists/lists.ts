import type { Filled } from '../cache/entry.ts'
import type { ReadResult } from '../cache/freshness.ts'
import type { ReadThrough } from '../cache/read-through.ts'
import type { QueuedDb } from '../db/connect.ts'
import { ApiError, type Fault, invalidQuery } from '../errors.ts'
import { typeByFormat } from '../http/negotiation.ts'
import { createQueryString, type QueryString } from '../http/pairs.ts'
import { requirePresent, type WrittenPage } from './answer.ts'
import { type CursorCodec, toCursorFault, withCursor } from './cursor.ts'
import type { FaultyQuery } from './parameters.ts'

/** How the query of an address is read. */
export type Grammar<Query> = Readonly<{
  /**
   * Parses a query, also a corrected one, and reports every fault. `type`: the media type of the answer, because an
   * export has other parameters than a page.
   */
  parse(query: QueryString, type: string): { query: Query } | FaultyQuery
  /** The absolute address, without a query. */
  address: string
  /** Returns a fault if the service has not issued this position to the customer. */
  checkPosition(position: string): Fault | undefined
  /** Whether a request with the corrected query would be answered. */
  isAnswerable(query: Query): boolean
}>

/** Parses a query. Throws invalid_query with all faults, and with a corrected address if it would be answered. */
export const requireQuery = <Query>(
  { parse, address, checkPosition, isAnswerable }: Grammar<Query>,
  asked: QueryString,
  type: string,
): Query => {
  const outcome = parse(asked, type)
  if ('query' in outcome) return outcome.query
  const { faults, corrected, position } = outcome
  const foreign = position === undefined ? undefined : checkPosition(position)
  if (foreign) throw invalidQuery([...faults, foreign], undefined)
  if (corrected === undefined) throw invalidQuery(faults, undefined)
  const again = createQueryString(corrected)
  const outcomeAgain = parse(again, typeByFormat(again) ?? type)
  const isGood = 'query' in outcomeAgain && isAnswerable(outcomeAgain.query)
  throw invalidQuery(faults, isGood ? `${address}?${corrected}` : undefined)
}

/** The canonical form of a query, and its page. */
export type Selection = Readonly<{
  /** The filters and the order. A cursor is bound to this text. */
  selection: string
  /** The query string without the cursor, for the next page. */
  list: string
  limit: number
  cursor: string | undefined
}>

/** One list of a customer, as a caller describes it. A single record is described, too: it has no cursor. */
export type ListOf<Query> = Readonly<{
  customerId: string
  /** The canonical path, from `/v1/` on. */
  path: string
  parse: Grammar<Query>['parse']
  select(query: Query): Selection
  /** Defaults to true. The cursor is checked in any case. */
  isAnswerable?(query: Query): boolean
}>

/** The rows of a page, as its statement returns them. */
export type PageRows = Readonly<{
  /** A JSON array without the row that is beyond the page. */
  data: string
  /** `limit + 1` if another page exists. */
  found: number
  /** The texts for the cursor of the next page, in an array of one. Null if the page is not full. */
  last: readonly (readonly string[])[] | null
}>

export type OpenPage = Readonly<{
  /** The texts in the cursor. `undefined` on the first page. */
  after: readonly string[] | undefined
  /** Writes the answer. `details`: further members of `page`. `more`: JSON of further members of the answer. */
  write(rows: PageRows, details?: object, more?: string): WrittenPage
}>

type CachedRead = Readonly<{
  customerId: string
  /** Without the customer. It must contain everything that the answer depends on, except for the records. */
  key: string
  /** Names in the change log that invalidate the answer. */
  dependsOn: readonly string[]
  /** The answer must include every commit before the request. */
  noCache: boolean
  /** Runs the statement on the primary or a standby. */
  fill(source: QueuedDb): Promise<Filled>
  /** The detail of 404, if the answer may be absent. */
  absent?: string
}>

/** The protocol of a list, which each list completes with its grammar, its selection and its statement. */
export type Lists = Readonly<{
  /** See `requireQuery`. A correction is proposed only if its cursor is valid. */
  parse<Query>(list: ListOf<Query>, asked: QueryString, type: string): Query
  /** Opens the page that the query asks for. Throws invalid_cursor. */
  open<Query>(list: ListOf<Query>, query: Query): OpenPage
  /** Reads through the cache. Throws or rejects with not_found; rejects with overloaded or unavailable. */
  read(request: CachedRead): ReadResult | Promise<ReadResult>
}>

export type ListsDeps = Readonly<{
  db: QueuedDb
  replica?: QueuedDb | undefined
  cache: ReadThrough
  cursors: CursorCodec
  /** An origin. */
  publicUrl: string
}>

/** Creates the protocol for the lists of a service. It holds no state of a list. */
export const createLists = ({ db, replica, cache, cursors, publicUrl }: ListsDeps): Lists => ({
  parse({ customerId, path, parse, select, isAnswerable }, asked, type) {
    const checkPosition = (cursor: string) =>
      cursors.isGenuine(customerId, cursor) ? undefined : toCursorFault()
    const hasValidCursor = ({ selection, cursor }: Selection) =>
      cursor === undefined || 'keys' in cursors.decode(customerId, selection, cursor)
    const grammar = {
      parse,
      address: publicUrl + path,
      checkPosition,
      isAnswerable: (query: Parameters<typeof select>[0]) =>
        (isAnswerable?.(query) ?? true) && hasValidCursor(select(query)),
    }
    return requireQuery(grammar, asked, type)
  },
  open({ customerId, path, select }, query) {
    const { selection, list, limit, cursor } = select(query)
    const decoded = cursor === undefined ? undefined : cursors.decode(customerId, selection, cursor)
    if (decoded && 'detail' in decoded) {
      const { detail } = decoded
      throw new ApiError('invalid_cursor', { detail, errors: [toCursorFault(detail)] })
    }
    return {
      after: decoded?.keys,
      write({ data, found, last }, details = {}, more = '') {
        const keys = found > limit ? last?.[0] : undefined
        const nextCursor = keys && cursors.encode(customerId, selection, keys)
        const page = {
          limit,
          has_more: nextCursor !== undefined,
          next_cursor: nextCursor ?? null,
          ...details,
        }
        return {
          json: `{"data":${data},"page":${JSON.stringify(page)}${more}}`,
          rows: Math.min(found, limit),
          next: nextCursor && `${path}?${withCursor(list, nextCursor)}`,
        }
      },
    }
  },
  read({ customerId, key, dependsOn, noCache, fill, absent }) {
    const answer = cache.read({
      customerId,
      key,
      dependsOn,
      noCache,
      fill: () => fill(db),
      fillFromReplica: replica && (() => fill(replica)),
    })
    return requirePresent(answer, absent)
  },
})
