import type { FastifyInstance } from 'fastify'
import { exportCost } from '../app/export/exports.ts'
import { exportTypes } from '../app/export/formats.ts'
import { feedCost, offeredTypes } from '../app/feed/request.ts'
import { jsonType } from '../app/http/formats.ts'
import { isJsonFormat } from '../app/http/media-type.ts'
import type { QueryString } from '../app/http/pairs.ts'
import { auditScope, changesScope } from '../app/identity/scopes.ts'
import { refuseParameters } from '../app/lists/no-parameters.ts'
import { describeMe } from '../app/openapi/account.ts'
import { describeAudit } from '../app/openapi/audit.ts'
import { changesPage, describeChanges } from '../app/openapi/changes.ts'
import { describeHistory, describeRecordHistory } from '../app/openapi/history.ts'
import { describeItem, describePage, envelopes } from '../app/openapi/records.ts'
import { trailCost, trailTypes } from '../app/operator/trail/trail.ts'
import { createNamedScopes, includedScopes } from '../app/records/query/named-resources.ts'
import { resourceNames, resources } from '../app/records/resources/index.ts'
import { defineEndpoint, type Endpoint, type EndpointRequest } from '../plugins/endpoint.ts'
import { auditEntries } from '../schemas/audit.ts'
import { historyPage } from '../schemas/history.ts'
import { me } from '../schemas/me.ts'
import { customAnswer } from '../schemas/page.ts'

const exporting = { types: exportTypes, cost: exportCost }

const recordEndpoints = ({ records, exports }: FastifyInstance): Endpoint[] =>
  resourceNames.flatMap((name) => {
    const resource = resources[name]
    const { page, item } = envelopes[name]
    const scope = `${name}:read`
    const listIncludedScopes = (rawQuery: QueryString) => includedScopes(resource, rawQuery)
    return [
      defineEndpoint({
        path: `/${name}`,
        scope,
        schema: {
          openapi: describePage(resource),
          querystring: (request) => records.parse({ ...request, resource }),
          response: { 200: page },
        },
        listScopes: listIncludedScopes,
        hold: exports.rows.hold,
        answer: (request) => records.answer({ ...request, resource }),
        exporting: {
          ...exporting,
          respond: (request) => exports.records.answer(request, resource, request.query.query),
        },
      }),
      defineEndpoint({
        path: `/${name}/:id`,
        scope,
        schema: {
          openapi: describeItem(resource),
          querystring: (request) => records.parse({ ...request, resource, id: request.params.id as string }),
          response: { 200: item },
        },
        listScopes: listIncludedScopes,
        answer: (request) => records.answer({ ...request, resource, id: request.params.id as string }),
      }),
    ]
  })

const historyEndpoints = ({ history }: FastifyInstance): Endpoint[] => [
  ...Object.values(resources).map((resource) => {
    const toRecord = ({ id }: EndpointRequest['params']) => ({ resource, id: id as string })
    return defineEndpoint({
      path: `/${resource.name}/:id/history`,
      scope: `${resource.name}:read`,
      schema: {
        openapi: describeRecordHistory(resource),
        querystring: (request) => history.parse({ ...request, record: toRecord(request.params) }),
        response: { 200: historyPage },
      },
      answer: (request) => history.answer({ ...request, record: toRecord(request.params) }),
    })
  }),
  defineEndpoint({
    path: '/history',
    scope: null,
    schema: { openapi: describeHistory, querystring: history.parse, response: { 200: historyPage } },
    listScopes: createNamedScopes('resource'),
    answer: history.answer,
  }),
]

/** `answer` and `respond` parse the query, and `respond` takes the slot: both steps need the definition. */
const customEndpoint = ({ custom, exports }: FastifyInstance): Endpoint => ({
  path: '/custom/:name',
  scope: null,
  schema: { response: { 200: customAnswer } },
  getScope: ({ name }) => `custom:${name}`,
  getName: ({ name }) => `custom/${name}`,
  admit: ({ principal, params }) => custom.admit({ principal, name: params.name as string }),
  answer: async (request) => {
    const endpoint = { ...request, name: request.params.name as string }
    return custom.answer({ ...endpoint, query: await custom.parse({ ...endpoint, type: jsonType }) })
  },
  exporting: {
    ...exporting,
    respond: (request) => exports.custom.answer(request, request.params.name as string),
  },
})

const changesEndpoint = ({ feed }: FastifyInstance): Endpoint =>
  defineEndpoint({
    path: '/changes',
    scope: changesScope,
    listScopes: createNamedScopes('resources'),
    schema: { openapi: describeChanges, querystring: feed.parse, response: { 200: changesPage } },
    minuteCost: feedCost,
    offers: offeredTypes,
    respond: feed.answer,
  })

const auditEndpoint = ({ trail }: FastifyInstance): Endpoint =>
  defineEndpoint({
    path: '/audit',
    scope: auditScope,
    demo: false,
    schema: { openapi: describeAudit, querystring: trail.parse, response: { 200: auditEntries.page } },
    minuteCost: trailCost,
    offers: () => trailTypes,
    hold: trail.hold,
    respond: trail.answer,
  })

const meEndpoint = ({ principals }: FastifyInstance): Endpoint => ({
  path: '/me',
  scope: null,
  schema: {
    openapi: describeMe,
    querystring: ({ rawQuery }) =>
      refuseParameters(rawQuery, 'This address takes no parameters', isJsonFormat),
    response: { 200: me },
  },
  state: async ({ principal, limits }) => ({
    data: {
      customer: principal.customerId,
      plan: principal.plan,
      scopes: principal.scopes
        ? [...principal.scopes].sort()
        : await principals.listScopes(principal.customerId),
      limits: limits.map(({ policy, remaining, resetSeconds }) => ({
        policy: policy.name,
        quota: policy.quota,
        window_seconds: policy.windowSeconds,
        remaining,
        reset_seconds: resetSeconds,
      })),
      settings: { expiring_within: principal.expiringWithin },
    },
  }),
})

export const dataEndpoints = (app: FastifyInstance): Endpoint[] => [
  ...recordEndpoints(app),
  ...historyEndpoints(app),
  customEndpoint(app),
  changesEndpoint(app),
  auditEndpoint(app),
  meEndpoint(app),
]
