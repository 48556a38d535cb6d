import type { Secrets } from '../config/secrets.ts'
import { migrate } from '../db/migrate.ts'
import { retryLocked } from '../db/migration-steps.ts'
import type { Db } from '../db/schema.ts'
import { regainTrust } from '../db/trust.ts'
import { ensureSigningKeys } from '../identity/key-rotation.ts'
import { installShipped } from './custom-endpoints.ts'
import { loadExampleData } from './example-data.ts'
import { utcHour } from './example-records.ts'
import { loadReferenceData } from './reference/load.ts'

export type PreparedDatabase = {
  migrations: string[]
  trust: Awaited<ReturnType<typeof regainTrust>>
  referenceLoaded: boolean
}

/**
 * Prepares a database for the service. Replaces the demo customer's records; other data stay. Processes may
 * call this concurrently. `hour` (YYYY-MM-DDTHH, UTC) is for the example data. `db` must log in as the owner.
 */
export const prepareDatabase = async (
  db: Db,
  secrets: Secrets,
  hour: string = utcHour(),
): Promise<PreparedDatabase> => {
  const migrations = await migrate(db)
  const trust = await regainTrust(db, retryLocked)
  const referenceLoaded = await loadReferenceData(db)
  await ensureSigningKeys(db, secrets)
  await loadExampleData(db, hour)
  await installShipped(db)
  return { migrations, trust, referenceLoaded }
}
