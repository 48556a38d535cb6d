import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import { resourceNames, resources } from '../../records/resources/index.ts'

/** How many records the customer has, by resource: one scan of his part of each table's primary key. */
export const countRecords = async (db: Db, customerId: string): Promise<Record<string, number>> => {
  const names = resourceNames.filter((name) => !resources[name].reference)
  const counts = names.map(
    (name) => sql`select ${sql.lit(name)} as resource, count(*)::integer as records
      from ${sql.table(name)} where customer_id = ${customerId}`,
  )
  const { rows } = await sql<{ resource: string; records: number }>`
    ${sql.join(counts, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map((row) => [row.resource, row.records]))
}
