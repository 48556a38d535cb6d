import type { Feature } from '../../feature.ts'

/** Visitors request access at `/access` or by API. The operator decides with `certdata requests`. */
export const accessRequests: Feature = {
  name: 'access-requests',
  commands: { requests: () => import('./commands.ts') },
  tasks: () => import('./tasks.ts'),
  guides: [{ name: 'access-requests', audience: 'operators' }],
  pages: [{ path: '/access', label: 'Get access' }],
  contactPath: '/access',
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
  verifyFolder: new URL('./verify/', import.meta.url),
}
