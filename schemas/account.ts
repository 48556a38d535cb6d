import { z } from 'zod'
import { date, field, instant } from './fields.ts'

const accountKey = z
  .strictObject({
    id: field(z.string(), 'Id of the key', '4f1c2a9b'),
    name: field(z.string().nullable(), 'Name that the operator gave the key; null without one', 'ERP'),
    is_current: field(z.boolean(), 'Whether the token of this request belongs to the key', true),
    state: field(
      z.enum(['active', 'pending', 'replaced', 'expired', 'revoked']),
      'The state. `pending`: it replaces another key at its first login. `replaced`: another key was made instead of this one, which still works until it expires',
      'active',
    ),
    created_at: field(instant, 'When the key was made', '2026-09-01T08:00:00.000000Z'),
    last_used_on: field(date.nullable(), 'Day of the last login (UTC); null if there was none', '2026-11-27'),
    expires_at: field(
      instant.nullable(),
      'The key and its tokens work until this time; null: no end',
      '2027-09-01T08:00:00.000000Z',
    ),
    networks: field(
      z.array(z.string()).nullable(),
      'Networks from which the key works. Null: a key sees networks only of itself',
      ['192.0.2.0/24'],
    ),
    scopes: field(z.array(z.string()), 'All scopes of the key', ['certificates:read', 'products:read']),
  })
  .meta({ id: 'AccountKey', description: 'An API key of the customer, without its secret' })

export const accountKeys = z
  .strictObject({
    data: z.array(accountKey).meta({ description: 'The newest 1,000 keys, the newest first' }),
  })
  .meta({ id: 'AccountKeys', description: 'The API keys of the customer' })
