import type { Feature } from '../../feature.ts'

/**
 * Lists earlier values of records: `GET /v1/history`, and `/history` below a record. The kernel keeps the rows, because
 * `as_of` reads them.
 */
export const history: Feature = {
  name: 'history',
  commands: { history: () => import('./commands.ts') },
  guides: [{ name: 'history', audience: 'integrators' }],
}
