import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { unavailable } from '../errors.ts'
import { repeat } from '../overload/repeat.ts'

/** A change of an example record. */
export type DemoChange = {
  resource: 'approvals'
  id: string
  status: string
  /** RFC 3339 in UTC: when the change is undone at the earliest. Null: this change was the undoing. */
  until: string | null
}

/**
 * Changes one of five example records for a minute, for all who look at the demo. First it undoes earlier changes
 * that are due. `db`: connections of the serving role. Throws `unavailable` if there are no example data.
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
  /** Connections of the serving role. */
  db: Db
  warn: (message: string, error: Error) => void
  /** Milliseconds from one look to the next. */
  everyMs?: number
}

/**
 * Undoes changes of example records that are due: at once, which is at the start of the service, and every 15 s.
 * Several instances may do so together. A failure is reported once, and the next look tries again. Returns the
 * function that ends it, after what is running.
 */
export const startDemoUndo = ({ db, warn, everyMs = 15_000 }: DemoUndoOptions): (() => Promise<void>) =>
  repeat({
    work: () => sql`select from change_demo_record(false)`.execute(db),
    everyMs,
    onFailure: (error) => warn('changes of example records could not be undone', error),
  })
