import type { FastifyInstance } from 'fastify'
import { exportCost } from '../app/export/exports.ts'
import { exportTypes } from '../app/export/formats.ts'
import { feedCost, offeredTypes } from '../app/feed/offer.ts'
import { auditScope, changesScope } from '../app/identity/scopes.ts'
import { entryList, rootList } from '../app/operator/trail/lists.ts'
import { trailCost, trailTypes } from '../app/operator/trail/trail.ts'
import { createNamedScopes } from '../app/records/query/named-scopes.ts'
import { includedScopes } from '../app/records/records.ts'
import { resourceNames, resources } from '../app/records/resources/index.ts'
import { describeMe } from '../app/site/openapi/account.ts'
import { describeAudit, describeAuditRoots } from '../app/site/openapi/audit.ts'
import { describeChanges } from '../app/site/openapi/changes.ts'
import { describeHistory, describeRecordHistory } from '../app/site/openapi/history.ts'
import { describeItem, describePage } from '../app/site/openapi/records.ts'
import type { Endpoint, Exporting } from '../plugins/endpoint.ts'

const exporting = (respond: Exporting['respond']): Exporting => ({
  types: exportTypes,
  cost: exportCost,
  respond,
})

const recordEndpoints = ({ records, exports }: FastifyInstance): Endpoint[] =>
  resourceNames.flatMap((name): Endpoint[] => {
    const resource = resources[name]
    const scope = `${name}:read`
    const scopesOf = (rawQuery: string) => includedScopes(resource, rawQuery)
    return [
      {
        path: `/${name}`,
        scope,
        schema: { openapi: describePage(resource) },
        scopesOf,
        answer: ({ params: _, ...asked }) => records.answer({ ...asked, resource }),
        exporting: exporting((request) => exports.records.answer(request, resource, request.rawQuery)),
      },
      {
        path: `/${name}/:id`,
        scope,
        schema: { openapi: describeItem(resource) },
        scopesOf,
        answer: ({ params, ...asked }) => records.answer({ ...asked, resource, id: params.id as string }),
      },
    ]
  })

/**
 * Histories of one record and of all. Without `resource`, it includes all resources of the token's scopes.
 */
const historyEndpoints = ({ history }: FastifyInstance): Endpoint[] => [
  ...Object.values(resources).map(
    (resource): Endpoint => ({
      path: `/${resource.name}/:id/history`,
      scope: `${resource.name}:read`,
      schema: { openapi: describeRecordHistory(resource) },
      answer: ({ params, ...asked }) =>
        history.answer({ ...asked, record: { resource, id: params.id as string } }),
    }),
  ),
  {
    path: '/history',
    scope: null,
    schema: { openapi: describeHistory },
    scopesOf: createNamedScopes('resource'),
    answer: ({ params: _, ...asked }) => history.answer(asked),
  },
]

/** Custom endpoints, by name. The scope is checked only after the endpoint is known to exist. */
const customEndpoint = ({ custom, exports }: FastifyInstance): Endpoint => ({
  path: '/custom/:name',
  scope: null,
  schema: {},
  scopeOf: ({ name }) => `custom:${name}`,
  nameOf: ({ name }) => `custom/${name}`,
  admit: ({ principal, params }) => custom.admit({ principal, name: params.name as string }),
  answer: ({ params, ...asked }) => custom.answer({ ...asked, name: params.name as string }),
  exporting: exporting((request) =>
    exports.custom.answer(request, request.params.name as string, request.rawQuery),
  ),
})

const changesEndpoint = ({ feed }: FastifyInstance): Endpoint => ({
  path: '/changes',
  scope: changesScope,
  scopesOf: createNamedScopes('resources'),
  schema: { openapi: describeChanges },
  minuteCost: feedCost,
  offers: offeredTypes,
  respond: feed.answer,
})

/** The audit trail, and the signed roots that prove it. The example data have no trail. */
const auditEndpoints = ({ trail }: FastifyInstance): Endpoint[] =>
  [
    { list: entryList, openapi: describeAudit },
    { list: rootList, openapi: describeAuditRoots },
  ].map(({ list, openapi }) => ({
    path: `/${list.path}`,
    scope: auditScope,
    demo: false,
    schema: { openapi },
    minuteCost: trailCost,
    offers: () => trailTypes,
    respond: (request) => trail.answer(request, list),
  }))

const meEndpoint = ({ principals }: FastifyInstance): Endpoint => ({
  path: '/me',
  scope: null,
  schema: { openapi: describeMe },
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
  ...auditEndpoints(app),
  meEndpoint(app),
]
