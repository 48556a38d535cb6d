import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Other statements wait behind a waiting migration. Below `deadlock_timeout`, so that no writer is aborted. */
export const lockWaitMs = 500
const shortestPauseMs = 250
const mostTries = 600
/** The SQLSTATE after `lock_timeout`. */
export const lockNotAvailable = '55P03'

/** Waits 250 to 750 ms at random, so that two processes do not retry in step. */
export const pause = (): Promise<void> => delay(shortestPauseMs * (1 + 2 * Math.random()))

/** Retries an idempotent step for about ten minutes while it ends in `lock_timeout`. Rejects with other errors. */
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

/** `isStepwise`: runs without a transaction, so readers wait for one step at most. Must be idempotent. */
export type StepwiseMigration = Migration & { isStepwise?: true }

/** Reads `.sql` files, and those of folders (with a trailing slash) in the order of their names, or throws. */
export const readSqlMigration = (...urls: URL[]): Migration => {
  const texts = urls.flatMap((url) => {
    const files = url.pathname.endsWith('/') ? readdirSync(url).sort() : ['']
    return files.map((name) => readFileSync(new URL(name, url), 'utf8'))
  })
  return {
    async up(db) {
      for (const text of texts) await sql.raw(text).execute(db)
    },
  }
}

/** Updates a table in batches. `step` returns a statement for the rows after a key. At the end its `last` is null. */
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
 * Builds an index while other sessions read and write, and replaces an invalid one of an interrupted build. `on`: such
 * as `products (customer_id, name)`. Runs without `lock_timeout`, because its lock blocks no reader or writer.
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
