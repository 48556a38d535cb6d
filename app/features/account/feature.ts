import type { Feature } from '../../feature.ts'

/** Customers read their API keys and their usage by API, and at `/account`. */
export const account: Feature = {
  name: 'account',
  tasks: () => import('./tasks.ts'),
  guides: [{ name: 'account', audience: 'integrators' }],
  pages: [{ path: '/account', label: 'Account' }],
  browserFolder: new URL('./browser/', import.meta.url),
  verifyFolder: new URL('./verify/', import.meta.url),
  customerTables: {
    usage_days: {
      exported: ['customer_id', 'day', 'endpoint', 'requests', 'not_modified', 'refused', 'bytes'],
      internal: [],
    },
  },
}
