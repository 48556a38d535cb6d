import type { Filled } from '../../cache/entry.ts'
import type { ReadResult } from '../../cache/freshness.ts'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import type { Principal } from '../../identity/principal.ts'
import { chooseResources, listReadable } from '../../identity/rights.ts'
import { isId, notFound, requirePresent } from '../present.ts'
import { withCursor } from '../query/canonical.ts'
import { isOfSelection, readCursor, refuseQuery } from '../query/cursor.ts'
import { historyChanges } from '../query/prepare.ts'
import { resolveInstant } from '../query/values.ts'
import type { ReadDeps } from '../records.ts'
import type { Resource } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { type EncodeCursor, filled, nextCursor } from '../sql/read.ts'
import { listHistory } from './list-statement.ts'
import { formatHistoryQuery, type HistoryQuery, parseHistoryQuery } from './query.ts'
import { type HistoryRow, recordHistory } from './record-statement.ts'
import { historyVersion } from './version.ts'

type HistorySubject = Readonly<{
  principal: Principal
  /** Optional. By default the history of all records. */
  record?: Readonly<{ resource: Resource; id: string }>
}>

export type HistoryRequest = HistorySubject & Readonly<{ query: HistoryQuery; noCache: boolean }>

export type RecordHistories = {
  /** Throws invalid_query. */
  parse(request: HistorySubject & Readonly<{ rawQuery: string }>): HistoryQuery
  /** Throws or rejects with invalid_cursor, insufficient_scope, not_found, overloaded, unavailable. */
  answer(request: HistoryRequest): ReadResult | Promise<ReadResult>
}

const toPath = ({ record }: HistorySubject): string =>
  record ? `/v1/${record.resource.name}/${encodeURIComponent(record.id)}/history` : '/v1/history'

/** The text that a cursor is bound to. */
const toSelection = ({ principal, record }: HistorySubject, query: HistoryQuery): string =>
  record
    ? `${record.resource.name}/${record.id}/history`
    : `history?${formatHistoryQuery(query).selection} ${(query.resources ?? listReadable(principal)).join()}`

const isReadable = (principal: Principal, { resources }: HistoryQuery): boolean => {
  const readable = listReadable(principal)
  return readable.length > 0 && (resources?.every((name) => readable.includes(name)) ?? true)
}

const toFilled = (
  row: HistoryRow,
  limit: number,
  encode: EncodeCursor,
  toNext: (cursor: string) => string,
): Filled => {
  if (!row.known) return filled(row, undefined, 0)
  const { data, found, history_from } = row
  const cursor = nextCursor(row, limit, encode)
  const page = { limit, has_more: cursor !== undefined, next_cursor: cursor ?? null, history_from }
  const answer = filled(
    row,
    `{"data":[${data ?? ''}],"page":${JSON.stringify(page)}}`,
    Math.min(found, limit),
  )
  return cursor === undefined ? answer : { ...answer, next: toNext(cursor) }
}

/** Serves history without a framework: parsed query → cursor → cache → statement. */
export const createHistory = ({
  db,
  replica,
  cache,
  cursors,
  publicUrl,
  today,
}: ReadDeps): RecordHistories => ({
  parse(request) {
    const { principal, record, rawQuery } = request
    const { customerId } = principal
    const shape = record ? 'record' : 'list'
    const outcome = parseHistoryQuery(shape, rawQuery)
    if ('query' in outcome) return outcome.query
    throw refuseQuery(cursors, customerId, outcome, publicUrl + toPath(request), (corrected) => {
      const again = parseHistoryQuery(shape, corrected)
      if (!('query' in again) || !(record || isReadable(principal, again.query))) return false
      return isOfSelection(cursors, customerId, toSelection(request, again.query), again.query.cursor)
    })
  },
  answer(request) {
    const { principal, query, noCache, record } = request
    const { limit, since, cursor } = query
    const { customerId } = principal
    const noSuchRecord = `There is no ${record?.resource.noun} with this id, and no history of one`
    if (record && !isId(record.resource, record.id)) throw notFound(noSuchRecord)
    const listed = record
      ? [record.resource]
      : chooseResources(principal, query.resources).map((name) => resources[name])
    const selection = toSelection(request, query)
    const after = readCursor(cursors, customerId, selection, cursor)
    const day = today()
    const path = toPath(request)
    const { list } = formatHistoryQuery(query)
    const names = listed.map(({ name }) => name)

    const createStatement = () => {
      const plan = { customerId, limit, after }
      if (record) return recordHistory({ ...plan, ...record, day })
      return listHistory({ ...plan, resources: listed, since: since && resolveInstant(since, day) })
    }
    const encode = (keys: readonly string[]) => cursors.encode(customerId, selection, keys)
    const toNext = (position: string) => `${path}?${withCursor(list, position)}`
    const fillFrom = async (source: QueuedDb): Promise<Filled> => {
      const { rows } = await inTurn(source, customerId, () => createStatement().execute(source))
      return toFilled(rows[0] as HistoryRow, limit, encode, toNext)
    }

    const canonical = cursor === undefined ? list : withCursor(list, cursor)
    const answer = cache.read({
      customerId,
      // Every key contains the day: calendar changes and a relative `since` depend on it.
      key: `${historyVersion(listed)} ${path} ${names.join()} ${day} ${canonical}`,
      dependsOn: [...names, historyChanges, 'settings'],
      fill: () => fillFrom(db),
      fillFromReplica: replica && (() => fillFrom(replica)),
      noCache,
    })
    return requirePresent(answer, noSuchRecord)
  },
})
