import type { Feature } from '../../feature.ts'

/** Customers read who read their records, at `GET /v1/audit`: the copies that the sealer makes (`app/audit/`). */
export const auditList: Feature = {
  name: 'audit-list',
  guides: [{ name: 'who-looked', audience: 'integrators' }],
}
