import type { Secrets } from '../config/secrets.ts'
import { migrate } from '../db/migrate.ts'
import { retryLocked } from '../db/migration-steps.ts'
import type { Db } from '../db/schema.ts'
import { regainTrust } from '../db/trust.ts'
import { ensureSigningKeys } from '../identity/key-rotation.ts'
import { loadExampleData } from './example-data.ts'
import { utcHour } from './example-records.ts'
import { loadReferenceData } from './reference/load.ts'

/** The part of a feature that loads data of this release. Processes may call `loadData` concurrently. */
export type Preparation = () => Promise<{ loadData: (owner: Db) => Promise<unknown> }>

export type PrepareOptions = {
  /** If absent, the next start loads the data of features. */
  features?: readonly Readonly<{ preparation?: Preparation }>[]
  /** YYYY-MM-DDTHH, UTC, for the example data. */
  hour?: string
}

export type PreparedDatabase = {
  migrations: string[]
  trust: Awaited<ReturnType<typeof regainTrust>>
  referenceLoaded: boolean
}

/**
 * Prepares a database for the service. Replaces the demo customer's records; other data stay. Processes may
 * call this concurrently. `db` must log in as the owner.
 */
export const prepareDatabase = async (
  db: Db,
  secrets: Secrets,
  { features = [], hour = utcHour() }: PrepareOptions = {},
): Promise<PreparedDatabase> => {
  const migrations = await migrate(db)
  const trust = await regainTrust(db, retryLocked)
  const referenceLoaded = await loadReferenceData(db)
  await ensureSigningKeys(db, secrets)
  await loadExampleData(db, hour)
  for (const { preparation } of features) if (preparation) await (await preparation()).loadData(db)
  return { migrations, trust, referenceLoaded }
}
