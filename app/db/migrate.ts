import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { operatorRole, readerRole } from './connect.ts'
import { lockWaitMs, pause, retryLocked, type StepwiseMigration } from './migration-steps.ts'
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
import { pinRole } from './session.ts'

type Migrations = Readonly<Record<string, StepwiseMigration>>

/** By name, in order. A released migration must never be changed. */
export const migrations: Migrations = {
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

const createMigrator = (db: Db, all: Migrations) =>
  new Migrator({ db, provider: { getMigrations: () => Promise.resolve(all) } })

/** Any number that no other program locks in this database. */
const lockKey = 7_203_115_904

/**
 * Runs `work` while no other process migrates this database. It tries the lock instead of waiting for it: the snapshot
 * of a statement that waits would block a concurrent build of an index.
 */
const withMigrationLock = <T>(db: Db, work: (connection: Db) => Promise<T>): Promise<T> =>
  db.connection().execute(async (connection) => {
    const tryLock = sql<{ isLocked: boolean }>`select pg_try_advisory_lock(${lockKey}) as "isLocked"`
    while (!(await tryLock.execute(connection)).rows[0]?.isLocked) await pause()
    try {
      return await work(connection)
    } finally {
      await sql`select pg_advisory_unlock(${lockKey})`.execute(connection)
    }
  })

/** Runs each pending migration on its own: in one transaction, or statement by statement if it is stepwise. */
const runPending = async (db: Db, all: Migrations): Promise<string[]> => {
  const pending = await listPendingMigrations(db, all)
  const migrator = createMigrator(db, all)
  await sql.raw(`set lock_timeout = ${lockWaitMs}`).execute(db)
  try {
    for (const name of pending) {
      await retryLocked(async () => {
        const { error } = await migrator.migrateUp({ disableTransactions: all[name]?.isStepwise === true })
        if (error) throw error
      })
    }
  } finally {
    await sql`reset lock_timeout`.execute(db)
  }
  return pending
}

/**
 * Brings the schema up to date and returns the names of the migrations that ran. `db` must log in as the owner. A second
 * call at the same time waits and then finds nothing to do. Rejects with the first migration's error; the migrations
 * before it stay. A migration that needs a lock on a busy table tries for ten minutes, and delays other sessions by half
 * a second at a time.
 * The schema of a later version stays as it is. Migrations only add, so this version works with it, and a roll-back can
 * run this command as every release does.
 */
export const migrate = (db: Db, all: Migrations = migrations): Promise<string[]> =>
  withMigrationLock(db, async (connection) => {
    const ran = await runPending(connection, all)
    for (const role of [readerRole, operatorRole]) await sql.raw(pinRole(role)).execute(connection)
    // Both roles read this at the start; see listPendingMigrations.
    await sql
      .raw(`grant select on kysely_migration, kysely_migration_lock to ${readerRole}, ${operatorRole}`)
      .execute(connection)
    return ran
  })

/** Names of migrations that have not run yet; all of them on an empty database. */
export const listPendingMigrations = async (db: Db, all: Migrations = migrations): Promise<string[]> => {
  const listed = await createMigrator(db, all).getMigrations()
  return listed.filter((migration) => !migration.executedAt).map((migration) => migration.name)
}
