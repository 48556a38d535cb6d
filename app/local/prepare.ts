import type { Secrets } from '../config/secrets.ts'
import { migrate } from '../db/migrate.ts'
import type { Db } from '../db/schema.ts'
import { ensureSigningKeys } from '../identity/key-rotation.ts'
import { installShipped } from './custom-endpoints.ts'
import { loadExampleData } from './example-data.ts'
import { loadReferenceData } from './reference/load.ts'

/** `migrations`: names that ran. `referenceLoaded`: whether this release brought other reference data. */
type PreparedDatabase = { migrations: string[]; referenceLoaded: boolean }

/**
 * Prepares a database for the service. It creates the schema, loads reference data and the shipped custom
 * endpoints, and seals signing keys with `secrets`. It loads the example data as of `day` (YYYY-MM-DD, UTC; default
 * today). Existing data stay; several processes may call it at once. `db` must log in as the owner. Throws the
 * first error; a failed migration leaves nothing behind.
 */
export const prepareDatabase = async (
  db: Db,
  secrets: Secrets,
  day: string = new Date().toISOString().slice(0, 10),
): Promise<PreparedDatabase> => {
  const migrations = await migrate(db)
  const referenceLoaded = await loadReferenceData(db)
  await ensureSigningKeys(db, secrets)
  await loadExampleData(db, day)
  await installShipped(db)
  return { migrations, referenceLoaded }
}
