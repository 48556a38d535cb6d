import { webhookMessage } from '../../../schemas/webhooks.ts'
import type { Components } from './components.ts'
import type { Description, SchemaNode, Tag } from './description.ts'
import { exampleOf } from './examples.ts'

const tag = { name: 'Changes', description: 'To keep a copy up to date' }
/**
 * No path may use this tag: generators write one file per tag of the paths, and overwrite it with the file of
 * the same tag of the webhooks.
 */
export const webhookTag: Tag = { name: 'Webhooks', description: 'What the service sends to receivers' }

/** `GET /.well-known/webhook-keys.json`. */
export const describeWebhookKeys: Description = {
  operationId: 'listWebhookKeys',
  summary: 'The public keys that verify webhooks',
  description:
    'Ed25519 keys as JSON Web Keys, and in the form of Standard Webhooks. One signature of a message that one of these ' +
    'keys verifies is enough.',
  tag,
  errors: [],
  answer: { description: 'The keys', headers: ['Cache-Control', 'Request-Id'] },
}

const header = (name: string, description: string, example: string): SchemaNode => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', maxLength: 4096 },
  example,
})

const headers = [
  header('webhook-id', 'Names the message. It is the same at each attempt.', 'msg_2wYb3xKfTqVh5nLzR0aQpA'),
  header('webhook-timestamp', 'When this attempt was signed, in seconds since 1970.', '1795683600'),
  header(
    'webhook-signature',
    'Ed25519 signatures (`v1a`) of `id.timestamp.body`, separated by spaces.',
    'v1a,q3JkX0m2',
  ),
]

/** Returns the section `webhooks`: the messages that the service sends to a receiver. */
export const describeWebhooks = (components: Components): SchemaNode => ({
  changesAvailable: {
    post: {
      operationId: 'receiveChanges',
      summary: 'Be told that records changed',
      description:
        'By Standard Webhooks, at least once and in order. Answer within ten seconds, and then read the feed. The service ' +
        'tries again for three days, and waits as `Retry-After` says. 410 disables the webhook.',
      tags: [webhookTag.name],
      security: [],
      parameters: headers,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: components.referSchema(webhookMessage, 'answer'),
            example: exampleOf(webhookMessage),
          },
        },
      },
      responses: {
        '204': { description: 'Taken; so is any other status from 200 to 299' },
        '410': { description: 'The receiver wants no more messages' },
        default: { description: 'Not taken: the service tries again' },
      },
    },
  },
})
