import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { type AuditEvent, toRow } from './record.ts'

/** Rows that become entries in one statement. */
const batchSize = 1_000
/** A minute is complete this long after it began: 60 s, and twice the time between two additions. */
const completeAfter = '70 seconds'

/**
 * Adds counts of reads to those of the same minute, from this and other instances. They are not in the audit trail yet.
 * Throws the driver's errors; then nothing was added.
 */
export const addReads = async (db: Db, events: readonly AuditEvent[]): Promise<void> => {
  if (events.length === 0) return
  await sql`select add_audit_reads(${JSON.stringify(events.map(toRow))}::json)`.execute(db)
}

/**
 * Turns counted reads into entries of the audit trail, one for each minute, key, resource, query and status.
 * `complete` takes only minutes that are over. `all` also takes the present minute; later reads of that minute
 * become another entry. Any number of processes may call it at once. Throws the driver's errors.
 */
export const collectReads = async (db: Db, which: 'complete' | 'all'): Promise<void> => {
  const before = which === 'all' ? sql`'infinity'` : sql`now() - interval '${sql.raw(completeAfter)}'`
  for (;;) {
    const { rows } = await sql<{ moved: number }>`
      select collect_audit_reads(${before}, ${batchSize}::integer) as moved`.execute(db)
    if ((rows[0]?.moved ?? 0) < batchSize) return
  }
}
