import type { FastifyInstance } from 'fastify'
import { exportCost } from '../app/export/exports.ts'
import { exportTypes } from '../app/export/formats.ts'
import { formatNames, jsonType, mediaTypes } from '../app/http/formats.ts'
import { isJsonFormat } from '../app/http/negotiation.ts'
import type { QueryString } from '../app/http/pairs.ts'
import { requireNoParameters } from '../app/lists/no-parameters.ts'
import { describeMe } from '../app/openapi/account.ts'
import { describeItem, describePage, envelopes } from '../app/openapi/records.ts'
import { includedScopes } from '../app/records/query/named-resources.ts'
import { resourceNames, resources } from '../app/records/resources/index.ts'
import { cachedEndpoint, exportedEndpoint } from '../plugins/data-endpoints.ts'
import type { Endpoint, EndpointParams } from '../plugins/endpoint.ts'
import { formatLink, formatTiming } from '../plugins/entry-reply.ts'
import type { ListFormat } from '../plugins/feature-routes.ts'
import { me } from '../schemas/me.ts'

type DataOptions = Readonly<{
  publicUrl: string
  /** Of features. */
  formats: readonly ListFormat[]
}>

const exported = { types: exportTypes, cost: exportCost }

const recordEndpoints = ({ records, exports }: FastifyInstance, options: DataOptions): Endpoint[] =>
  resourceNames.flatMap((name) => {
    const resource = resources[name]
    const formats = options.formats.filter((each) => each.resource === name)
    const names = [...formatNames, ...formats.map(({ format }) => format)]
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
          schema: { openapi: describePage(resource, formats), response: { 200: page } },
          parse: (request) => records.parse({ ...request, resource, formats: names }),
          answer: (request) => records.answer({ ...request, resource }),
          formats: new Map(formats.map((each) => [mediaTypes[each.format], each])),
          exporting: {
            ...exported,
            hold: exports.rows.hold,
            respond: (request) => exports.records.answer(request, resource, request.query.query),
          },
        },
        options,
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
        options,
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

export const dataEndpoints = (app: FastifyInstance, options: DataOptions): Endpoint[] => [
  ...recordEndpoints(app, options),
  meEndpoint(app),
]
