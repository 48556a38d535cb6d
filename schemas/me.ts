import { z } from 'zod'
import { field } from './fields.ts'

const settings = z.strictObject({
  expiring_within: field(
    z.int().min(1).max(365),
    'Days before its end in which a certificate counts as expiring',
    90,
  ),
})

export const me = z
  .strictObject({
    data: z
      .strictObject({
        customer: field(z.string(), 'Id of the customer', 'acme'),
        plan: field(z.enum(['basic', 'premium', 'enterprise']), 'The plan', 'premium'),
        scopes: field(z.array(z.string()), 'What the token may do', ['certificates:read', 'products:read']),
        settings: settings.meta({ description: "The customer's settings" }),
      })
      .meta({ description: 'Whom the token speaks for' }),
  })
  .meta({ id: 'Me', description: 'The customer, the plan and what the token may do' })
