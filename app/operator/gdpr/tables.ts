import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** A table with a customer column, and its columns without secrets. */
export type CustomerTable = { name: string; columns: string[] }

/** Hashes and sealed keys are omitted, like all bytea columns: they contain no data about the customer. */
const secretColumn = '(^|_)(secret|sha256|hash|salt|sealed|mac)(_|$)'

/** Copies of audit entries and their numbers. The trail is exported and erased separately. */
const ofTheTrail = '^audit_'

/**
 * Lists every table with a column `customer_id`, from the catalogue, so that no later table is forgotten.
 * Excludes the audit trail. `customers` is last, because its deletion cascades. Partitions count as their
 * table.
 */
export const listCustomerTables = async (db: Db): Promise<CustomerTable[]> => {
  const { rows } = await sql<CustomerTable>`
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum)
        filter (where a.atttypid <> 'bytea'::regtype and a.attname::text !~ ${secretColumn}) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname !~ ${ofTheTrail}
      and exists (
        select from pg_attribute k
        where k.attrelid = c.oid and k.attname = 'customer_id' and not k.attisdropped)
    group by c.relname order by c.relname = 'customers', c.relname`.execute(db)
  return rows
}
