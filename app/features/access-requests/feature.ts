import type { Feature } from '../../feature.ts'

/** Visitors request access at `/access` or by API. The operator decides with `certdata requests`. */
export const accessRequests: Feature = {
  name: 'access-requests',
  commands: { requests: async () => (await import('./commands.ts')).requestsCommand },
  tasks: () => import('./tasks.ts'),
  metrics: () => import('./metrics.ts'),
  guides: [{ name: 'access-requests', audience: 'operators', rank: 90 }],
  pages: [{ path: '/access', label: 'Get access', rank: 50, isContact: true }],
  browserFolder: new URL('./browser/', import.meta.url),
  customerTables: {
    approved_requests: {
      exported: [
        'customer_id',
        'request_id',
        'company',
        'name',
        'email',
        'message',
        'created_at',
        'due_at',
        'approved_at',
      ],
      internal: [],
    },
  },
  promises: { section: 9, file: new URL('./verify.json', import.meta.url) },
  central: { variables: ['LIMIT_ACCESS_REQUESTS', 'HOLIDAYS', 'ACCESS_REQUEST_DAYS', 'ACCESS_CONTACT'] },
}
