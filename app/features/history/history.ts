import type { ReadResult } from '../../cache/freshness.ts'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import type { QueryString } from '../../http/pairs.ts'
import type { Principal } from '../../identity/principal.ts'
import { chooseResources, listReadable } from '../../identity/rights.ts'
import { notFound, toFilled, toFilledPage } from '../../lists/answer.ts'
import { withCursor } from '../../lists/cursor.ts'
import type { ListOf } from '../../lists/lists.ts'
import { resolveInstant } from '../../lists/values.ts'
import { historyChanges } from '../../records/query/prepare.ts'
import type { ReadDeps } from '../../records/records.ts'
import { isId, joinVersions, type Resource } from '../../records/resources/define.ts'
import { resources } from '../../records/resources/index.ts'
import { listHistory } from './list-statement.ts'
import { formatHistoryQuery, type HistoryQuery, parseHistoryQuery } from './query.ts'
import { type HistoryRow, recordHistory } from './record-statement.ts'

type HistorySubject = Readonly<{
  principal: Principal
  /** Optional. By default the history of all records. */
  record?: Readonly<{ resource: Resource; id: string }>
}>

export type HistoryRequest = HistorySubject & Readonly<{ query: HistoryQuery; noCache: boolean }>

export type RecordHistories = {
  /** Throws invalid_query. */
  parse(request: HistorySubject & Readonly<{ rawQuery: QueryString; type: string }>): HistoryQuery
  /** Throws or rejects with invalid_cursor, insufficient_scope, not_found, overloaded, unavailable. */
  answer(request: HistoryRequest): ReadResult | Promise<ReadResult>
}

/** Of the statements in this folder. */
const version = 2

/** Returns the version of these resources' histories, for the keys of cached answers. */
export const historyVersion = (listed: readonly Resource[]): string => `${version}.${joinVersions(listed)}`

const toPath = ({ record }: HistorySubject): string =>
  record ? `/v1/${record.resource.name}/${encodeURIComponent(record.id)}/history` : '/v1/history'

const isReadable = (principal: Principal, { resources }: HistoryQuery): boolean => {
  const readable = listReadable(principal)
  return readable.length > 0 && (resources?.every((name) => readable.includes(name)) ?? true)
}

const toList = (subject: HistorySubject): ListOf<HistoryQuery> => {
  const { principal, record } = subject
  return {
    customerId: principal.customerId,
    path: toPath(subject),
    parse: ({ pairs }) => parseHistoryQuery(record ? 'record' : 'list', pairs),
    select(query) {
      const { selection, list } = formatHistoryQuery(query)
      const { limit, cursor, resources: named } = query
      return {
        selection: record
          ? `${record.resource.name}/${record.id}/history`
          : `history?${selection} ${(named ?? listReadable(principal)).join()}`,
        list,
        limit,
        cursor,
      }
    },
    isAnswerable: (query) => record !== undefined || isReadable(principal, query),
  }
}

/** Serves history without a framework: parsed query → cursor → cache → statement. */
export const createHistory = ({ lists, today }: ReadDeps): RecordHistories => ({
  parse: (request) => lists.parse(toList(request), request.rawQuery, request.type),
  answer(request) {
    const { principal, query, noCache, record } = request
    const { limit, since, cursor } = query
    const { customerId } = principal
    const absent = `There is no ${record?.resource.noun} with this id, and no history of one`
    if (record && !isId(record.resource, record.id)) throw notFound(absent)
    const listed = record
      ? [record.resource]
      : chooseResources(principal, query.resources).map((name) => resources[name])
    const page = lists.open(toList(request), query)
    const day = today()

    const createStatement = () => {
      const plan = { customerId, limit, after: page.after }
      if (record) return recordHistory({ ...plan, ...record, day })
      return listHistory({ ...plan, resources: listed, since: since && resolveInstant(since, day) })
    }
    const fill = async (source: QueuedDb) => {
      const { rows } = await inTurn(source, customerId, () => createStatement().execute(source))
      const row = rows[0] as HistoryRow
      if (!row.known) return toFilled(row, undefined, 0)
      const { data, found, last, history_from } = row
      return toFilledPage(row, page.write({ data: `[${data ?? ''}]`, found, last }, { history_from }))
    }

    const names = listed.map(({ name }) => name)
    const { list } = formatHistoryQuery(query)
    const canonical = cursor === undefined ? list : withCursor(list, cursor)
    return lists.read({
      customerId,
      // Every key contains the day: calendar changes and a relative `since` depend on it.
      key: `${historyVersion(listed)} ${toPath(request)} ${names.join()} ${day} ${canonical}`,
      dependsOn: [...names, historyChanges, 'settings'],
      noCache,
      fill,
      absent,
    })
  },
})
