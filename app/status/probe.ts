import { demoCustomerId, type Principal } from '../auth/principal.ts'
import type { Records } from '../records.ts'
import { resources } from '../resources/index.ts'

/** Who the service is to itself when it asks whether it answers. */
const principal: Principal = {
  ...{ kind: 'demo', customerId: demoCustomerId, keyId: demoCustomerId },
  ...{ scopes: undefined, expiringWithin: 90, plan: 'premium' },
}

/**
 * Asks the database, then the whole way of a data request for a page that there always is. Both, because a
 * cached page alone would be answered where others are refused.
 */
export const createProbe = (ping: () => Promise<void>, records: Records) => async (): Promise<void> => {
  await ping()
  await records.answer({ principal, resource: resources.countries, rawQuery: 'limit=1', noCache: false })
}
