import type { Transaction } from 'kysely'
import { type AuditEvent, recordEvents } from '../audit/record.ts'
import type { Database, Db } from '../db/schema.ts'
import type { ChangesByCustomer } from './report.ts'

const isTransient = (error: unknown) =>
  error instanceof Error && 'code' in error && ['40001', '40P01'].includes(String(error.code))

const attempts = 5

/** Calls `run` up to five times after deadlocks and serialization failures. It must change only the database. */
export const retryTransaction = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isTransient(error) || attempt === attempts) throw error
    }
  }
}

/** Runs a transaction with retries, read-only in a dry run. */
export const inImportTransaction = <T>(
  db: Db,
  dryRun: boolean,
  run: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> => {
  const accessMode = dryRun ? 'read only' : 'read write'
  return retryTransaction(() => db.transaction().setAccessMode(accessMode).execute(run))
}

/** Writes one audit entry per customer, so that an erasure includes it. Call it in the transaction of the changes. */
export const recordChanges = (trx: Db, changes: ChangesByCustomer): Promise<void> =>
  recordEvents(
    trx,
    [...changes].map(([customer, details]): AuditEvent => {
      const common = { actor: 'operator', action: 'import', details } as const
      return customer === '' ? common : { ...common, customer }
    }),
  )
