import { jsonType } from '../../http/formats.ts'
import { createQueryString } from '../../http/pairs.ts'
import { defaultExpiringWithin, demoCustomerId, type Principal } from '../../identity/principal.ts'
import type { Records } from '../../records/records.ts'
import { resources } from '../../records/resources/index.ts'

const principal: Principal = {
  kind: 'demo',
  customerId: demoCustomerId,
  keyId: demoCustomerId,
  scopes: undefined,
  expiringWithin: defaultExpiringWithin,
  plan: 'premium',
}

type ProbeOptions = {
  records: Records
  ping: () => Promise<void>
  databaseNow: () => number
}

/**
 * Reads a page through all layers of a data request. Resolves to its age in milliseconds, by the clock of the
 * database. Rejects if the database does not answer a ping, even if the page was cached.
 */
export const createProbe =
  ({ records, ping, databaseNow }: ProbeOptions) =>
  async (): Promise<number> => {
    const asked = { principal, resource: resources.countries }
    const query = records.parse({ ...asked, type: jsonType, rawQuery: createQueryString('limit=1') })
    const { asOf } = await records.answer({ ...asked, query, noCache: false })
    const ageMs = databaseNow() - Date.parse(asOf)
    await ping()
    return Math.max(0, ageMs)
  }
