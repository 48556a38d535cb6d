import { sql } from 'kysely'
import { connectOwner, type TestDatabase } from '../../test/helper.ts'

/**
 * Delays every read of a customer's data without using the processor, as a slow disk would: the function that
 * each statement calls first sleeps. Affects new connections only. 0 restores the original function.
 */
export const slowDown = async (database: TestDatabase, milliseconds: number): Promise<void> => {
  const owner = connectOwner(database)
  await sql`create schema if not exists slow`.execute(owner)
  await sql`grant usage on schema slow to public`.execute(owner)
  await sql
    .raw(`create or replace function slow.set_config(name text, value text, is_local boolean) returns text
      language plpgsql volatile as $$ begin
        perform pg_catalog.pg_sleep(${milliseconds / 1000});
        return pg_catalog.set_config(name, value, is_local);
      end $$`)
    .execute(owner)
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(owner)
  const path = milliseconds > 0 ? 'slow, pg_catalog, public' : 'public'
  await sql.raw(`alter database "${rows[0]?.name}" set search_path = ${path}`).execute(owner)
  await owner.destroy()
}
