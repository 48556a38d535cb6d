import { type AuditEvent, recordEvents } from '../audit/record.ts'
import type { Db } from '../db/schema.ts'
import type { ChangesByCustomer } from './report.ts'

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
