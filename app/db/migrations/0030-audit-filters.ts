import { type Kysely, sql } from 'kysely'

/**
 * A page of the trail reads the newest entries of each action and outcome that it shows, also of a single key. So the
 * cost does not grow with the trail, however rare the entries are.
 */
const indexes = `
create index audit_copies_action on audit_copies (customer_id, action, outcome, number);
create index audit_copies_key on audit_copies (customer_id, key_id, action, outcome, number)
  where key_id is not null;`

/** Adds the indexes of the filters of the audit trail. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(indexes).execute(db)
}
