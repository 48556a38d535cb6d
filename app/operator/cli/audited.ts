import { type AuditEvent, recordEvents } from '../../audit/record.ts'
import type { Db } from '../../db/schema.ts'

/** What an operator did, as the audit trail keeps it. */
export type OperatorAct = Omit<AuditEvent, 'actor'>

/** Writes down what the operator is about to see, before he sees it. */
export const recordAct = (db: Db, act: OperatorAct): Promise<void> =>
  recordEvents(db, [{ actor: 'operator', ...act }])

/**
 * Runs a change and writes it down in one transaction. Nothing is written where the change answers undefined:
 * then nothing was changed.
 */
export const changeAudited = <T>(
  db: Db,
  change: (trx: Db) => Promise<T>,
  describe: (changed: NonNullable<T>) => OperatorAct,
): Promise<T> =>
  db.transaction().execute(async (trx) => {
    const changed = await change(trx)
    if (changed !== undefined && changed !== null) await recordAct(trx, describe(changed))
    return changed
  })
