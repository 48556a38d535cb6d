import { sql } from 'kysely'
import type { Secrets } from '../config/secrets.ts'
import { dayMs } from '../config/units.ts'
import { createDb, createPool } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import { repeat } from '../overload/repeat.ts'
import { type Pruning, pruneAudit } from './prune.ts'

/** `undefined` if no entry is older. `db`: of the owner. See docs/decisions/0080-audit-entries-have-an-age.md. */
export const pruneOldEntries = async (
  db: Db,
  secrets: Secrets,
  days: number,
): Promise<Pruning | undefined> => {
  const { rows } = await sql<{ before: Date }>`
    select clock_timestamp() - make_interval(days => ${days}::integer) as before`.execute(db)
  const before = new Date(rows[0]?.before ?? 0).toISOString()
  const old = await sql`select from audit_entries where at < ${before}::timestamptz limit 1`.execute(db)
  return old.rows.length > 0 ? pruneAudit(db, secrets, before, 'system') : undefined
}

type AuditPruningOptions = {
  url: string
  secrets: Secrets
  days: number
  warn: (message: string, error?: Error) => void
  everyMs?: number
}

const firstAfterMs = 60_000

/** Prunes daily as the owner (`url`). Returns a function that stops this and waits for a running pruning. */
export const startAuditPruning = (options: AuditPruningOptions): (() => Promise<void>) => {
  const { url, secrets, days, warn, everyMs = dayMs } = options
  const pooling = { max: 1, applicationName: 'certdata-audit', statementTimeoutMs: 0, onError: () => {} }
  const work = async (): Promise<void> => {
    const db = createDb(createPool(url, pooling))
    try {
      const fault = (await pruneOldEntries(db, secrets, days))?.fault
      if (fault) warn(`the audit trail was not pruned: entry ${fault.entryId ?? '?'}: ${fault.reason}`)
    } finally {
      await db.destroy()
    }
  }
  return repeat({
    work,
    everyMs,
    firstMs: Math.min(firstAfterMs, everyMs),
    onFailure: (error) => {
      const isForbidden = (error as { code?: unknown }).code === '42501'
      warn(
        `the audit trail was not pruned${isForbidden ? ': pruning needs the login of the owner' : ''}`,
        error,
      )
    },
  })
}
