import { createWebhookKeys } from '../app/features/webhooks/keys.ts'
import {
  changesAvailable,
  describeOwnDeliveries,
  describeOwnWebhooks,
  describeWebhookKeys,
} from '../app/features/webhooks/openapi.ts'
import { readOwnDeliveries, readOwnWebhooks } from '../app/features/webhooks/own-webhooks.ts'
import { jsonType } from '../app/http/formats.ts'
import { accountScope } from '../app/identity/scopes.ts'
import { liveEndpoint } from '../plugins/data-endpoints.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { ownDeliveries, ownWebhooks, webhookKeys } from '../schemas/webhooks.ts'

export const webhookRoutes: FeatureRoutes = {
  public: async (app, { secrets }) => {
    app.describeMessage(changesAvailable)
    const body = Buffer.from(JSON.stringify(createWebhookKeys(secrets).published))
    app.route({
      method: 'GET',
      url: '/.well-known/webhook-keys.json',
      schema: { openapi: describeWebhookKeys, response: { 200: webhookKeys } },
      handler: (_request, reply) =>
        reply.header('cache-control', 'public, max-age=300').type(jsonType).send(body),
    })
  },
  withToken: async (app, { db, publicUrl }) => {
    app.endpoint(
      liveEndpoint(
        {
          path: '/me/webhooks',
          scope: accountScope,
          demo: false,
          schema: { openapi: describeOwnWebhooks, response: { 200: ownWebhooks } },
          read: ({ principal }) => readOwnWebhooks(db, principal.customerId),
        },
        { publicUrl },
      ),
    )
    app.endpoint(
      liveEndpoint(
        {
          path: '/me/webhooks/:id/deliveries',
          scope: accountScope,
          demo: false,
          schema: { openapi: describeOwnDeliveries, response: { 200: ownDeliveries } },
          read: ({ principal, params }) => readOwnDeliveries(db, principal.customerId, params.id as string),
        },
        { publicUrl },
      ),
    )
  },
}
