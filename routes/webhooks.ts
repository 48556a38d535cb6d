import { createWebhookKeys } from '../app/features/webhooks/keys.ts'
import { changesAvailable, describeWebhookKeys } from '../app/features/webhooks/openapi.ts'
import { jsonType } from '../app/http/formats.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { webhookKeys } from '../schemas/webhooks.ts'

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
}
