import type { variables } from '../../app/config/variables.ts'

/** The environment variables of each feature in the central table. The check removes them with the feature. */
export const centralVariables: Readonly<Record<string, readonly (keyof typeof variables)[]>> = {
  'access-requests': ['LIMIT_ACCESS_REQUESTS', 'HOLIDAYS', 'ACCESS_REQUEST_DAYS', 'ACCESS_CONTACT'],
  verify: ['CERTDATA_API_KEY'],
  oauth: ['LIMIT_INTROSPECTIONS', 'LIMIT_REVOCATIONS'],
}
