import { z } from 'zod'
import { field } from './fields.ts'
import { keySummary } from './key.ts'

const settings = z.strictObject({
  expiring_within: field(
    z.int().min(1).max(365),
    'Days before its end in which a certificate counts as expiring',
    90,
  ),
})

const limit = z
  .strictObject({
    policy: field(z.string(), 'Name of the policy, as in the header RateLimit', 'minute'),
    quota: field(z.int().positive(), 'Units that are allowed in any window of this length', 600),
    window_seconds: field(z.int().positive(), 'Length of the window', 60),
    remaining: field(z.int().min(0), 'Units left', 412),
    reset_seconds: field(z.int().min(0), 'Seconds until more is available', 23),
  })
  .meta({ id: 'Limit', description: 'A quota policy and its present use' })

export const me = z
  .strictObject({
    data: z
      .strictObject({
        customer: field(z.string(), 'Id of the customer', 'acme'),
        plan: field(z.enum(['basic', 'premium', 'enterprise']), 'The plan', 'premium'),
        scopes: field(z.array(z.string()), 'Scopes of the token', ['certificates:read', 'products:read']),
        key: keySummary.nullable().meta({ description: 'The API key of the token. Null for the demo token' }),
        limits: z.array(limit).meta({ description: 'The quotas, and how many units are left' }),
        settings: settings.meta({ description: "The customer's settings" }),
      })
      .meta({ description: 'The customer that the token belongs to' }),
  })
  .meta({ id: 'Me', description: 'The customer, the plan and the rights of the token' })
