import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Milliseconds. Other statements queue behind a migration that waits for a table's lock. So it gives up soon and tries
 * again. Shorter than PostgreSQL's `deadlock_timeout` of a second: in a deadlock no writer is the victim.
 */
export const lockWaitMs = 500
const shortestPauseMs = 250
/** About ten minutes. */
const mostTries = 600
const lockNotAvailable = '55P03'

/** Waits between a quarter and three quarters of a second, so that two waiting processes do not stay in step. */
export const pause = (): Promise<void> => delay(shortestPauseMs * (1 + 2 * Math.random()))

/**
 * Runs a step again after `lock_timeout`, up to 600 times, with a random pause. The step must be safe to repeat.
 * Rejects with the step's other errors, and with the last refusal of the lock.
 */
export const retryLocked = async <T>(step: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await step()
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable || tries === mostTries) throw error
      await pause()
    }
  }
}

/**
 * A migration without a transaction, for large tables: each statement commits on its own, so readers never wait for
 * the whole. It must be safe to run again from its beginning after an interruption.
 */
export type StepwiseMigration = Migration & { isStepwise?: true }

/**
 * Reads a migration from an `.sql` file, or from all files of a folder (a URL that ends with a slash) in the order of
 * their names. Each file runs as one simple query in the migration's transaction. Throws if a file cannot be read.
 */
export const readSqlMigration = (url: URL): Migration => {
  const files = url.pathname.endsWith('/') ? readdirSync(url).sort() : ['']
  const texts = files.map((name) => readFileSync(new URL(name, url), 'utf8'))
  return {
    async up(db) {
      for (const text of texts) await sql.raw(text).execute(db)
    },
  }
}

/**
 * Changes a large table in batches, each in its own transaction. `step` returns the statement for the rows after a
 * key; the statement answers the last key that it changed as `last`, and null at the end. For stepwise migrations.
 */
export const changeInBatches = async <Key>(
  db: Kysely<unknown>,
  first: Key,
  step: (after: Key) => RawBuilder<{ last: Key | null }>,
): Promise<void> => {
  let after: Key | null | undefined = first
  while (after !== null && after !== undefined) {
    const statement = step(after)
    const { rows } = await retryLocked(() => statement.execute(db))
    after = rows[0]?.last
  }
}

/**
 * Builds an index while other sessions read and write. `on`: SQL after `on`, such as `products (customer_id, name)`.
 * An invalid index of this name, left by an interrupted build, is dropped first. The build waits for transactions that
 * began earlier, such as exports; its lock blocks no reader or writer, so `lock_timeout` does not apply to it. For
 * stepwise migrations.
 */
export const buildIndex = async (
  db: Kysely<unknown>,
  name: string,
  on: string,
  { isUnique = false } = {},
): Promise<void> => {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${`public.${name}`})`.execute(
    db,
  )
  if (rows[0]?.isValid) return
  await sql`set lock_timeout = 0`.execute(db)
  try {
    if (rows.length > 0) await sql`drop index concurrently ${sql.ref(name)}`.execute(db)
    const kind = sql.raw(isUnique ? 'unique index' : 'index')
    await sql`create ${kind} concurrently ${sql.ref(name)} on ${sql.raw(on)}`.execute(db)
  } finally {
    await sql.raw(`set lock_timeout = ${lockWaitMs}`).execute(db)
  }
}
