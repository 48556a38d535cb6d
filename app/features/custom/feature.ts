import type { Feature } from '../../feature.ts'

/** Endpoints that the operator defines as documents (YAML) and grants to customers, at `GET /v1/custom/<name>`. */
export const custom: Feature = {
  name: 'custom',
  commands: { custom: () => import('./commands.ts') },
  preparation: () => import('./shipped.ts'),
  guides: [
    { name: 'custom-endpoints', audience: 'integrators' },
    { name: 'custom-documents', audience: 'operators' },
  ],
  verifyFolder: new URL('./verify/', import.meta.url),
}
