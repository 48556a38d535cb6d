import { describeMe } from '../app/openapi/account.ts'
import type { Endpoint } from '../plugins/endpoint.ts'

/** Who the token is, what it may do, and how much of it is left. */
export const meEndpoints = (scopes: readonly string[]): Endpoint[] => [
  {
    path: '/me',
    scope: null,
    schema: { openapi: describeMe },
    state: ({ principal, limits }) => ({
      data: {
        customer: principal.customerId,
        plan: principal.plan,
        scopes: principal.scopes ? [...principal.scopes].sort() : [...scopes],
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
