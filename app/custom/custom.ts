import type { ReadResult } from '../cache/freshness.ts'
import type { QueuedDb } from '../db/connect.ts'
import { toUnavailable } from '../db/unreachable.ts'
import { ApiError } from '../errors.ts'
import { toShape } from '../export/formats.ts'
import { typeByFormat } from '../http/media-type.ts'
import type { Principal } from '../identity/principal.ts'
import { requireScope } from '../identity/rights.ts'
import { toCustomScope } from '../identity/scopes.ts'
import { withCursor } from '../records/query/canonical.ts'
import { isOfSelection, readCursor, refuseQuery } from '../records/query/cursor.ts'
import type { ReadDeps } from '../records/records.ts'
import { bind } from './bind.ts'
import type { Definition } from './definition.ts'
import { chooseRevision, type Granted, listCurrent, servedRevisions } from './granted.ts'
import { type CustomRequest, readRequest } from './request.ts'
import type { CustomShape } from './request-readers.ts'
import { readList, readObject } from './sql/read.ts'
import { customVersion } from './version.ts'

type EndpointRef = { principal: Principal; name: string }

/**
 * Reads custom endpoints. All reject with unavailable or overloaded. With an `endpoint` also with not_found if
 * it was not granted, then insufficient_scope; `find`, `answer` with DocumentError if this release rejects it.
 * See docs/decisions/0063-unknown-custom-endpoints-after-quota.md.
 */
export type Custom = Readonly<{
  admit(endpoint: EndpointRef): Promise<void>
  /** Finds the requested revision, otherwise the newest. `parse` throws invalid_query. `day`: YYYY-MM-DD. */
  find(
    endpoint: EndpointRef,
    rawQuery: string,
  ): Promise<{ definition: Definition; parse: (shape: CustomShape, day: string) => CustomRequest }>
  /** Current definitions, sorted by name, without documents that this release rejects. */
  listDefinitions(customerId: string): Promise<readonly Definition[]>
  /** Also rejects with invalid_query or invalid_cursor. */
  answer(endpoint: EndpointRef & { rawQuery: string; noCache: boolean }): Promise<ReadResult>
}>

type CustomDeps = ReadDeps & {
  databaseNow: () => number
  granted: (customerId: string) => Promise<Granted>
}

export const createCustom = (deps: CustomDeps): Custom => {
  const { db, replica, cache, cursors, publicUrl, today, databaseNow, granted } = deps

  const requireGrant = async ({ principal, name }: EndpointRef) => {
    const revisions = servedRevisions(await granted(principal.customerId), name, databaseNow())
    if (revisions.length === 0)
      throw new ApiError('not_found', { detail: 'You have no custom endpoint with this name' })
    requireScope(principal, toCustomScope(name))
    return revisions
  }

  const find: Custom['find'] = async (endpoint, rawQuery) => {
    const { customerId } = endpoint.principal
    const revisions = await requireGrant(endpoint)
    const definition = chooseRevision(revisions, rawQuery)
    const isAnswerable = (corrected: string, shape: CustomShape, day: string) => {
      const type = typeByFormat(corrected)
      const chosen = chooseRevision(revisions, corrected)
      const wanted = type === undefined ? shape : toShape(type)
      const outcome = readRequest(chosen, revisions, corrected, day, wanted)
      if (!('request' in outcome)) return false
      const { selection, cursor } = outcome.request
      return isOfSelection(cursors, customerId, selection, cursor)
    }
    const parse = (shape: CustomShape, day: string) => {
      const outcome = readRequest(definition, revisions, rawQuery, day, shape)
      if ('request' in outcome) return outcome.request
      throw refuseQuery(
        cursors,
        customerId,
        outcome,
        `${publicUrl}/v1/custom/${endpoint.name}`,
        (corrected) => isAnswerable(corrected, shape, day),
      )
    }
    return { definition, parse }
  }

  const createFill = (definition: Definition, request: CustomRequest, customerId: string, day: string) => {
    const { body, name } = definition
    const { given, queries, conditions, limit, count, canonical, selection } = request
    const after = readCursor(cursors, customerId, selection, request.cursor)
    const bound = bind(definition, queries, given, { customerId, today: day })
    return (source: QueuedDb) => {
      if ('object' in body) return readObject(source, body.object, bound)
      const plan = { ...bound.getPlan(body.list.source, conditions), after, limit, count }
      const encode = (keys: readonly string[]) => cursors.encode(customerId, selection, keys)
      const toTarget = (cursor: string) => `/v1/custom/${name}?${withCursor(canonical, cursor)}`
      return readList(source, body.list, plan, bound, encode, toTarget)
    }
  }

  return {
    find,
    async admit(endpoint) {
      await requireGrant(endpoint)
    },
    async listDefinitions(customerId) {
      return listCurrent(await granted(customerId))
    },
    async answer({ rawQuery, noCache, ...endpoint }) {
      const { customerId } = endpoint.principal
      const { definition, parse } = await find(endpoint, rawQuery)
      const day = today()
      const request = parse('page', day)
      const fill = createFill(definition, request, customerId, day)
      const { name, revision, digest, dependsOn } = definition
      const ofDay = request.dependsOnDay ? day : ''
      const position = request.cursor === undefined ? '' : ` ${request.cursor}`
      try {
        return await cache.read({
          customerId,
          key: `${customVersion} custom/${name} ${revision} ${digest} ${ofDay} ${request.canonical}${position}`,
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
