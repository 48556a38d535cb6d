import { sql } from 'kysely'
import type { Db } from '../../app/db/schema.ts'

/** The value of all columns and tables that `addOwnParts` adds. */
export const marker = 'only-for-the-operator'

/** The others are names in statements of the service. */
const addedColumns = ['operator_note', 'rn', 'state', 'entry', 'day', 'item', 'found', 'data', 'json']

/** Adds columns to every table, and the table `invoices` with a customer. */
export const addOwnParts = async (owner: Db): Promise<void> => {
  const run = async (text: string) => void (await sql.raw(text).execute(owner))
  const tables = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(owner)
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
      where attrelid = ${name}::regclass and attnum > 0`.execute(owner)
    const free = addedColumns.filter((column) => !rows.some((row) => row.name === column))
    const columns = free.map((column) => `add column ${column} text default '${marker}'`)
    await run(`alter table ${name} ${columns.join(', ')},
      add column operator_sum integer generated always as (7 + 4) stored`)
  }
  await run(`create table invoices (customer_id text, note text);
    grant select, delete on invoices to certdata_operator;
    insert into invoices values ('acme', '${marker}')`)
}
