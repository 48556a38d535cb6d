import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

export type CustomerTable = {
  name: string
  columns: string[]
  /** The table is an index that triggers write. Its values are in other tables, too. */
  isDerived: boolean
}

/** Hashes, sealed keys and sort keys. They contain no other data about the customer. */
const internalColumn = '(^|_)(secret|sha256|hash|salt|sealed|mac)(_|$)|_sort$'
const internalTypes = ['bytea', 'xid8', 'tsvector']
const derivedTables = ['elements', 'record_words']

/** Copies of audit entries and their numbers. The trail is exported and erased separately. */
const ofTheTrail = '^audit_'

/**
 * Lists every table with a column `customer_id`, from the catalogue, except the audit trail. `customers` is
 * last, because its deletion cascades.
 */
export const listCustomerTables = async (db: Db): Promise<CustomerTable[]> => {
  const { rows } = await sql<CustomerTable>`
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum)
        filter (where a.atttypid <> all(${internalTypes}::regtype[]) and a.attname::text !~ ${internalColumn})
        as columns, c.relname = any(${derivedTables}) as "isDerived"
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
