import { webhookMessage } from '../../schemas/webhooks.ts'
import { jsonType } from '../http/formats.ts'
import type { Components } from './components.ts'
import type { Description, Tag } from './description.ts'
import { getExample } from './examples.ts'
import type { SchemaNode } from './headers.ts'

const tag = { name: 'Changes', description: 'For copies that are kept up to date' }
/** No path may have this tag: generators write one file for each tag, and the webhooks' file would replace it. */
export const webhookTag: Tag = {
  name: 'Webhooks',
  description: 'Messages that the service sends to receivers',
}

export const describeWebhookKeys: Description = {
  rank: 90,
  operationId: 'listWebhookKeys',
  summary: 'The public keys that verify webhooks',
  description:
    'Ed25519 keys as JSON Web Keys and in the form of Standard Webhooks. A message is genuine if one of these keys ' +
    'verifies one of its signatures.',
  tag,
  errors: [],
  answer: 'The keys',
}

const headers = [
  ['webhook-id', 'Id of the message, the same at each attempt.', 'msg_2wYb3xKfTqVh5nLzR0aQpA'],
  ['webhook-timestamp', 'Time of the signature, in seconds since 1970.', '1795683600'],
  [
    'webhook-signature',
    'Ed25519 signatures (`v1a`) of `id.timestamp.body`, separated by spaces.',
    'v1a,q3JkX0m2',
  ],
].map(([name, description, example]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', maxLength: 4096 },
  example,
}))

/** Returns the section `webhooks` of the document. */
export const describeWebhooks = (components: Components): SchemaNode => ({
  changesAvailable: {
    post: {
      operationId: 'receiveChanges',
      summary: 'Learn that records changed',
      description:
        'A message of Standard Webhooks, sent at least once and in order. Answer within ten seconds, then read the feed. ' +
        'The service retries for three days and respects `Retry-After`. 410 disables the webhook.',
      tags: [webhookTag.name],
      security: [],
      parameters: headers,
      requestBody: {
        required: true,
        content: {
          [jsonType]: {
            schema: components.referSchema(webhookMessage, 'answer'),
            example: getExample(webhookMessage),
          },
        },
      },
      responses: {
        '204': { description: 'Received. Any other status from 200 to 299 means the same' },
        '410': { description: 'Send no more messages' },
        default: { description: 'Not received: the service tries again' },
      },
    },
  },
})
