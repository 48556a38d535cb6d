import { sql } from 'kysely'
import { listEntries } from '../../audit/list.ts'
import type { Db } from '../../db/schema.ts'
import type { KnownTables } from './tables.ts'

const fetchSize = 500

export type ExportedRow = { table: string; json: string }

/** Increases when an older `customers import` could not read a file any more. New columns do not increase it. */
export const exportFormat = 1

/** The row of the first line, whose table is `export`. */
export type ExportHead = Readonly<{
  format: number
  customer: string
  exported_at: string
  with_keys: boolean
  /** Start of the complete history by resource, RFC 3339. */
  history_from: Readonly<Record<string, string>>
}>

/** The row of the last line, whose table is `end`. Without it, the file was cut. */
export type ExportEnd = Readonly<{ rows: Readonly<Record<string, number>> }>

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

const readHead = async (trx: Db, customer: string, withKeys: boolean): Promise<string> => {
  // A row of the customer wins over the default, `*`.
  const { rows } = await sql<{ json: string }>`
    select row_to_json(x)::text as json from (
      select ${sql.lit(exportFormat)} as format, ${customer}::text as customer, now() as exported_at,
        ${sql.lit(withKeys)} as with_keys, (select json_object_agg(b.resource, b.since) from (
          select distinct on (resource) resource, since from history_begun
          where customer_id in (${customer}, '*') order by resource, customer_id desc) b) as history_from) x`.execute(
    trx,
  )
  return rows[0]?.json as string
}

/**
 * Exports all data of a customer from one snapshot in constant memory: its tables without derived tables and
 * internal columns, then the audit trail. `withKeys` adds hashes of secrets, with which `importCustomer` restores keys.
 * Returns row counts by table. `db` has the operator's role.
 */
export const exportCustomer = (
  db: Db,
  customer: string,
  take: (row: ExportedRow) => Promise<void>,
  { knownTables, withKeys = false }: { knownTables: KnownTables; withKeys?: boolean },
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
      await take({ table: 'export', json: await readHead(trx, customer, withKeys) })
      for (const [name, { exported, proofs = [], isDerived }] of knownTables) {
        const columns = withKeys ? [...exported, ...proofs] : exported
        if (!isDerived) await takeAll(name, readTable(trx, name, columns, customer))
      }
      await takeAll(auditTable, readTrail(trx, customer))
      await take({ table: 'end', json: JSON.stringify({ rows: counts } satisfies ExportEnd) })
      return counts
    })
