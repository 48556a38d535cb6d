import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { unavailable } from '../errors.ts'
import { repeat } from '../overload/repeat.ts'

export type DemoChange = {
  resource: 'approvals'
  id: string
  status: string
  /** Earliest time when the change is undone, RFC 3339 in UTC. null if this change undid an earlier one. */
  until: string | null
}

/**
 * Changes one of five example records for a minute, for all users of the demo. First undoes earlier changes
 * that are due. `db`: connections of the serving role. Rejects with `unavailable` if there are no example
 * data.
 * See docs/decisions/0083-the-database-undoes-demo-changes.md.
 */
export const changeDemoRecord = async (db: Db): Promise<DemoChange> => {
  const { rows } = await sql<{ id: string; status: string; until: string | null }>`
    select id, status, ${selectInstant('until')} as until from change_demo_record(true)`.execute(db)
  const [row] = rows
  if (!row) throw unavailable()
  return { resource: 'approvals', ...row }
}

export type DemoUndoOptions = {
  db: Db
  warn: (message: string, error: Error) => void
  /** Interval between two runs, in milliseconds. Optional. Defaults to 15,000. */
  everyMs?: number
}

/**
 * Undoes due changes of example records, first immediately at startup and then every 15 s. Safe to run on
 * several instances. A failure is reported once, and the next run retries. Returns a function that stops it
 * and waits for the current run.
 */
export const startDemoUndo = ({ db, warn, everyMs = 15_000 }: DemoUndoOptions): (() => Promise<void>) =>
  repeat({
    work: () => sql`select from change_demo_record(false)`.execute(db),
    everyMs,
    onFailure: (error) => warn('changes of example records could not be undone', error),
  })
