import type { RawBuilder } from 'kysely'
import type { Filled } from '../../cache/entry.ts'
import type { Answer } from '../../cache/question.ts'
import type { ReadThrough } from '../../cache/read-through.ts'
import { inTurn } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
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
import { formatHistoryQuery, type HistoryQuery, type HistoryShape, parseHistoryQuery } from './query.ts'
import { type HistoryRow, recordHistory } from './record-statement.ts'
import { historyVersion } from './version.ts'

export type HistoryRequest = Readonly<{
  principal: Principal
  rawQuery: string
  noCache: boolean
  /** Optional. By default the history of all records. */
  record?: Readonly<{ resource: Resource; id: string }>
}>

export type RecordHistories = {
  /**
   * Returns a page of history. Throws or rejects with invalid_query, invalid_cursor, insufficient_scope,
   * not_found, unavailable.
   */
  answer(request: HistoryRequest): Answer | Promise<Answer>
}

type Deps = {
  db: Db
  replica?: Db | undefined
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

/** Serves history without a framework: query → cursor → cache → statement. */
export const createHistory = ({ db, replica, cache, cursors, publicUrl, today }: Deps): RecordHistories => {
  const parse = (
    { principal, rawQuery }: HistoryRequest,
    shape: HistoryShape,
    path: string,
    selectionOf: (query: HistoryQuery) => string,
  ): HistoryQuery => {
    const outcome = parseHistoryQuery(shape, rawQuery)
    if ('query' in outcome) return outcome.query
    throw refuseQuery(cursors, principal.customerId, outcome, publicUrl + path, (corrected) => {
      const again = parseHistoryQuery(shape, corrected)
      if (!('query' in again)) return false
      return isOfSelection(cursors, principal.customerId, selectionOf(again.query), again.query.cursor)
    })
  }

  const askRecord = (
    request: HistoryRequest,
    { resource, id }: { resource: Resource; id: string },
  ): Asked => {
    const path = `/v1/${resource.name}/${encodeURIComponent(id)}/history`
    const selection = `${resource.name}/${id}/history`
    const query = parse(request, 'record', path, () => selection)
    const { customerId } = request.principal
    // An invalid id cannot name a record, and the database need not see its bytes.
    if (!resource.fields.get('id')?.element.safeParse(id).success) throw noSuchRecord(resource)
    return {
      ...{ path, query, resources: [resource], selection },
      statement: (after) =>
        recordHistory({ customerId, resource, id, limit: query.limit, after, day: today() }),
    }
  }

  const askList = (request: HistoryRequest): Asked => {
    const path = '/v1/history'
    const { customerId } = request.principal
    const namesOf = ({ resources: asked }: HistoryQuery) => chooseResources(request.principal, asked)
    const selectionOf = (query: HistoryQuery) =>
      `history?${formatHistoryQuery(query).selection} ${namesOf(query).join()}`
    const query = parse(request, 'list', path, selectionOf)
    const names = namesOf(query)
    const asked = names.map((name) => resources[name])
    const since = query.since === undefined ? undefined : resolveInstant(query.since, today())
    return {
      ...{ path, query, resources: asked, selection: selectionOf(query) },
      statement: (after) => listHistory({ customerId, resources: asked, since, limit: query.limit, after }),
    }
  }

  const noSuchRecord = ({ noun }: Resource, staleSeconds?: number) =>
    new ApiError('not_found', {
      detail: `There is no ${noun} with this id, and no history of one`,
      ...(staleSeconds === undefined ? {} : { headers: { 'cache-status': formatStale(staleSeconds) } }),
    })

  const fill = async (source: Db, customerId: string, asked: Asked, after: string[] | undefined) => {
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
    answer(request) {
      const { principal, noCache, record } = request
      const { customerId } = principal
      const asked = record ? askRecord(request, record) : askList(request)
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
