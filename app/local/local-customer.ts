import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordEvents } from '../audit/record.ts'
import type { Db } from '../db/schema.ts'
import { createApiKey, parseApiKey } from '../identity/api-keys.ts'

const localCustomerId = 'local'

const keyFile = 'local-customer.key'

const hasKey = async (db: Db, keyId: string): Promise<boolean> => {
  const known = await db
    .selectFrom('api_keys')
    .select('key_id')
    .where('customer_id', '=', localCustomerId)
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return known !== undefined
}

/**
 * Returns the API key of the customer `local`, and creates both if they are missing. A lost or revoked key is
 * replaced. The key is in a file (mode 0600), because the database has only its hash. `db` is the operator's.
 */
export const ensureLocalCustomer = async (db: Db, directory: string): Promise<string> => {
  const file = join(directory, keyFile)
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const parsed = parseApiKey(kept)
  if (parsed && (await hasKey(db, parsed.keyId))) return kept
  await db
    .insertInto('customers')
    .values({ customer_id: localCustomerId, name: 'Local customer', plan: 'premium' })
    .onConflict((conflict) => conflict.column('customer_id').doNothing())
    .execute()
  const { apiKey, keyId, secretSha256 } = createApiKey()
  writeFileSync(file, `${apiKey}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  await db
    .insertInto('api_keys')
    .values({ customer_id: localCustomerId, key_id: keyId, secret_sha256: secretSha256, scopes: null })
    .execute()
  const issued = { customer: localCustomerId, subject: keyId } as const
  await recordEvents(db, [{ actor: 'system', action: 'keys.issue', ...issued }])
  return apiKey
}
