import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { type AuditEvent, toRow } from './record.ts'

const batchSize = 1_000
/** When a minute is complete, counted from its start: 60 s plus twice the time between two additions. */
const completeAfter = '70 seconds'

/**
 * Adds counts of reads to those of the same minute, from this and other instances. They are not in the trail
 * yet. Throws the driver's errors; then nothing was added.
 */
export const addReads = async (db: Db, events: readonly AuditEvent[]): Promise<void> => {
  if (events.length === 0) return
  await sql`select add_audit_reads(${JSON.stringify(events.map(toRow))}::json)`.execute(db)
}

/**
 * Turns counted reads into entries of the trail. `complete`: only of past minutes. `all` includes the present
 * minute. Safe to call concurrently. Throws the driver's errors.
 */
export const collectReads = async (db: Db, which: 'complete' | 'all'): Promise<void> => {
  const before = which === 'all' ? sql`'infinity'` : sql`now() - interval '${sql.raw(completeAfter)}'`
  for (;;) {
    const { rows } = await sql<{ moved: number }>`
      select collect_audit_reads(${before}, ${batchSize}::integer) as moved`.execute(db)
    if ((rows[0]?.moved ?? 0) < batchSize) return
  }
}
