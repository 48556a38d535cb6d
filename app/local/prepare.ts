import type { Secrets } from '../config/secrets.ts'
import { migrate } from '../db/migrate.ts'
import type { Db } from '../db/schema.ts'
import { ensureSigningKeys } from '../identity/key-rotation.ts'
import { installShipped } from './custom-endpoints.ts'
import { loadExampleData } from './example-data.ts'
import { utcHour } from './example-records.ts'
import { loadReferenceData } from './reference/load.ts'

type PreparedDatabase = { migrations: string[]; referenceLoaded: boolean }

/**
 * Prepares a database for the service: migrates the schema, loads reference data, creates missing signing
 * keys sealed with `secrets`, loads the example data as of `hour` (YYYY-MM-DDTHH, UTC; defaults to now) and
 * installs the shipped custom endpoints. Existing data stay. Several processes may call it concurrently. `db`
 * must log in as the owner. Rejects with the first error; a failed migration is rolled back.
 */
export const prepareDatabase = async (
  db: Db,
  secrets: Secrets,
  hour: string = utcHour(),
): Promise<PreparedDatabase> => {
  const migrations = await migrate(db)
  const referenceLoaded = await loadReferenceData(db)
  await ensureSigningKeys(db, secrets)
  await loadExampleData(db, hour)
  await installShipped(db)
  return { migrations, referenceLoaded }
}
