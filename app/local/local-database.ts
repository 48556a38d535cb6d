import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordEvents } from '../audit/record.ts'
import type { Config } from '../config/config.ts'
import { createSecrets } from '../config/secrets.ts'
import { operatorRole } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import { addApiKey, listApiKeys } from '../identity/api-key-store.ts'
import { createApiKey, parseApiKey } from '../identity/api-keys.ts'
import { addCustomer } from '../identity/customers.ts'
import { listNewScopes } from '../identity/scopes.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'
import { loadExampleData } from './example-data.ts'
import { utcHour } from './example-records.ts'
import { type PreparedDatabase, type PrepareOptions, prepareDatabase } from './prepare.ts'
import { openSecretKeys } from './secret-keys.ts'
import { withConnection } from './with-connection.ts'

export type LocalDatabase = EmbeddedPostgres & {
  secretKeys: readonly string[]
  apiKey: string
  /** The file that has `apiKey`. */
  keyFile: string
  /** The hour (YYYY-MM-DDTHH, UTC) of the example data that were loaded at the start. */
  loadedHour: string
  /** Of the triggers, at the start. */
  trust: PreparedDatabase['trust']
  refreshExampleData(hour: string): Promise<void>
}

type Log = { info(message: string): void; warn(details: object, message: string): void }

const localCustomerId = 'local'
const keyFileName = 'local-customer.key'

/**
 * Returns the API key of the customer `local`, and creates both if they are missing. A lost or revoked key is
 * replaced. The key is in a file (mode 0600), because the database has only its hash. `db` is the operator's.
 */
const ensureLocalCustomer = async (db: Db, file: string): Promise<string> => {
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const keyId = parseApiKey(kept)?.keyId
  const keys = await listApiKeys(db, localCustomerId)
  if (keys.some((key) => key.key_id === keyId && key.revoked_at === null)) return kept
  await addCustomer(db, { customerId: localCustomerId, name: 'Local customer', plan: 'premium' })
  const { apiKey, ...made } = createApiKey()
  writeFileSync(file, `${apiKey}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  await addApiKey(db, {
    customerId: localCustomerId,
    ...made,
    scopes: listNewScopes('premium'),
    expiresAt: null,
  })
  const issued = { customer: localCustomerId, subject: made.keyId }
  await recordEvents(db, [{ actor: 'system', action: 'keys.issue', ...issued }])
  return apiKey
}

/** Starts or joins the bundled PostgreSQL and prepares its schema, data, secret key and local customer. */
export const openLocalDatabase = async (
  config: Config,
  packageRoot: string,
  log: Log,
  features: NonNullable<PrepareOptions['features']>,
): Promise<LocalDatabase> => {
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    packageRoot,
    log: (message) => log.info(message),
  })
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a set-up connection was lost')
  const withDb = <T>(role: string | undefined, use: (db: Db) => Promise<T>) =>
    withConnection(embedded.url, { role, applicationName: 'certdata-setup', onError }, use)
  try {
    const secretKeys = openSecretKeys(config, packageRoot, { directory: embedded.directory })
    const loadedHour = utcHour()
    const { trust } = await withDb(undefined, (db) =>
      prepareDatabase(db, createSecrets(secretKeys), { features, hour: loadedHour }),
    )
    const refreshExampleData = (hour: string) => withDb(operatorRole, (db) => loadExampleData(db, hour))
    const keyFile = join(embedded.directory, keyFileName)
    const apiKey = await withDb(operatorRole, (db) => ensureLocalCustomer(db, keyFile))
    return { ...embedded, secretKeys, apiKey, keyFile, loadedHour, trust, refreshExampleData }
  } catch (error) {
    await embedded.release()
    throw error
  }
}
