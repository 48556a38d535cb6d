import { sql } from 'kysely'
import { selectInstant } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import { unavailable } from '../../errors.ts'
import { repeat } from '../../overload/repeat.ts'

type DemoChange = {
  resource: 'approvals'
  id: string
  status: string
  /** Earliest time of the undoing, RFC 3339 in UTC. null if this call itself undid an earlier change. */
  until: string | null
}

/**
 * Changes one of five example records for a minute, or undoes the oldest change if all five are changed.
 * Rejects with 503 without example data. See docs/decisions/0083-the-database-undoes-demo-changes.md.
 */
export const changeDemoRecord = async (db: Db): Promise<DemoChange> => {
  const { rows } = await sql<{ id: string; status: string; until: string | null }>`
    select id, status, ${selectInstant('until')} as until from change_demo_record(true)`.execute(db)
  const [row] = rows
  if (!row) throw unavailable()
  return { resource: 'approvals', ...row }
}

type DemoUndoOptions = {
  db: Db
  warn: (message: string, error: Error) => void
  everyMs?: number
}

/** Undoes due changes of example records now and every 15 s. Returns a function that stops this. */
export const startDemoUndo = ({ db, warn, everyMs = 15_000 }: DemoUndoOptions): (() => Promise<void>) =>
  repeat({
    work: () => sql`select from change_demo_record(false)`.execute(db),
    everyMs,
    onFailure: (error) => warn('changes of example records could not be undone', error),
  })
