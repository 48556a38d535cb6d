import { CompiledQuery, sql, type Transaction } from 'kysely'
import type { Database, Db } from '../db/schema.ts'
import type { Resource } from '../records/resources/define.ts'
import { resourceNames, resources } from '../records/resources/index.ts'
import { listStoredFields } from './record.ts'
import { type ImportRows, inputRows, listKeyColumns } from './statement.ts'

/** Columns that triggers of the real table fill: NOT NULL without a default, and no field of the record. */
const listDerivedColumns = async (db: Db, resource: Resource): Promise<string[]> => {
  const known = [...resource.fields.keys(), 'customer_id']
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${`public.${resource.name}`}::regclass and attnum > 0 and not attisdropped
      and attnotnull and not atthasdef and attname <> all (${known})`.execute(db)
  return rows.map((row) => row.name)
}

const createShadow = async (db: Db, table: string) => {
  await sql.raw(`create temp table ${table} (like public.${table} including all)`).execute(db)
}

/**
 * Creates temporary tables with the names and checks of the real ones, but without triggers. Until `discard
 * temp` they hide the real ones on this connection. Read-only transactions of a dry run write only to them.
 */
export const createShadows = async (db: Db): Promise<void> => {
  await createShadow(db, 'customers')
  for (const name of resourceNames) {
    await createShadow(db, name)
    for (const column of await listDerivedColumns(db, resources[name])) {
      await sql.raw(`alter table pg_temp.${name} alter column ${column} drop not null`).execute(db)
    }
  }
}

/** Copies the existing records that have the keys of these rows, and their customers. */
export const copyToShadows = async (
  trx: Transaction<Database>,
  { resource, input }: ImportRows,
): Promise<void> => {
  const key = listKeyColumns(resource)
  const fields = listStoredFields(resource).map(({ name }) => name)
  const rows = `select distinct ${key.join(', ')} from ${inputRows(resource)}`
  const copy = (table: string, by: readonly string[], columns: readonly string[]) => `
    insert into pg_temp.${table} (${columns.join(', ')})
    select ${columns.map((name) => `r.${name}`).join(', ')} from public.${table} r
    where (${by.map((name) => `r.${name}`).join(', ')}) in (select ${by.join(', ')} from (${rows}) named)
    on conflict do nothing`
  const run = (statement: string) => trx.executeQuery(CompiledQuery.raw(statement, [...input]))
  await run(copy(resource.name, key, [...new Set([...key, ...fields])]))
  if (!resource.reference) await run(copy('customers', ['customer_id'], ['customer_id', 'name']))
}
