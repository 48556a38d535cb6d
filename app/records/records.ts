import type { ReadResult } from '../cache/freshness.ts'
import type { ReadThrough } from '../cache/read-through.ts'
import type { QueuedDb } from '../db/connect.ts'
import { invalidQuery } from '../errors.ts'
import { mediaTypes } from '../http/formats.ts'
import { typeByFormat } from '../http/media-type.ts'
import type { Principal } from '../identity/principal.ts'
import { checkAsOf, readPastItem } from './history/as-of.ts'
import { isId, notFound, requirePresent } from './present.ts'
import { withCursor } from './query/canonical.ts'
import { isExport, type QueryShape } from './query/controls.ts'
import { type CursorCodec, isOfSelection, readCursor, refuseQuery } from './query/cursor.ts'
import { planQuery } from './query/plan.ts'
import { createPrepare, type PreparedQuery } from './query/prepare.ts'
import type { Resource } from './resources/define.ts'
import { compile } from './sql/compile.ts'
import { readItem, readPage } from './sql/read.ts'
import { createShapes } from './sql/shapes.ts'
import { pageStatement } from './sql/statement.ts'
import { cacheKey } from './version.ts'

type RecordRef = { principal: Principal; resource: Resource; id?: string }

export type RecordRequest = RecordRef & {
  query: PreparedQuery
  /** The answer must include every commit before the request. */
  noCache: boolean
}

export type Records = {
  /** Parses the query of a page, an item or an export. Throws invalid_query; `answer` also checks `as_of`. */
  parse(request: RecordRef & { shape: QueryShape; rawQuery: string }): PreparedQuery
  /** Throws or rejects with invalid_query, invalid_cursor, not_found, before_history, overloaded, unavailable. */
  answer(request: RecordRequest): ReadResult | Promise<ReadResult>
}

/** Dependencies of cached reads. `publicUrl`: an origin. `today`: YYYY-MM-DD in UTC, by the database. */
export type ReadDeps = {
  db: QueuedDb
  replica?: QueuedDb | undefined
  cache: ReadThrough
  cursors: CursorCodec
  publicUrl: string
  today: () => string
}

type Deps = ReadDeps & { monotonicNow: () => number }

const createParse = ({ cursors, publicUrl, today }: Deps): Records['parse'] => {
  const prepare = createPrepare()

  const isAnswerable = (
    customerId: string,
    resource: Resource,
    id: string | undefined,
    corrected: string,
  ) => {
    const type = typeByFormat(corrected) ?? mediaTypes.json
    const listShape = type === mediaTypes.json ? 'page' : 'export'
    const outcome = prepare(resource, id === undefined ? listShape : 'item', corrected)
    if (!('prepared' in outcome)) return false
    const { query, selection } = outcome.prepared
    if (checkAsOf(query, today()).length > 0) return false
    return isOfSelection(cursors, customerId, selection, query.cursor)
  }

  return ({ principal, resource, id, shape, rawQuery }) => {
    const outcome = prepare(resource, shape, rawQuery)
    if ('prepared' in outcome) return outcome.prepared
    const { customerId } = principal
    const address = `${publicUrl}/v1/${resource.name}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
    if (isExport(shape)) {
      const { faults, corrected } = outcome
      throw invalidQuery(faults, corrected === undefined ? undefined : `${address}?${corrected}`)
    }
    const faults = [...outcome.faults, ...checkAsOf(outcome.parsed, today())]
    throw refuseQuery(cursors, customerId, { ...outcome, faults }, address, (corrected) =>
      isAnswerable(customerId, resource, id, corrected),
    )
  }
}

/** Serves records without a framework: parsed query → cache key → cache → statement. */
export const createRecords = (deps: Deps): Records => {
  const { db, replica, cache, cursors, today, monotonicNow } = deps
  const shapes = createShapes((plan) => compile(pageStatement(plan)), monotonicNow)
  return {
    parse: createParse(deps),
    answer({ principal, resource, id, query: prepared, noCache }) {
      const { customerId } = principal
      const { query, selection, list } = prepared
      const noSuchRecord = `There is no ${resource.noun} with this id`
      if (id !== undefined && !isId(resource, id)) throw notFound(noSuchRecord)
      const moment = { customerId, today: today() }
      const faults = checkAsOf(query, moment.today)
      if (faults.length > 0) throw invalidQuery(faults, undefined)
      const after = readCursor(cursors, customerId, selection, query.cursor)
      const fillFrom = (source: QueuedDb) => {
        const plan = planQuery(query, moment, after)
        if (id !== undefined && query.asOf !== undefined) return readPastItem(source, plan, id)
        if (id !== undefined) return readItem(source, plan, id, shapes)
        const encode = (keys: readonly string[]) => cursors.encode(customerId, selection, keys)
        return readPage(source, plan, encode, (cursor) => withCursor(list, cursor), shapes)
      }
      const answer = cache.read({
        customerId,
        key: cacheKey(prepared, id, moment),
        dependsOn: prepared.dependsOn,
        fill: () => fillFrom(db),
        fillFromReplica: replica && (() => fillFrom(replica)),
        noCache,
      })
      return requirePresent(answer, noSuchRecord)
    },
  }
}
