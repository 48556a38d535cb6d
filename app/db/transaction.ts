import type { Transaction } from 'kysely'
import type { Database, Db } from './schema.ts'

/** Uses the transaction that `db` already is, or a new one. */
export const inTransaction = <T>(
  db: Db,
  run: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> => (db.isTransaction ? run(db as Transaction<Database>) : db.transaction().execute(run))
