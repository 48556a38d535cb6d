import { z } from 'zod'
import { date, field, instant } from './fields.ts'

const accountKey = z
  .strictObject({
    id: field(z.string(), 'Id of the key', '4f1c2a9b'),
    name: field(z.string().nullable(), 'Name that the operator gave the key; null without one', 'ERP'),
    is_current: field(z.boolean(), 'Whether the token of this request belongs to the key', true),
    state: field(
      z.enum(['active', 'pending', 'replaced', 'expired', 'revoked']),
      'The state. `pending`: it replaces another key at its first login, which must be before `expires_at`. `replaced`: another key was made instead of this one, which still works until it expires',
      'active',
    ),
    created_at: field(instant, 'When the key was made', '2026-09-01T08:00:00.000000Z'),
    last_used_on: field(date.nullable(), 'Day of the last login (UTC); null if there was none', '2026-11-27'),
    expires_at: field(
      instant.nullable(),
      'The key and its tokens work until this time; null: no end. The first login of a pending key sets its full life',
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

const count = (description: string, example: number) => field(z.int().nonnegative(), description, example)

const usageDay = z
  .strictObject({
    day: field(date, 'The day (UTC)', '2026-11-27'),
    endpoint: field(
      z.string(),
      'Path of the endpoint with names of its parameters. `/v1/*`: unknown addresses',
      '/v1/products/{id}',
    ),
    requests: count('All requests, also by older addresses of the endpoint', 412),
    not_modified: count('Requests that were answered with 304', 380),
    refused: count('Requests that were answered with a status of 400 or more', 2),
    bytes: count('Bytes of the bodies as they were sent, often compressed', 48_210),
  })
  .meta({ id: 'UsageDay', description: 'The requests of a day for an endpoint' })

export const usage = z
  .strictObject({
    data: z.array(usageDay).meta({ description: 'Days with requests, the newest first' }),
    counted: z
      .strictObject({
        from: field(date, 'The first day that is kept', '2026-10-29'),
        until: field(date, 'Today (UTC)', '2026-11-28'),
        write_seconds: field(
          z.int().positive(),
          'Seconds after which each process adds its counts. A killed process loses the last ones',
          60,
        ),
        note: field(z.string(), 'The same in words', 'Each process adds its counts once a minute.'),
      })
      .meta({ description: 'How exact the counts are' }),
  })
  .meta({ id: 'Usage', description: 'The usage of the customer' })
