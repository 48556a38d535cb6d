import type { Secrets } from '../config/secrets.ts'
import { migrate } from '../db/migrate.ts'
import type { Db } from '../db/schema.ts'
import { ensureSigningKeys } from '../identity/key-rotation.ts'
import { installShipped } from './custom-endpoints.ts'
import { loadExampleData } from './example-data.ts'
import { loadReferenceData } from './reference/load.ts'

type PreparedDatabase = { migrations: string[]; referenceLoaded: boolean }

/**
 * Migrates the schema, loads reference data, creates missing signing keys, loads the example data as of `day`
 * (YYYY-MM-DD, UTC; defaults to today) and installs the shipped custom endpoints. Existing data stay. Safe to
 * run concurrently. `db` must log in as the owner. Rejects with the first error.
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
