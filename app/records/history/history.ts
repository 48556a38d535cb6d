import type { RawBuilder } from 'kysely'
import type { Filled } from '../../cache/entry.ts'
import type { Answer } from '../../cache/freshness.ts'
import type { ReadThrough } from '../../cache/read-through.ts'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import { toUnavailable } from '../../db/unreachable.ts'
import { ApiError } from '../../errors.ts'
import { formatStale } from '../../http/fields.ts'
import type { Principal } from '../../identity/principal.ts'
import { chooseResources } from '../../identity/principals.ts'
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
  /**
   * Returns a page of history. Throws or rejects with invalid_cursor, insufficient_scope, not_found,
   * unavailable.
   */
  answer(request: HistoryRequest): Answer | Promise<Answer>
}

type Deps = {
  db: QueuedDb
  replica?: QueuedDb | undefined
  cache: ReadThrough
  cursors: CursorCodec
  publicUrl: string
  /** The UTC date, YYYY-MM-DD. */
  today: () => string
}

type Asked = Readonly<{
  path: string
  /** The text that a cursor is bound to. */
  selection: string
  query: HistoryQuery
  resources: readonly Resource[]
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

  const askRecord = (
    request: HistoryRequest,
    { resource, id }: { resource: Resource; id: string },
  ): Pick<Asked, 'resources' | 'statement'> => {
    const { customerId } = request.principal
    const { limit } = request.query
    // An invalid id cannot name a record, and the database need not see its bytes.
    if (!resource.fields.get('id')?.element.safeParse(id).success) throw noSuchRecord(resource)
    return {
      resources: [resource],
      statement: (after) => recordHistory({ customerId, resource, id, limit, after, day: today() }),
    }
  }

  const askList = ({ principal, query }: HistoryRequest): Pick<Asked, 'resources' | 'statement'> => {
    const { customerId } = principal
    const { limit } = query
    const asked = chooseResources(principal, query.resources).map((name) => resources[name])
    const since = query.since === undefined ? undefined : resolveInstant(query.since, today())
    return {
      resources: asked,
      statement: (after) => listHistory({ customerId, resources: asked, since, limit, after }),
    }
  }

  const noSuchRecord = ({ noun }: Resource, staleSeconds?: number) =>
    new ApiError('not_found', {
      detail: `There is no ${noun} with this id, and no history of one`,
      ...(staleSeconds === undefined ? {} : { headers: { 'cache-status': formatStale(staleSeconds) } }),
    })

  const fill = async (source: QueuedDb, customerId: string, asked: Asked, after: string[] | undefined) => {
    const { rows } = await inTurn(source, customerId, () => asked.statement(after).execute(source))
    return toFilled(rows[0] as HistoryRow, customerId, asked)
  }

  const toFilled = (row: HistoryRow, customerId: string, asked: Asked): Filled => {
    const { limit } = asked.query
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
      const asked: Asked = {
        ...{ query, path: toPath(request), selection: formatScope(request, query) },
        ...(record ? askRecord(request, record) : askList(request)),
      }
      const after = readCursor(cursors, customerId, asked.selection, asked.query.cursor)
      const { list } = formatHistoryQuery(asked.query)
      const names = asked.resources.map(({ name }) => name)
      const canonical = asked.query.cursor === undefined ? list : withCursor(list, asked.query.cursor)
      const found = (answer: Answer): Answer => {
        if (answer.entry.isAbsent && record) throw noSuchRecord(record.resource, answer.staleSeconds)
        return answer
      }
      const answer = cache.read({
        customerId,
        // Every key contains the day: calendar changes and a relative `since` depend on it.
        key: `${historyVersion(asked.resources)} ${asked.path} ${names.join()} ${today()} ${canonical}`,
        dependsOn: [...names, historyChanges, 'settings'],
        fill: () => fill(db, customerId, asked, after),
        fillFromReplica: replica && (() => fill(replica, customerId, asked, after)),
        noCache,
      })
      if (!(answer instanceof Promise)) return found(answer)
      return answer.then(found, (error) => {
        throw toUnavailable(error)
      })
    },
  }
}
