import { defaultExpiringWithin, demoCustomerId, type Principal } from '../../identity/principal.ts'
import type { Records } from '../../records/records.ts'
import { resources } from '../../records/resources/index.ts'

const principal: Principal = {
  ...{ kind: 'demo', customerId: demoCustomerId, keyId: demoCustomerId },
  ...{ scopes: undefined, expiringWithin: defaultExpiringWithin, plan: 'premium' },
}

type ProbeOptions = {
  records: Records
  ping: () => Promise<void>
  databaseNow: () => number
}

/**
 * Reads a page through all layers of a data request. Resolves to the time in milliseconds for which it may have
 * missed a change. Also pings the database, because a cached page does not prove that other requests work.
 */
export const createProbe =
  ({ records, ping, databaseNow }: ProbeOptions) =>
  async (): Promise<number> => {
    const asked = { principal, resource: resources.countries }
    const query = records.parse({ ...asked, shape: 'page', rawQuery: 'limit=1' })
    const { asOf } = await records.answer({ ...asked, query, noCache: false })
    const ageMs = databaseNow() - Date.parse(asOf)
    await ping()
    return Math.max(0, ageMs)
  }
