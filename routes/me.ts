import type { Principals } from '../app/identity/principals.ts'
import { describeMe } from '../app/site/openapi/account.ts'
import type { Endpoint } from '../plugins/endpoint.ts'

/** Who the token is, what it may do, and how much of it is left. */
export const meEndpoints = ({ listScopes }: Pick<Principals, 'listScopes'>): Endpoint[] => [
  {
    path: '/me',
    scope: null,
    schema: { openapi: describeMe },
    state: async ({ principal, limits }) => ({
      data: {
        customer: principal.customerId,
        plan: principal.plan,
        scopes: principal.scopes ? [...principal.scopes].sort() : await listScopes(principal.customerId),
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
  },
]
