import { describeMe } from '../app/openapi/account.ts'
import type { Endpoint } from '../plugins/endpoints.ts'

/** Who the token is, and what it may do. */
export const meEndpoints = (scopes: readonly string[]): Endpoint[] => [
  {
    path: '/me',
    scope: null,
    schema: { openapi: describeMe },
    state: ({ principal }) => ({
      data: {
        customer: principal.customerId,
        plan: principal.plan,
        scopes: principal.scopes ? [...principal.scopes].sort() : [...scopes],
        settings: { expiring_within: principal.expiringWithin },
      },
    }),
  },
]
