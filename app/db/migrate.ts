import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { readerRole } from './connect.ts'
import * as records from './migrations/0001-records.ts'
import * as identity from './migrations/0002-identity.ts'
import * as tokens from './migrations/0003-tokens.ts'
import * as changes from './migrations/0004-changes.ts'
import * as audit from './migrations/0005-audit.ts'
import * as accessRequests from './migrations/0006-access-requests.ts'
import * as feed from './migrations/0007-feed.ts'
import * as custom from './migrations/0008-custom.ts'
import * as serviceMinutes from './migrations/0009-service-minutes.ts'
import * as plannedFunctions from './migrations/0011-planned-functions.ts'
import * as lists from './migrations/0012-lists.ts'
import * as marks from './migrations/0013-marks.ts'
import * as auditReads from './migrations/0014-audit-reads.ts'
import * as words from './migrations/0015-words.ts'
import * as demoChanges from './migrations/0016-demo-changes.ts'
import * as managedIdentity from './migrations/0017-managed-identity.ts'
import * as history from './migrations/0018-history.ts'
import * as clientKeys from './migrations/0019-client-keys.ts'
import * as whoLooked from './migrations/0020-who-looked.ts'
import * as webhooks from './migrations/0021-webhooks.ts'
import * as rowTriggers from './migrations/0022-row-triggers.ts'
import * as historyOrder from './migrations/0023-history-order.ts'
import * as auditWaits from './migrations/0024-audit-waits.ts'
import * as webhookLeases from './migrations/0025-webhook-leases.ts'
import * as demoHistory from './migrations/0027-demo-history.ts'
import * as auditBounds from './migrations/0029-audit-bounds.ts'
import * as auditFilters from './migrations/0030-audit-filters.ts'
import type { Db } from './schema.ts'

/** By name, in order. A released migration never changes what it did where it ran. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-records': records,
  '0002-identity': identity,
  '0003-tokens': tokens,
  '0004-changes': changes,
  '0005-audit': audit,
  '0006-access-requests': accessRequests,
  '0007-feed': feed,
  '0008-custom': custom,
  '0009-service-minutes': serviceMinutes,
  '0011-planned-functions': plannedFunctions,
  '0012-lists': lists,
  '0013-marks': marks,
  '0014-audit-reads': auditReads,
  '0015-words': words,
  '0016-demo-changes': demoChanges,
  '0017-managed-identity': managedIdentity,
  '0018-history': history,
  '0019-client-keys': clientKeys,
  '0020-who-looked': whoLooked,
  '0021-webhooks': webhooks,
  '0022-row-triggers': rowTriggers,
  '0023-history-order': historyOrder,
  '0024-audit-waits': auditWaits,
  '0025-webhook-leases': webhookLeases,
  '0027-demo-history': demoHistory,
  '0029-audit-bounds': auditBounds,
  '0030-audit-filters': auditFilters,
}

const migratorOf = (db: Db) =>
  new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } })

/**
 * Milliseconds. Who comes later waits behind a migration that waits for a lock, so it soon lets go and asks again.
 * Shorter than PostgreSQL's `deadlock_timeout` of a second, so that in a deadlock no writer is the victim.
 */
const lockWaitMs = 500
const pauseMs = 500
/** About ten minutes. */
const attempts = 600
const lockNotAvailable = '55P03'

/** All pending migrations in one transaction. A lock that is not to be had undoes it; then it begins again. */
const runPending = (db: Db) =>
  db.connection().execute(async (connection) => {
    await sql.raw(`set lock_timeout = ${lockWaitMs}`).execute(connection)
    try {
      for (let attempt = 1; ; attempt++) {
        const { error, results = [] } = await migratorOf(connection).migrateToLatest()
        if (!error) return results.map((result) => result.migrationName)
        if ((error as { code?: string }).code !== lockNotAvailable || attempt === attempts) throw error
        await delay(pauseMs)
      }
    } finally {
      await sql`reset lock_timeout`.execute(connection)
    }
  })

/**
 * Brings the schema up to date, under the migrator's own lock, and returns the names that ran.
 * `db` must log in as the owner. Throws the first migration's error; nothing of it stays.
 * A migration that needs a lock on a busy table tries for ten minutes, and holds others up for half a second at a time.
 * The schema of a later version stays as it is. Migrations only add, so this version works with it, and a roll-back can
 * run this command as every release does.
 */
export const migrate = async (db: Db): Promise<string[]> => {
  const ran: string[] = []
  // The migrator itself takes what it does not know for corruption.
  if ((await listPendingMigrations(db)).length > 0) {
    ran.push(...(await runPending(db)))
  }
  // The serving role asks at start whether it may serve; see listPendingMigrations.
  await sql.raw(`grant select on kysely_migration, kysely_migration_lock to ${readerRole}`).execute(db)
  return ran
}

/** Names of migrations that have not run yet; all of them on an empty database. */
export const listPendingMigrations = async (db: Db): Promise<string[]> => {
  const all = await migratorOf(db).getMigrations()
  return all.filter((migration) => !migration.executedAt).map((migration) => migration.name)
}
