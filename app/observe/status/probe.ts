import { defaultExpiringWithin, demoCustomerId, type Principal } from '../../identity/principal.ts'
import type { Records } from '../../records/records.ts'
import { resources } from '../../records/resources/index.ts'

/** Who the service is to itself when it asks whether it answers. */
const principal: Principal = {
  ...{ kind: 'demo', customerId: demoCustomerId, keyId: demoCustomerId },
  ...{ scopes: undefined, expiringWithin: defaultExpiringWithin, plan: 'premium' },
}

type ProbeOptions = {
  records: Records
  /** Rejects where the database does not answer. */
  ping: () => Promise<void>
  /** The database's clock, milliseconds since 1970. */
  databaseNow: () => number
}

/**
 * Asks for a page that there always is, the whole way of a data request, and tells how old the answer might be
 * (ms). Then the database itself, because cached pages alone are answered where other requests are refused.
 */
export const createProbe =
  ({ records, ping, databaseNow }: ProbeOptions) =>
  async (): Promise<number> => {
    const query = { principal, resource: resources.countries, rawQuery: 'limit=1', noCache: false }
    const { asOf } = await records.answer(query)
    const ageMs = databaseNow() - Date.parse(asOf)
    await ping()
    return Math.max(0, ageMs)
  }
