import type { Config } from '../config/config.ts'
import { createSecrets } from '../config/secrets.ts'
import { operatorRole } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import { startEmbedded } from './embedded.ts'
import { loadExampleData } from './example-data.ts'
import { ensureLocalCustomer } from './local-customer.ts'
import { prepareDatabase } from './prepare.ts'
import { openSecretKeys } from './secret-keys.ts'
import { withConnection } from './with-connection.ts'

export type LocalDatabase = {
  url: string
  directory: string
  secretKeys: readonly string[]
  apiKey: string
  refreshExampleData(day: string): Promise<void>
  revive(): Promise<boolean>
  release(): Promise<void>
}

type Log = { info(message: string): void; warn(details: object, message: string): void }

/**
 * Starts or joins the bundled PostgreSQL and prepares its schema, reference and example data, and customer.
 */
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
    await withDb(undefined, (db) => prepareDatabase(db, createSecrets(secretKeys)))
    const refreshExampleData = (day: string) => withDb(operatorRole, (db) => loadExampleData(db, day))
    const apiKey = await withDb(operatorRole, (db) => ensureLocalCustomer(db, embedded.directory))
    const { url, directory, revive } = embedded
    return {
      url,
      directory,
      secretKeys,
      apiKey,
      refreshExampleData,
      revive,
      release: () => embedded.release(),
    }
  } catch (error) {
    await embedded.release()
    throw error
  }
}
