import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { withAdvisoryLock } from './advisory-lock.ts'
import { operatorRole, readerRole } from './connect.ts'
import { lockWaitMs, readSqlMigration, retryLocked, type StepwiseMigration } from './migration-steps.ts'
import { requireRights } from './rights.ts'
import type { Db } from './schema.ts'
import { pinRole } from './session.ts'

type Migrations = Readonly<Record<string, StepwiseMigration>>

const app = join(import.meta.dirname, '..')
const ofFeatures = 'features/*/'

const lastOfBaseline = '50-all-tables.sql'

/**
 * Orders paths of SQL files by the numbers with which their names begin. `50-all-tables.sql`, which reads all tables, is
 * the last one. Throws if two files have the same number, because their order would depend on their names.
 */
export const orderSql = (paths: readonly string[]): string[] => {
  const byNumber = Map.groupBy(paths, (path) => Number.parseInt(basename(path), 10))
  for (const [number, same] of byNumber)
    if (same.length > 1) throw new Error(`the number ${number} is used twice: ${same.join(', ')}`)
  const isLast = (path: string) => basename(path) === lastOfBaseline
  const inOrder = [...byNumber].sort(([a], [b]) => a - b).flatMap(([, files]) => files)
  return [...inOrder.filter((path) => !isLast(path)), ...inOrder.filter(isLast)]
}

const listSql = (...patterns: string[]): URL[] =>
  orderSql(globSync(patterns, { cwd: app })).map((path) => pathToFileURL(join(app, path)))

/**
 * Lists the SQL of the baseline: of the kernel and of the features whose folders exist. See
 * docs/decisions/0229-the-baseline-finds-the-sql-of-features.md.
 */
export const listBaseline = (): URL[] =>
  listSql('db/migrations/0001-baseline/*.sql', `${ofFeatures}[0-9][0-9]-*.sql`)

const recordTable = new URL('./migrations/0001-baseline/00-record-table.sql', import.meta.url)

/** Reads a migration that runs after the baseline. It may call `pg_temp.add_record_table`. */
export const readLaterMigration = (url: URL): Migration => readSqlMigration(recordTable, url)

const readLater = (): Migrations => {
  const pattern = '[0-9][0-9][0-9][0-9]-*.sql'
  const files = listSql(`db/migrations/${pattern}`, `${ofFeatures}${pattern}`)
  return Object.fromEntries(files.map((url) => [basename(url.pathname, '.sql'), readLaterMigration(url)]))
}

/**
 * Replaces later migrations of a removed feature: they do nothing. Databases that ran them keep the feature's tables and
 * data.
 */
export const retire = (names: readonly string[]): Migrations =>
  Object.fromEntries(names.map((name) => [name, { up: async () => {} }]))

/** Later migrations of removed features. A feature that returns needs a migration with a new name. */
const retired: readonly string[] = []

/**
 * Never change a released migration. A later one is a file such as `0002-feed-tokens.sql`, in `migrations/` or in the
 * folder of a feature.
 */
export const migrations: Migrations = {
  '0001-baseline': readSqlMigration(...listBaseline()),
  ...readLater(),
  ...retire(retired),
}

const createMigrator = (db: Db, all: Migrations) =>
  new Migrator({ db, provider: { getMigrations: () => Promise.resolve(all) } })

/** Returns the names of migrations that ran and that this version does not know. */
export const listUnknownMigrations = async (db: Db, all: Migrations = migrations): Promise<string[]> => {
  const tables = await sql<{
    ran: boolean
  }>`select to_regclass('kysely_migration') is not null as ran`.execute(db)
  if (!tables.rows[0]?.ran) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name).filter((name) => !(name in all))
}

/** Rejects if the database has migrations of another version, because pending ones would not fit its schema. */
const requireKnown = async (db: Db, all: Migrations): Promise<void> => {
  const unknown = await listUnknownMigrations(db, all)
  if (unknown.length === 0) return
  throw new Error(
    `The database has migrations that this version does not know (${unknown.join(', ')}), of a development version before 0.1.0. Create a new database. For each customer, run customers export with the version that made this one, then customers import with the new one: see "Upgrade" in docs/operations.md`,
  )
}

const runPending = async (db: Db, all: Migrations): Promise<string[]> => {
  const pending = await listPendingMigrations(db, all)
  if (pending.length === 0) return pending
  await requireKnown(db, all)
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
 * Runs pending migrations as the owner and returns their names. Concurrent calls wait. The first error ends the run;
 * earlier migrations stay. A schema of a later version stays, because migrations only add. Rejects with the missing
 * grants if the login lacks a right.
 */
export const migrate = (db: Db, all: Migrations = migrations): Promise<string[]> =>
  withAdvisoryLock(db, 'certdata migrations', async (connection) => {
    await requireRights(connection)
    const ran = await runPending(connection, all)
    for (const role of [readerRole, operatorRole]) await sql.raw(pinRole(role)).execute(connection)
    await sql
      .raw(`grant select on kysely_migration, kysely_migration_lock to ${readerRole}, ${operatorRole}`)
      .execute(connection)
    return ran
  })

/** Returns the names of migrations that have not run. An empty database lacks them all. */
export const listPendingMigrations = async (db: Db, all: Migrations = migrations): Promise<string[]> => {
  const listed = await createMigrator(db, all).getMigrations()
  return listed.filter((migration) => !migration.executedAt).map((migration) => migration.name)
}
