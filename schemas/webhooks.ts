import { z } from 'zod'
import { field, instant } from './fields.ts'

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

const optionalInstant = (description: string, example: string | null) =>
  field(instant.nullable(), description, example)

const webhook = z
  .strictObject({
    id: field(z.string(), 'Id of the webhook', 'wh_3k9x2m7q4d8s1fab'),
    url: field(z.string(), 'Address of the receiver', 'https://erp.example/hooks/certdata'),
    resources: field(z.array(z.string()), 'Resources whose changes are reported', ['certificates']),
    state: field(
      z.enum(['active', 'failing', 'disabled']),
      'The state. `failing`: the receiver did not accept the last message, and the service tries again',
      'active',
    ),
    reason: field(
      z.enum(['operator', 'gone', 'failing']).nullable(),
      'Why the webhook is disabled; otherwise null. `gone`: the receiver answered 410',
      null,
    ),
    failing_since: optionalInstant('Since when no message is accepted; null if the last one was', null),
    next_attempt_at: optionalInstant('When the service tries again; null if nothing waits', null),
    last_result: field(z.string().nullable(), 'Result of the last attempt: a status or an error', '204'),
    delivered_at: optionalInstant(
      'When the receiver last accepted a message; null if never',
      '2026-11-27T09:00:00.000000Z',
    ),
    created_at: field(instant, 'When the webhook was made', '2026-09-01T08:00:00.000000Z'),
  })
  .meta({ id: 'Webhook', description: 'A receiver of messages about changes' })

export const ownWebhooks = z
  .strictObject({
    data: z.array(webhook).meta({ description: 'The webhooks of the customer, the oldest first' }),
  })
  .meta({ id: 'Webhooks', description: 'The webhooks of the customer' })

const delivery = z
  .strictObject({
    at: field(instant, 'When the message was sent', '2026-11-27T09:00:00.000000Z'),
    message_id: field(
      z.string(),
      'Id of the message, the same at each attempt, as in the header webhook-id',
      'msg_2wYb3xKfTqVh5nLzR0aQpA',
    ),
    result: field(z.string(), 'The status of the answer, or an error', '204'),
  })
  .meta({ id: 'WebhookDelivery', description: 'An attempt to send a message' })

export const ownDeliveries = z
  .strictObject({
    data: z.array(delivery).meta({ description: 'The last 20 attempts, the newest first' }),
  })
  .meta({ id: 'WebhookDeliveries', description: 'Attempts to send messages to a receiver' })
