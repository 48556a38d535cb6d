import fp from 'fastify-plugin'
import { listScopes } from '../app/identity/scopes.ts'
import type { Deps } from '../plugins/deps.ts'
import endpoints from '../plugins/endpoints.ts'
import limits from '../plugins/limits.ts'
import reference from '../plugins/reference.ts'
import { accessRoutes } from './access.ts'
import { accessRequestRoutes } from './access-requests.ts'
import { authRoutes } from './auth.ts'
import { changeEndpoints } from './changes.ts'
import { customEndpoints } from './custom.ts'
import { demoRoutes } from './demo.ts'
import { healthRoutes } from './health.ts'
import { meEndpoints } from './me.ts'
import { metricsRoutes } from './metrics.ts'
import { oauthRoutes } from './oauth.ts'
import { pageRoutes } from './pages.ts'
import { recordEndpoints } from './records.ts'
import { statusRoutes } from './status.ts'
import { wellKnownRoutes } from './well-known.ts'

export type RouteTableOptions = Pick<
  Deps,
  | 'config'
  | 'publicUrl'
  | 'judge'
  | 'ping'
  | 'isDraining'
  | 'secrets'
  | 'now'
  | 'reserved'
  | 'limitStore'
  | 'monotonicNow'
>

/** Every route of the service: what needs a token stands in one scope, which authenticates and counts. */
export default fp<RouteTableOptions>(
  async (app, deps) => {
    const { publicUrl, judge, now } = deps
    const { metricsToken, securityContact, corsOrigins } = deps.config
    await app.register(authRoutes)
    app.guardMethods('/v1/auth/login', ['POST'])
    app.guardMethods('/.well-known/jwks.json', ['GET', 'HEAD'])
    await app.register(metricsRoutes, { token: metricsToken })
    if (metricsToken !== undefined) app.guardMethods('/metrics', ['GET', 'HEAD'])
    await app.register(healthRoutes, deps)
    app.guardMethods('/health/live', ['GET', 'HEAD'])
    app.guardMethods('/health/ready', ['GET', 'HEAD'])
    await app.register(async (closed) => {
      await closed.register(endpoints, { publicUrl, variesWithOrigin: corsOrigins.length > 0, judge })
      await closed.register(limits)
      const rows = [
        ...recordEndpoints(app.records, app.exports.records),
        ...customEndpoints(app.custom, app.exports.custom),
        ...changeEndpoints(app.feed),
        ...meEndpoints(app.principals),
      ]
      for (const row of rows) closed.endpoint(row)
    })
    await app.register(oauthRoutes, deps)
    await app.register(accessRequestRoutes)
    await app.register(wellKnownRoutes, { publicUrl, scopes: listScopes(), securityContact, now })
    await app.register(statusRoutes)
    await app.register(pageRoutes)
    await app.register(reference)
    await app.register(accessRoutes, deps)
    await app.register(demoRoutes, deps)
  },
  {
    name: 'routes',
    dependencies: ['records', 'custom', 'exports', 'feed', 'access-requests', 'status', 'pages', 'openapi'],
    fastify: '5.x',
  },
)
