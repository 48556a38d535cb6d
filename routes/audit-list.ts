import { describeAudit } from '../app/features/audit-list/openapi.ts'
import { createTrail, trailCost, trailTypes } from '../app/features/audit-list/trail.ts'
import { auditScope } from '../app/identity/scopes.ts'
import { streamedEndpoint } from '../plugins/data-endpoints.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { auditEntries } from '../schemas/audit-list.ts'

export const auditListRoutes: FeatureRoutes = {
  withToken: async (app, deps) => {
    const { lists, today, exports } = app
    const trail = createTrail({ lists, today, db: deps.db, exports: exports.rows })
    app.endpoint(
      streamedEndpoint(
        {
          path: '/audit',
          scope: auditScope,
          demo: false,
          schema: { openapi: describeAudit, response: { 200: auditEntries.page } },
          minuteCost: trailCost,
          offers: () => trailTypes,
          hold: trail.hold,
          parse: trail.parse,
          respond: trail.answer,
        },
        deps,
      ),
    )
  },
}
