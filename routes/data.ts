import type { FastifyInstance } from 'fastify'
import { exportCost } from '../app/export/exports.ts'
import { exportTypes } from '../app/export/formats.ts'
import { jsonType } from '../app/http/formats.ts'
import { isJsonFormat } from '../app/http/media-type.ts'
import type { QueryString } from '../app/http/pairs.ts'
import { requireNoParameters } from '../app/lists/no-parameters.ts'
import { describeMe } from '../app/openapi/account.ts'
import { describeItem, describePage, envelopes } from '../app/openapi/records.ts'
import { includedScopes } from '../app/records/query/named-resources.ts'
import { resourceNames, resources } from '../app/records/resources/index.ts'
import { cachedEndpoint, exportedEndpoint } from '../plugins/data-endpoints.ts'
import type { Endpoint, EndpointParams } from '../plugins/endpoint.ts'
import { formatLink, formatTiming } from '../plugins/entry-reply.ts'
import { me } from '../schemas/me.ts'

type Origin = Readonly<{ publicUrl: string }>

const exported = { types: exportTypes, cost: exportCost }

const recordEndpoints = ({ records, exports }: FastifyInstance, origin: Origin): Endpoint[] =>
  resourceNames.flatMap((name) => {
    const resource = resources[name]
    const { page, item } = envelopes[name]
    const scope = `${name}:read`
    const listScopes = (rawQuery: QueryString) => includedScopes(resource, rawQuery)
    const toId = ({ id }: EndpointParams) => id as string
    return [
      exportedEndpoint(
        {
          path: `/${name}`,
          scope,
          listScopes,
          schema: { openapi: describePage(resource), response: { 200: page } },
          parse: (request) => records.parse({ ...request, resource }),
          answer: (request) => records.answer({ ...request, resource }),
          exporting: {
            ...exported,
            hold: exports.rows.hold,
            respond: (request) => exports.records.answer(request, resource, request.query.query),
          },
        },
        origin,
      ),
      cachedEndpoint(
        {
          path: `/${name}/:id`,
          scope,
          listScopes,
          schema: { openapi: describeItem(resource), response: { 200: item } },
          parse: (request) => records.parse({ ...request, resource, id: toId(request.params) }),
          answer: (request) => records.answer({ ...request, resource, id: toId(request.params) }),
        },
        origin,
      ),
    ]
  })

/** JSON that is computed for each request, so that Fastify's serializer writes it. */
const meEndpoint = ({ principals }: FastifyInstance): Endpoint => ({
  path: '/me',
  scope: null,
  schema: { openapi: describeMe, response: { 200: me } },
  offers: () => [jsonType],
  async handle({ principal, rawQuery, canonical }, { account }, reply) {
    requireNoParameters(rawQuery, 'This address takes no parameters', isJsonFormat)
    if (canonical) reply.header('link', formatLink(canonical, 'canonical'))
    const limits = account?.use() ?? []
    const scopes = await principals.listScopes(principal)
    const data = {
      customer: principal.customerId,
      plan: principal.plan,
      scopes: principal.scopes ? scopes.sort() : scopes,
      key: principal.key ?? null,
      limits: limits.map(({ policy, remaining, resetSeconds }) => ({
        policy: policy.name,
        quota: policy.quota,
        window_seconds: policy.windowSeconds,
        remaining,
        reset_seconds: resetSeconds,
      })),
      settings: { expiring_within: principal.expiringWithin },
    }
    return reply.headers({ 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).send({ data })
  },
})

export const dataEndpoints = (app: FastifyInstance, origin: Origin): Endpoint[] => [
  ...recordEndpoints(app, origin),
  meEndpoint(app),
]
