import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordEvents } from '../audit/record.ts'
import type { Db } from '../db/schema.ts'
import { addApiKey, listApiKeys } from '../identity/api-key-store.ts'
import { createApiKey, parseApiKey } from '../identity/api-keys.ts'
import { addCustomer } from '../identity/customers.ts'

const customerId = 'local'
const keyFile = 'local-customer.key'

/**
 * Returns the API key of the customer `local`, and creates both if they are missing. A lost or revoked key is
 * replaced. The key is in a file (mode 0600), because the database has only its hash. `db` is the operator's.
 */
export const ensureLocalCustomer = async (db: Db, directory: string): Promise<string> => {
  const file = join(directory, keyFile)
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const keyId = parseApiKey(kept)?.keyId
  const keys = await listApiKeys(db, customerId)
  if (keys.some((key) => key.key_id === keyId && key.revoked_at === null)) return kept
  await addCustomer(db, { customerId, name: 'Local customer', plan: 'premium' })
  const { apiKey, ...made } = createApiKey()
  writeFileSync(file, `${apiKey}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  await addApiKey(db, { customerId, ...made, scopes: null, expiresAt: null })
  const issued = { customer: customerId, subject: made.keyId }
  await recordEvents(db, [{ actor: 'system', action: 'keys.issue', ...issued }])
  return apiKey
}
