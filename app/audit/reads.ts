import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { type AuditEvent, toRow } from './record.ts'

const batchSize = 1_000
/** A minute is complete this long after its start: 60 s, and twice the 5 s between additions of counts. */
const completeAfter = '70 seconds'

/** Adds counts to `audit_reads`, which all instances share. Atomic. Rejects with the driver's errors. */
export const addReads = async (db: Db, events: readonly AuditEvent[]): Promise<void> => {
  if (events.length === 0) return
  await sql`select add_audit_reads(${JSON.stringify(events.map(toRow))}::json)`.execute(db)
}

/** Moves counts of complete minutes, or of all, to the trail. Skips rows and customers that are locked. */
export const collectReads = async (db: Db, which: 'complete' | 'all'): Promise<void> => {
  const before = which === 'all' ? sql`'infinity'` : sql`now() - interval '${sql.raw(completeAfter)}'`
  for (;;) {
    const { rows } = await sql<{ moved: number }>`
      select collect_audit_reads(${before}, ${batchSize}::integer) as moved`.execute(db)
    if ((rows[0]?.moved ?? 0) < batchSize) return
  }
}
