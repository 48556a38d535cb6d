import type { Config } from '../config/config.ts'
import { createSecrets } from '../config/secrets.ts'
import { operatorRole } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'
import { loadExampleData } from './example-data.ts'
import { utcHour } from './example-records.ts'
import { ensureLocalCustomer } from './local-customer.ts'
import { prepareDatabase } from './prepare.ts'
import { openSecretKeys } from './secret-keys.ts'
import { withConnection } from './with-connection.ts'

export type LocalDatabase = EmbeddedPostgres & {
  secretKeys: readonly string[]
  apiKey: string
  /** The hour (YYYY-MM-DDTHH, UTC) of the example data that were loaded at the start. */
  loadedHour: string
  refreshExampleData(hour: string): Promise<void>
}

type Log = { info(message: string): void; warn(details: object, message: string): void }

/** Starts or joins the bundled PostgreSQL and prepares its schema, data, secret key and local customer. */
export const openLocalDatabase = async (
  config: Config,
  packageRoot: string,
  log: Log,
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
    await withDb(undefined, (db) => prepareDatabase(db, createSecrets(secretKeys), loadedHour))
    const refreshExampleData = (hour: string) => withDb(operatorRole, (db) => loadExampleData(db, hour))
    const apiKey = await withDb(operatorRole, (db) => ensureLocalCustomer(db, embedded.directory))
    return { ...embedded, secretKeys, apiKey, loadedHour, refreshExampleData }
  } catch (error) {
    await embedded.release()
    throw error
  }
}
