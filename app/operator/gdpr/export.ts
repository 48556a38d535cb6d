import { sql } from 'kysely'
import { listEntries } from '../../audit/list.ts'
import type { Db } from '../../db/schema.ts'
import { knownTables } from './tables.ts'

const fetchSize = 500

export type ExportedRow = { table: string; json: string }

const auditTable = 'audit'

/** The primary key of every table is among its first four exported columns. */
const keyColumns = 4

async function* readTable(trx: Db, name: string, columns: readonly string[], customer: string) {
  await sql`declare exported no scroll cursor for
    select row_to_json(x)::text as json from (
      select ${sql.join(columns.map((column) => sql.ref(column)))}
      from ${sql.table(`public.${name}`)} where customer_id = ${customer}
      order by ${sql.join(columns.slice(0, keyColumns).map((column) => sql.ref(column)))}) x`.execute(trx)
  for (;;) {
    const { rows } = await sql<{ json: string }>`fetch ${sql.lit(fetchSize)} from exported`.execute(trx)
    for (const { json } of rows) yield json
    if (rows.length < fetchSize) break
  }
  await sql`close exported`.execute(trx)
}

async function* readTrail(trx: Db, customer: string) {
  for (let before: number | undefined; ; ) {
    const entries = await listEntries(trx, { customer, before, limit: fetchSize })
    // Without the operator's name, which is not about the customer.
    for (const { operator: _, ...entry } of entries) yield JSON.stringify(entry)
    if (entries.length < fetchSize) return
    before = entries.at(-1)?.entry
  }
}

/**
 * Exports all data of a customer from one snapshot in constant memory: its tables without derived tables and
 * internal columns, then the audit trail. Returns row counts by table. `db` has the operator's role.
 */
export const exportCustomer = (
  db: Db,
  customer: string,
  take: (row: ExportedRow) => Promise<void>,
): Promise<Record<string, number>> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const counts: Record<string, number> = {}
      const takeAll = async (table: string, rows: AsyncIterable<string>) => {
        counts[table] = 0
        for await (const json of rows) {
          counts[table] += 1
          await take({ table, json })
        }
      }
      for (const [name, { exported, isDerived }] of knownTables) {
        if (!isDerived) await takeAll(name, readTable(trx, name, exported, customer))
      }
      await takeAll(auditTable, readTrail(trx, customer))
      return counts
    })
