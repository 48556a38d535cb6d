import fp from 'fastify-plugin'
import type { Deps } from '../plugins/deps.ts'
import endpoints from '../plugins/endpoints.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import rateLimit from '../plugins/rate-limit.ts'
import reference from '../plugins/reference.ts'
import { accessRequestRoutes } from './access-requests.ts'
import { accountRoutes } from './account.ts'
import { auditListRoutes } from './audit-list.ts'
import { calendarRoutes } from './calendar.ts'
import { clientRoutes } from './clients.ts'
import { customRoutes } from './custom.ts'
import { dataEndpoints } from './data.ts'
import { demoRoutes } from './demo.ts'
import { feedRoutes } from './feed.ts'
import { historyRoutes } from './history.ts'
import { keyLinkRoutes } from './key-link.ts'
import { authRoutes } from './login.ts'
import { oauthRoutes } from './oauth.ts'
import { healthRoutes, metricsRoutes } from './operations.ts'
import { rotationRoutes } from './rotation.ts'
import { pageRoutes, wellKnownRoutes } from './site.ts'
import { statusRoutes } from './status.ts'
import { webhookRoutes } from './webhooks.ts'

/** The features of `app/features.ts` with endpoints. */
const featureRoutes: readonly FeatureRoutes[] = [
  // One line for each of them.
  statusRoutes,
  accessRequestRoutes,
  historyRoutes,
  feedRoutes,
  webhookRoutes,
  auditListRoutes,
  oauthRoutes,
  clientRoutes,
  accountRoutes,
  customRoutes,
  rotationRoutes,
  calendarRoutes,
  demoRoutes,
]

export default fp<Deps>(
  async (app, deps) => {
    const { publicUrl, freshness } = deps
    const { metricsToken, corsOrigins } = deps.config
    await app.register(authRoutes)
    await app.register(metricsRoutes, { token: metricsToken })
    await app.register(healthRoutes, deps)
    await app.register(async (closed) => {
      await closed.register(endpoints, { publicUrl, variesWithOrigin: corsOrigins.length > 0, freshness })
      await closed.register(rateLimit)
      const formats = featureRoutes.flatMap((each) => each.formats?.(closed, deps) ?? [])
      for (const row of dataEndpoints(closed, { publicUrl, formats })) closed.endpoint(row)
      for (const { withToken } of featureRoutes) if (withToken) await closed.register(withToken, deps)
    })
    await app.register(wellKnownRoutes, deps)
    await app.register(pageRoutes, deps)
    await app.register(reference)
    await app.register(keyLinkRoutes, deps)
    for (const { public: open } of featureRoutes) if (open) await app.register(open, deps)
    app.guardMethods()
  },
  {
    name: 'routes',
    dependencies: ['data', 'metrics', 'answers', 'pages', 'openapi'],
    fastify: '5.x',
  },
)
