import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

export type CustomerTable = {
  name: string
  columns: string[]
  isDerived: boolean
}

/** An export leaves these out: secrets, values derived from others, and tables that triggers fill. */
const internalColumn = '(^|_)(secret|sha256|hash|salt|sealed|mac)(_|$)|_sort$'
const internalTypes = ['bytea', 'xid8', 'tsvector']
const derivedTables = ['elements', 'record_words']

const ofTheTrail = '^audit_'

/** Lists every table with a column `customer_id`, `customers` last. The audit trail is handled separately. */
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
