import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import { isMark } from '../../records/history/states.ts'
import { historyChanges } from '../../records/query/prepare.ts'
import type { Resource } from '../../records/resources/define.ts'

/**
 * Deletes the history of one record, in a transaction of the operator's role. Returns the number of deleted
 * changes, `undefined` if neither the record nor its history exists. An existing record gets a mark instead.
 */
export const forgetHistory = async (
  trx: Db,
  customerId: string,
  { name }: Resource,
  id: string,
): Promise<number | undefined> => {
  const locked = await sql`select from ${sql.table(name)} r
    where r.customer_id = ${customerId} and r.id = ${id} for update`.execute(trx)
  const isThere = locked.rows.length > 0
  const ofRecord = sql`customer_id = ${customerId} and resource = ${name} and record_id = ${id}`
  const { rows } = await sql<{ gone: number }>`
    with deleted as (delete from record_history h where ${ofRecord} returning ${isMark} is true as is_mark)
    select count(*) filter (where not is_mark)::integer as gone from deleted`.execute(trx)
  const gone = rows[0]?.gone ?? 0
  if (!isThere && gone === 0) return undefined
  if (isThere) {
    await sql`insert into record_history (customer_id, resource, record_id, at, old)
      values (${customerId}, ${name}, ${id}, now(), '{}')`.execute(trx)
  }
  await sql`insert into change_log (customer_id, resource, record_id)
    values (${customerId}, ${historyChanges}, ${id})`.execute(trx)
  return gone
}
