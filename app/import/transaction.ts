import type { Transaction } from 'kysely'
import { type AuditEvent, recordEvents } from '../audit/record.ts'
import type { Database, Db } from '../db/schema.ts'
import type { ChangesByCustomer } from './report.ts'

/** Deadlock or serialisation failure: the whole transaction may be tried again. */
const isTransient = (error: unknown) =>
  error instanceof Error && 'code' in error && ['40001', '40P01'].includes(String(error.code))

const attempts = 5

/**
 * Runs a transaction, again where it lost against another one; `run` must change nothing but the database.
 * Throws what it throws otherwise, and after five attempts.
 */
export const retryTransaction = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isTransient(error) || attempt === attempts) throw error
    }
  }
}

/** Runs a transaction of an import as `retryTransaction` does. In a dry run it is read-only. */
export const inImportTransaction = <T>(
  db: Db,
  dryRun: boolean,
  run: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> => {
  const accessMode = dryRun ? 'read only' : 'read write'
  return retryTransaction(() => db.transaction().setAccessMode(accessMode).execute(run))
}

/**
 * Writes down whose records an import changed, one entry a customer: an erasure takes each with its customer.
 * Call it in the transaction of the changes.
 */
export const recordChanges = (trx: Db, changes: ChangesByCustomer): Promise<void> =>
  recordEvents(
    trx,
    [...changes].map(([customer, details]): AuditEvent => {
      const common = { actor: 'operator', action: 'import', details } as const
      return customer === '' ? common : { ...common, customer }
    }),
  )
