import { z } from 'zod'
import { webhookMessage } from '../../../schemas/webhooks.ts'
import { accountTag } from '../../openapi/account.ts'
import type { Description } from '../../openapi/description.ts'
import type { MessageDescription } from '../../openapi/messages.ts'

export const describeWebhookKeys: Description = {
  rank: 90,
  operationId: 'listWebhookKeys',
  summary: 'The public keys that verify webhooks',
  description:
    'Ed25519 keys as JSON Web Keys and in the form of Standard Webhooks. A message is genuine if one of these keys ' +
    'verifies one of its signatures.',
  tag: { name: 'Changes', description: 'For copies that are kept up to date' },
  errors: [],
  answer: 'The keys',
}

export const changesAvailable: MessageDescription = {
  name: 'changesAvailable',
  operationId: 'receiveChanges',
  summary: 'Learn that records changed',
  description:
    'A message of Standard Webhooks, sent at least once and in order. Answer within ten seconds, then read the feed. ' +
    'The service retries for three days and respects `Retry-After`. 410 disables the webhook.',
  tag: { name: 'Webhooks', description: 'Messages that the service sends to receivers' },
  headers: [
    {
      name: 'webhook-id',
      description: 'Id of the message, the same at each attempt.',
      example: 'msg_2wYb3xKfTqVh5nLzR0aQpA',
    },
    {
      name: 'webhook-timestamp',
      description: 'Time of the signature, in seconds since 1970.',
      example: '1795683600',
    },
    {
      name: 'webhook-signature',
      description: 'Ed25519 signatures (`v1a`) of `id.timestamp.body`, separated by spaces.',
      example: 'v1a,q3JkX0m2',
    },
  ],
  body: webhookMessage,
  answers: {
    '204': 'Received. Any other status from 200 to 299 means the same',
    '410': 'Send no more messages',
    default: 'Not received: the service tries again',
  },
}

export const describeOwnWebhooks: Description = {
  rank: 63,
  operationId: 'listMyWebhooks',
  summary: 'List the webhooks of the customer',
  description: 'All receivers of messages, with their state and the result of the last attempt.',
  tag: accountTag,
  errors: ['query'],
  headers: ['Data-As-Of'],
  answer: 'The webhooks, the oldest first',
}

export const describeOwnDeliveries: Description = {
  rank: 64,
  operationId: 'listMyWebhookDeliveries',
  summary: 'List the last attempts of a webhook',
  description: 'The last 20 attempts to send a message, with their results.',
  tag: accountTag,
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'Id of the webhook',
      schema: z
        .string()
        .meta({ maxLength: 64, description: 'Id of the webhook', examples: ['wh_3k9x2m7q4d8s1fab'] }),
    },
  ],
  errors: ['query', 'record'],
  headers: ['Data-As-Of'],
  answer: 'The attempts, the newest first',
}
