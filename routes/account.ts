import { readAccountKeys } from '../app/features/account/keys.ts'
import { describeKeys } from '../app/features/account/openapi.ts'
import { accountScope } from '../app/identity/scopes.ts'
import { liveEndpoint } from '../plugins/data-endpoints.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { accountKeys } from '../schemas/account.ts'

export const accountRoutes: FeatureRoutes = {
  withToken: async (app, { db, publicUrl }) => {
    app.endpoint(
      liveEndpoint(
        {
          path: '/me/keys',
          scope: accountScope,
          demo: false,
          schema: { openapi: describeKeys, response: { 200: accountKeys } },
          read: ({ principal }) => readAccountKeys(db, principal, app.principals),
        },
        { publicUrl },
      ),
    )
  },
}
