import { z } from 'zod'
import { field } from './fields.ts'

const key = z
  .strictObject({
    kty: field(z.literal('OKP'), 'Key type', 'OKP'),
    crv: field(z.literal('Ed25519'), 'Curve (RFC 8037)', 'Ed25519'),
    x: field(z.string(), 'Public key, base64url', 'lhBIFMmWi0bT5SbTSy9gXQ1l5cVvCe4uDXbEkVvjF4o'),
    kid: field(z.string(), 'Thumbprint (RFC 7638)', '3Vp8OXqPjTKsVTIVZzHQ2yJHYhr6vP2H8jqzW3pGm0k'),
    alg: field(z.literal('EdDSA'), 'Algorithm', 'EdDSA'),
    use: field(z.literal('sig'), 'Use', 'sig'),
    whpk: field(
      z.string(),
      'The same key as Standard Webhooks writes it',
      'whpk_lhBIFMmWi0bT5SbTSy9gXQ1l5cVvCe4uDXbEkVvjF4o=',
    ),
  })
  .meta({ id: 'WebhookKey', description: 'A public key that verifies webhooks' })

export const webhookKeys = z
  .strictObject({
    keys: z.array(key).meta({
      description: 'One key; two while the service changes its keys. A message has a signature by each',
    }),
  })
  .meta({ id: 'WebhookKeySet', description: 'The public keys that verify webhooks' })

export const webhookMessage = z
  .strictObject({
    type: field(
      z.enum(['changes.available', 'webhook.test']),
      'Purpose of the message. A test reports no change',
      'changes.available',
    ),
    timestamp: field(
      z.iso.datetime({ precision: 3 }),
      'Creation time of the message. The same at each attempt',
      '2026-11-26T09:00:00.000Z',
    ),
    data: z
      .strictObject({
        resources: z.array(z.string()).meta({
          description: 'Resources in which records changed',
          examples: [['certificates']],
        }),
        after: z
          .string()
          .optional()
          .meta({
            description:
              'Value of `after` for `GET /v1/changes`. `snapshot`: the changes are not known. Omitted in a test',
            examples: ['AVsi'],
          }),
      })
      .meta({
        description: 'The changed resources, without the data',
        examples: [{ resources: ['certificates'], after: 'AVsi' }],
      }),
  })
  .meta({ id: 'WebhookMessage', description: 'Reports that records changed' })
