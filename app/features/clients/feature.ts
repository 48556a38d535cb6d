import type { Feature } from '../../feature.ts'

/** The service has the packages of both clients, which are in no public registry. */
export const clients: Feature = {
  name: 'clients',
  pages: [{ path: '/clients/', label: 'Clients' }],
  shownFiles: {
    'clients/README.md': '/clients/',
    'clients/typescript/README.md': '/clients/#typescript',
    'clients/python/README.md': '/clients/#python',
  },
  verifyFolder: new URL('./verify/', import.meta.url),
}
