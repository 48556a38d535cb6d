import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Milliseconds. Other statements queue behind a waiting migration. Below PostgreSQL's `deadlock_timeout` of 1
 * s, so that a deadlock never aborts a writer.
 */
export const lockWaitMs = 500
const shortestPauseMs = 250
const mostTries = 600
const lockNotAvailable = '55P03'

/** Waits 250 to 750 ms at random, so that two waiting processes do not retry in step. */
export const pause = (): Promise<void> => delay(shortestPauseMs * (1 + 2 * Math.random()))

/** Retries an idempotent step after `lock_timeout`, for about ten minutes. Rejects with other errors. */
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
 * A migration without a transaction, for large tables: readers never wait for the whole migration. It must be
 * idempotent, because it runs again after an interruption.
 */
export type StepwiseMigration = Migration & { isStepwise?: true }

/**
 * Reads a migration from an `.sql` file, or from all files of a folder (a URL that ends with a slash) in
 * order of their names. Throws if a file cannot be read.
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
 * Updates a large table in batches, each in a transaction. `step` returns the statement for the rows after a
 * key, which returns the last updated key as `last`, or null at the end.
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
 * Builds an index while other sessions read and write. `on`: SQL after `on`, such as `products (customer_id,
 * name)`. Replaces an invalid index of an interrupted build. Runs without `lock_timeout`: the build waits for
 * earlier transactions, and its lock blocks no reader or writer.
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
