import { sql } from 'kysely'
import { pause } from './migration-steps.ts'
import type { Db } from './schema.ts'

/** Runs `work` under a session lock. Retries, because a waiting statement's snapshot blocks index builds. */
export const withAdvisoryLock = <T>(db: Db, name: string, work: (connection: Db) => Promise<T>): Promise<T> =>
  db.connection().execute(async (connection) => {
    const key = sql`hashtextextended(${name}, 0)`
    const tryLock = sql<{ isLocked: boolean }>`select pg_try_advisory_lock(${key}) as "isLocked"`
    while (!(await tryLock.execute(connection)).rows[0]?.isLocked) await pause()
    try {
      return await work(connection)
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection)
    }
  })
