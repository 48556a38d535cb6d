import type { Secrets } from '../config/secrets.ts'
import { installShipped } from '../custom/install.ts'
import { migrate } from '../db/migrate.ts'
import type { Db } from '../db/schema.ts'
import { ensureSigningKeys } from '../identity/key-rotation.ts'
import { loadExampleData } from './example-data.ts'
import { loadReferenceData } from './reference/load.ts'

/** `migrations`: names that ran. `referenceLoaded`: whether this release brought other reference data. */
export type Prepared = { migrations: string[]; referenceLoaded: boolean }

/**
 * Makes a database fit to serve: schema, reference data, signing keys sealed with `secrets`, the custom endpoints
 * that ship, and the example data as of `day` (YYYY-MM-DD, UTC; today). Whatever else is there already stays; several processes may do
 * so at once. `db` must log in as the owner.
 * Throws the first error; nothing of the migration that failed stays.
 */
export const prepareDatabase = async (
  db: Db,
  secrets: Secrets,
  day: string = new Date().toISOString().slice(0, 10),
): Promise<Prepared> => {
  const migrations = await migrate(db)
  const referenceLoaded = await loadReferenceData(db)
  await ensureSigningKeys(db, secrets)
  await loadExampleData(db, day)
  await installShipped(db)
  return { migrations, referenceLoaded }
}
