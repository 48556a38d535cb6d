import type { Feature } from '../../feature.ts'

/** Customers read their API keys and their usage by API. */
export const account: Feature = {
  name: 'account',
  tasks: () => import('./tasks.ts'),
  guides: [{ name: 'account', audience: 'integrators' }],
  verifyFolder: new URL('./verify/', import.meta.url),
  customerTables: {
    usage_days: {
      exported: ['customer_id', 'day', 'endpoint', 'requests', 'not_modified', 'refused', 'bytes'],
      internal: [],
    },
  },
}
