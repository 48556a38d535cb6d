import type { variables } from '../../app/config/variables.ts'

/** The environment variables of each feature in the central table. The check removes them with the feature. */
export const centralVariables: Readonly<Record<string, readonly (keyof typeof variables)[]>> = {
  'access-requests': ['LIMIT_ACCESS_REQUESTS', 'HOLIDAYS', 'ACCESS_REQUEST_DAYS', 'ACCESS_CONTACT'],
  calendar: ['LIMIT_CALENDAR'],
  verify: ['CERTDATA_API_KEY'],
  oauth: ['LIMIT_INTROSPECTIONS', 'LIMIT_REVOCATIONS'],
}

/** Tests of the clients with the features that they use. They are edited by hand when one of these is removed. */
export const clientTests: Readonly<Record<string, readonly string[]>> = {
  'test/clients/stream.test.ts': ['feed'],
  'test/clients/typescript.test.ts': ['feed', 'oauth', 'rotation'],
  'test/clients/helpers.test.ts': ['feed', 'oauth', 'webhooks', 'history', 'audit-list'],
}
