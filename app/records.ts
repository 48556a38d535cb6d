import type { Principal } from './auth/principal.ts'
import { cacheKey } from './cache/keys.ts'
import type { Answer, ReadThrough } from './cache/read-through.ts'
import { readItem, readPage } from './db/page/read.ts'
import type { Db } from './db/schema.ts'
import { isUnreachable } from './db/unreachable.ts'
import { ApiError, type Fault } from './errors.ts'
import { formatQuery } from './query/canonical.ts'
import { type CursorCodec, foreignCursor } from './query/cursor.ts'
import { planQuery } from './query/plan.ts'
import { createPrepare, type Prepared } from './query/prepare.ts'
import type { Resource } from './resources/define.ts'

export type RecordRequest = {
  principal: Principal
  resource: Resource
  /** Absent: a page. */
  id?: string
  rawQuery: string
  /** The client wants what is committed when it asks. */
  noCache: boolean
}

export type Records = {
  /**
   * The answer to a request for a page or a record, at once where memory has it. Throws or rejects with
   * invalid_query, invalid_cursor, insufficient_scope, not_found, unavailable.
   */
  answer(request: RecordRequest): Answer | Promise<Answer>
}

type Deps = {
  db: Db
  cache: ReadThrough
  cursors: CursorCodec
  publicUrl: string
  /** The UTC date, YYYY-MM-DD. */
  today: () => string
  /** Throws insufficient_scope. */
  requireScope: (principal: Principal, scope: string) => void
}

const cursorFault = (detail: string): Fault => ({ parameter: 'cursor', code: 'invalid_value', detail })

const isId = (resource: Resource, id: string): boolean =>
  resource.fields.get('id')?.element.safeParse(id).success === true

/** From a request to stored bytes: parse, canonical query, key, cache, statement. Knows no framework. */
export const createRecords = ({ db, cache, cursors, publicUrl, today, requireScope }: Deps): Records => {
  const prepare = createPrepare()

  const parse = ({ principal, resource, id, rawQuery }: RecordRequest): Prepared => {
    const outcome = prepare(resource, id === undefined ? 'page' : 'item', rawQuery)
    if ('prepared' in outcome) return outcome.prepared
    const { faults, corrected, cursor } = outcome
    const isForeign = cursor !== undefined && !cursors.isGenuine(principal.customerId, cursor)
    const path = `/v1/${resource.name}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
    throw new ApiError('invalid_query', {
      errors: isForeign ? [...faults, cursorFault(foreignCursor)] : faults,
      ...(corrected === undefined || isForeign ? {} : { try: `${publicUrl}${path}?${corrected}` }),
    })
  }

  const decodeCursor = (customerId: string, { query, selection }: Prepared): string[] | undefined => {
    if (query.cursor === undefined) return undefined
    const decoded = cursors.decode(customerId, selection, query.cursor)
    if ('keys' in decoded) return decoded.keys
    throw new ApiError('invalid_cursor', { detail: decoded.detail, errors: [cursorFault(decoded.detail)] })
  }

  const noSuchRecord = ({ noun }: Resource) =>
    new ApiError('not_found', { detail: `There is no ${noun} with this id` })

  return {
    answer(request) {
      const { principal, resource, id, noCache } = request
      const { customerId } = principal
      const prepared = parse(request)
      const { query, selection } = prepared
      for (const name of query.includes) {
        requireScope(principal, `${resource.includes[name]?.resource}:read`)
      }
      // What cannot be an id names no record; nor need the database see its bytes.
      if (id !== undefined && !isId(resource, id)) throw noSuchRecord(resource)
      const after = decodeCursor(customerId, prepared)
      const moment = { customerId, today: today() }
      const fill = () => {
        const plan = planQuery(query, moment, after)
        if (id !== undefined) return readItem(db, plan, id)
        const encode = (keys: readonly string[]) => cursors.encode(customerId, selection, keys)
        return readPage(db, plan, encode, (cursor) => formatQuery({ ...query, cursor }))
      }
      const { dependsOn } = prepared
      const found = (answer: Answer): Answer => {
        if (answer.entry.isAbsent) throw noSuchRecord(resource)
        return answer
      }
      const answer = cache.read({
        customerId,
        key: cacheKey(prepared, id, moment),
        dependsOn,
        fill,
        noCache,
      })
      if (!(answer instanceof Promise)) return found(answer)
      return answer.then(found, (error) => {
        throw isUnreachable(error) ? new ApiError('unavailable', { headers: { 'retry-after': '1' } }) : error
      })
    },
  }
}
