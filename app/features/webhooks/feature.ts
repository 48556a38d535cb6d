import type { Feature } from '../../feature.ts'

/** Messages to customers' servers, which report changed records. The operator adds servers with `certdata webhooks`. */
export const webhooks: Feature = {
  name: 'webhooks',
  needs: ['feed'],
  commands: { webhooks: () => import('./commands.ts') },
  tasks: () => import('./tasks.ts'),
  guides: [{ name: 'webhooks', audience: 'integrators' }],
  verifyFolder: new URL('./verify/', import.meta.url),
  customerTables: {
    webhooks: {
      exported: [
        'customer_id',
        'webhook_id',
        'url',
        'resources',
        'state',
        'reason',
        'created_at',
        'changed_at',
        'token',
        'day',
        'identity',
        'message_id',
        'message_at',
        'message_resources',
        'message_after',
        'next_token',
        'next_day',
        'next_identity',
        'attempts',
        'failing_since',
        'next_attempt_at',
        'last_result',
        'delivered_at',
        'holder',
        'held_until',
      ],
      internal: ['since', 'next_since'],
      // Inactive until the operator enables them, because the other database still sends.
      imported: {
        columns: ['customer_id', 'webhook_id', 'url', 'resources', 'created_at', 'token', 'day', 'identity'],
        values: { since: '0', state: 'disabled', reason: 'operator' },
        leftBehind: {
          noun: 'webhook',
          nextStep: 'wait: run certdata webhooks enable for each when clients use this database',
        },
      },
    },
    webhook_deliveries: {
      exported: ['customer_id', 'webhook_id', 'attempt_id', 'at', 'message_id', 'result'],
      internal: [],
      staysBehind: true,
    },
  },
}
