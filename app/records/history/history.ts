import type { RawBuilder } from 'kysely'
import type { Filled } from '../../cache/entry.ts'
import type { ReadResult } from '../../cache/freshness.ts'
import type { ReadThrough } from '../../cache/read-through.ts'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import type { Principal } from '../../identity/principal.ts'
import { chooseResources } from '../../identity/principals.ts'
import { isId, notFound, requirePresent } from '../present.ts'
import { withCursor } from '../query/canonical.ts'
import { type CursorCodec, isOfSelection, readCursor, refuseQuery } from '../query/cursor.ts'
import { historyChanges } from '../query/prepare.ts'
import { resolveInstant } from '../query/values.ts'
import type { Resource } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { filled } from '../sql/read.ts'
import { listHistory } from './list-statement.ts'
import { formatHistoryQuery, type HistoryQuery, parseHistoryQuery } from './query.ts'
import { type HistoryRow, recordHistory } from './record-statement.ts'
import { historyVersion } from './version.ts'

type Asker = Readonly<{
  principal: Principal
  /** Optional. By default the history of all records. */
  record?: Readonly<{ resource: Resource; id: string }>
}>

export type HistoryRequest = Asker & Readonly<{ query: HistoryQuery; noCache: boolean }>

export type RecordHistories = {
  /** Throws invalid_query. */
  parse(asked: Asker & Readonly<{ rawQuery: string }>): HistoryQuery
  /** Throws or rejects with invalid_cursor, insufficient_scope, not_found, overloaded, unavailable. */
  answer(request: HistoryRequest): ReadResult | Promise<ReadResult>
}

type Deps = {
  db: QueuedDb
  replica?: QueuedDb | undefined
  cache: ReadThrough
  cursors: CursorCodec
  publicUrl: string
  today: () => string
}

type Asked = Readonly<{
  path: string
  selection: string
  query: HistoryQuery
  statement: (after: readonly string[] | undefined) => RawBuilder<HistoryRow>
}>

const toPath = ({ record }: Asker): string =>
  record ? `/v1/${record.resource.name}/${encodeURIComponent(record.id)}/history` : '/v1/history'

/** Serves history without a framework: parsed query → cursor → cache → statement. */
export const createHistory = ({ db, replica, cache, cursors, publicUrl, today }: Deps): RecordHistories => {
  const formatScope = ({ principal, record }: Asker, query: HistoryQuery): string =>
    record
      ? `${record.resource.name}/${record.id}/history`
      : `history?${formatHistoryQuery(query).selection} ${chooseResources(principal, query.resources).join()}`

  const toStatement =
    ({ principal: { customerId }, record, query }: HistoryRequest, listed: readonly Resource[]) =>
    (after: readonly string[] | undefined): RawBuilder<HistoryRow> => {
      const { limit } = query
      if (record) return recordHistory({ customerId, ...record, limit, after, day: today() })
      const since = query.since === undefined ? undefined : resolveInstant(query.since, today())
      return listHistory({ customerId, resources: listed, since, limit, after })
    }

  const fill = async (
    source: QueuedDb,
    customerId: string,
    asked: Asked,
    after: string[] | undefined,
  ): Promise<Filled> => {
    const { limit } = asked.query
    const { rows } = await inTurn(source, customerId, () => asked.statement(after).execute(source))
    const row = rows[0] as HistoryRow
    if (!row.known) return filled(row, undefined, 0)
    const hasMore = row.found > limit
    const keys = hasMore ? row.last?.[0] : undefined
    const cursor = keys && cursors.encode(customerId, asked.selection, keys)
    const page = {
      ...{ limit, has_more: hasMore, next_cursor: cursor ?? null },
      history_from: row.history_from,
    }
    const body = `{"data":[${row.data ?? ''}],"page":${JSON.stringify(page)}}`
    const answer = filled(row, body, Math.min(row.found, limit))
    if (cursor === undefined) return answer
    return { ...answer, next: `${asked.path}?${withCursor(formatHistoryQuery(asked.query).list, cursor)}` }
  }

  return {
    parse(asked) {
      const { principal, record, rawQuery } = asked
      const { customerId } = principal
      const shape = record ? 'record' : 'list'
      const outcome = parseHistoryQuery(shape, rawQuery)
      if ('query' in outcome) return outcome.query
      throw refuseQuery(cursors, customerId, outcome, publicUrl + toPath(asked), (corrected) => {
        const again = parseHistoryQuery(shape, corrected)
        if (!('query' in again)) return false
        return isOfSelection(cursors, customerId, formatScope(asked, again.query), again.query.cursor)
      })
    },
    answer(request) {
      const { principal, query, noCache, record } = request
      const { customerId } = principal
      const noSuchRecord = `There is no ${record?.resource.noun} with this id, and no history of one`
      if (record && !isId(record.resource, record.id)) throw notFound(noSuchRecord)
      const listed = record
        ? [record.resource]
        : chooseResources(principal, query.resources).map((name) => resources[name])
      const asked: Asked = {
        ...{ query, path: toPath(request), selection: formatScope(request, query) },
        statement: toStatement(request, listed),
      }
      const after = readCursor(cursors, customerId, asked.selection, query.cursor)
      const { list } = formatHistoryQuery(query)
      const names = listed.map(({ name }) => name)
      const canonical = query.cursor === undefined ? list : withCursor(list, query.cursor)
      const answer = cache.read({
        customerId,
        // Every key contains the day: calendar changes and a relative `since` depend on it.
        key: `${historyVersion(listed)} ${asked.path} ${names.join()} ${today()} ${canonical}`,
        dependsOn: [...names, historyChanges, 'settings'],
        fill: () => fill(db, customerId, asked, after),
        fillFromReplica: replica && (() => fill(replica, customerId, asked, after)),
        noCache,
      })
      return requirePresent(answer, noSuchRecord)
    },
  }
}
