import type { ReadResult } from '../cache/freshness.ts'
import type { ReadThrough } from '../cache/read-through.ts'
import type { QueuedDb } from '../db/connect.ts'
import { toUnavailable } from '../db/unreachable.ts'
import { ApiError } from '../errors.ts'
import { typeByFormat } from '../http/media-type.ts'
import type { Principal } from '../identity/principal.ts'
import { requireScope } from '../identity/principals.ts'
import { toCustomScope } from '../identity/scopes.ts'
import { type CursorCodec, isOfSelection, readCursor, refuseQuery } from '../records/query/cursor.ts'
import { customVersion } from '../records/version.ts'
import { bind } from './bind.ts'
import type { Definition } from './definition.ts'
import { chooseRevision, type Granted, listDefinition, type Revision, servedRevisions } from './granted.ts'
import { type CustomRequest, readRequest } from './request.ts'
import type { CustomShape } from './request-readers.ts'
import { readList, readObject } from './sql/read.ts'

type Asked = { principal: Principal; name: string }

/**
 * Reads custom endpoints. A call that names one rejects with not_found if the customer was not granted it,
 * then with insufficient_scope. See docs/decisions/0063-unknown-custom-endpoints-after-quota.md.
 */
export type Custom = Readonly<{
  admit(asked: Asked): Promise<void>
  /** `readExport` throws invalid_query. */
  findDefinition(
    asked: Asked,
    rawQuery: string,
  ): Promise<{ definition: Definition; readExport: (shape: CustomShape) => CustomRequest }>
  /** Current definitions by name, without documents that this release rejects. Rejects with `unavailable`. */
  listDefinitions(customerId: string): Promise<readonly Definition[]>
  /** Also rejects with invalid_query, invalid_cursor, unavailable. */
  answer(asked: Asked & { rawQuery: string; noCache: boolean }): Promise<ReadResult>
}>

type CustomDeps = {
  db: QueuedDb
  replica?: QueuedDb | undefined
  cache: ReadThrough
  cursors: CursorCodec
  publicUrl: string
  today: () => string
  databaseNow: () => number
  granted: (customerId: string) => Promise<Granted>
}

const notFound = () => new ApiError('not_found', { detail: 'You have no custom endpoint with this name' })

/** Creates the reader of custom endpoints, independent of the framework. */
export const createCustom = (deps: CustomDeps): Custom => {
  const { db, replica, cache, cursors, publicUrl, today, databaseNow, granted } = deps
  const version = customVersion()

  const requireGrant = ({ principal, name }: Asked, known: Granted): readonly Revision[] => {
    const revisions = servedRevisions(known, name, databaseNow())
    if (revisions.length === 0) throw notFound()
    requireScope(principal, toCustomScope(name))
    return revisions
  }

  const isAnswerable = (
    customerId: string,
    revisions: readonly Revision[],
    corrected: string,
    day: string,
  ) => {
    const isExport = !['application/json', undefined].includes(typeByFormat(corrected))
    const definition = chooseRevision(revisions, corrected)
    const outcome = readRequest(definition, revisions, corrected, day, isExport ? 'export' : 'page')
    if (!('request' in outcome)) return false
    const { cursor, selection } = outcome.request
    return isOfSelection(cursors, customerId, selection, cursor)
  }

  const parse = (
    { principal, name }: Asked,
    definition: Definition,
    revisions: readonly Revision[],
    rawQuery: string,
    day: string,
    shape: CustomShape = 'page',
  ): CustomRequest => {
    const outcome = readRequest(definition, revisions, rawQuery, day, shape)
    if ('request' in outcome) return outcome.request
    const { customerId } = principal
    throw refuseQuery(cursors, customerId, outcome, `${publicUrl}/v1/custom/${name}`, (corrected) =>
      isAnswerable(customerId, revisions, corrected, day),
    )
  }

  const createFill = (definition: Definition, request: CustomRequest, customerId: string, day: string) => {
    const { body, name } = definition
    const { given, queries, conditions, limit, count, canonical, selection } = request
    const after = readCursor(cursors, customerId, selection, request.cursor)
    const bound = bind(definition, queries, given, { customerId, today: day })
    return (source: QueuedDb) => {
      if ('object' in body) return readObject(source, body.object, bound)
      const plan = { ...bound.planWith(body.list.source, conditions), after, limit, count }
      const encode = (keys: readonly string[]) => cursors.encode(customerId, selection, keys)
      const nextTarget = (cursor: string) =>
        `/v1/custom/${name}?${[canonical, `cursor=${cursor}`].filter((part) => part !== '').join('&')}`
      return readList(source, body.list, plan, bound, encode, nextTarget)
    }
  }

  return {
    async findDefinition(asked, rawQuery) {
      const revisions = requireGrant(asked, await granted(asked.principal.customerId))
      const definition = chooseRevision(revisions, rawQuery)
      const readExport = (shape: CustomShape) => parse(asked, definition, revisions, rawQuery, today(), shape)
      return { definition, readExport }
    },
    async listDefinitions(customerId) {
      const known = await granted(customerId)
      const current = [...known.keys()]
        .sort()
        .flatMap((name) => servedRevisions(known, name, databaseNow()).slice(0, 1))
      return current.flatMap(listDefinition)
    },
    async admit(asked) {
      requireGrant(asked, await granted(asked.principal.customerId))
    },
    async answer(asked) {
      const { principal, rawQuery, noCache, name } = asked
      const { customerId } = principal
      const revisions = requireGrant(asked, await granted(customerId))
      const definition = chooseRevision(revisions, rawQuery)
      const day = today()
      const request = parse(asked, definition, revisions, rawQuery, day)
      const fill = createFill(definition, request, customerId, day)
      const { revision, digest, dependsOn } = definition
      const ofDay = request.dependsOnDay ? day : ''
      const position = request.cursor === undefined ? '' : ` ${request.cursor}`
      try {
        return await cache.read({
          customerId,
          key: `${version} custom/${name} ${revision} ${digest} ${ofDay} ${request.canonical}${position}`,
          dependsOn,
          fill: () => fill(db),
          fillFromReplica: replica && (() => fill(replica)),
          noCache,
        })
      } catch (error) {
        throw toUnavailable(error)
      }
    },
  }
}
