import type { ReadResult } from '../../cache/freshness.ts'
import type { QueuedDb } from '../../db/connect.ts'
import { ApiError } from '../../errors.ts'
import type { QueryString } from '../../http/pairs.ts'
import type { Principal } from '../../identity/principal.ts'
import { requireScope } from '../../identity/rights.ts'
import { toCustomScope } from '../../identity/scopes.ts'
import type { ListOf } from '../../lists/lists.ts'
import { toShape } from '../../records/query/controls.ts'
import type { ReadDeps } from '../../records/records.ts'
import { bind } from './bind.ts'
import type { Definition } from './definition.ts'
import { chooseRevision, type Granted, listCurrent, type Revision, servedRevisions } from './granted.ts'
import { type CustomRequest, readRequest } from './request.ts'
import { readList, readObject } from './sql/read.ts'
import { customVersion } from './version.ts'

type EndpointRef = { principal: Principal; name: string }

/** `day`: YYYY-MM-DD, to which relative dates refer. */
export type CustomQuery = Readonly<{ definition: Definition; request: CustomRequest; day: string }>

/**
 * Reads custom endpoints. All reject with unavailable or overloaded. With an `endpoint` also with not_found if
 * it was not granted, then insufficient_scope; `isList` and `parse` with DocumentError if this release rejects it.
 * See docs/decisions/0063-unknown-custom-endpoints-after-quota.md.
 */
export type Custom = Readonly<{
  admit(endpoint: EndpointRef): Promise<void>
  /** Whether the endpoint is a list, in the requested or the newest revision. */
  isList(endpoint: EndpointRef & { rawQuery: QueryString }): Promise<boolean>
  /** Parses the query by the grammar of the definition. Also rejects with invalid_query. */
  parse(endpoint: EndpointRef & { rawQuery: QueryString; type: string }): Promise<CustomQuery>
  /** Current definitions, sorted by name, without documents that this release rejects. */
  listDefinitions(customerId: string): Promise<readonly Definition[]>
  /** Also rejects with invalid_cursor. */
  answer(endpoint: EndpointRef & { query: CustomQuery; noCache: boolean }): Promise<ReadResult>
}>

type CustomDeps = ReadDeps & {
  databaseNow: () => number
  granted: (customerId: string) => Promise<Granted>
}

export const createCustom = ({ lists, today, databaseNow, granted }: CustomDeps): Custom => {
  const requireGrant = async ({ principal, name }: EndpointRef) => {
    const revisions = servedRevisions(await granted(principal.customerId), name, databaseNow())
    if (revisions.length === 0)
      throw new ApiError('not_found', { detail: 'You have no custom endpoint with this name' })
    requireScope(principal, toCustomScope(name))
    return revisions
  }

  const toList = (
    { principal: { customerId }, name }: EndpointRef,
    revisions: readonly Revision[],
    day: string,
  ): ListOf<CustomQuery> => ({
    customerId,
    path: `/v1/custom/${name}`,
    parse(rawQuery, type) {
      const definition = chooseRevision(revisions, rawQuery)
      const outcome = readRequest({ definition, revisions, today: day, shape: toShape(type) }, rawQuery.pairs)
      return 'request' in outcome ? { query: { definition, day, request: outcome.request } } : outcome
    },
    select: ({ request: { selection, canonical, limit, cursor } }) => ({
      selection,
      list: canonical,
      limit,
      cursor,
    }),
  })

  return {
    async admit(endpoint) {
      await requireGrant(endpoint)
    },
    isList: async (endpoint) =>
      'list' in chooseRevision(await requireGrant(endpoint), endpoint.rawQuery).body,
    async parse({ rawQuery, type, ...endpoint }) {
      return lists.parse(toList(endpoint, await requireGrant(endpoint), today()), rawQuery, type)
    },
    async listDefinitions(customerId) {
      return listCurrent(await granted(customerId))
    },
    async answer({ query, noCache, ...endpoint }) {
      const { customerId } = endpoint.principal
      const { definition, request, day } = query
      const { given, queries, conditions, limit, count, canonical, cursor } = request
      const { name, body, revision, digest, dependsOn } = definition
      const page = lists.open(toList(endpoint, [], day), query)
      const bound = bind(definition, queries, given, { customerId, today: day })
      const fill = (source: QueuedDb) => {
        if ('object' in body) return readObject(source, body.object, bound)
        const plan = { ...bound.getPlan(body.list.source, conditions), after: page.after, limit, count }
        return readList(source, bound, body.list, { plan, page })
      }
      const ofDay = request.dependsOnDay ? day : ''
      const position = cursor === undefined ? '' : ` ${cursor}`
      return lists.read({
        customerId,
        key: `${customVersion} custom/${name} ${revision} ${digest} ${ofDay} ${canonical}${position}`,
        dependsOn,
        noCache,
        fill,
      })
    },
  }
}
