import type pg from 'pg'
import { createProgress } from './progress.ts'

const constraints = `
  select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where conrelid = any ($1::regclass[]) and contype in ('p', 'f')
  order by contype desc`

const indexes = `
  select indexname as name, indexdef as definition from pg_indexes i
  where schemaname = 'public' and tablename = any ($1)
    and not exists (select from pg_constraint c where c.conname = i.indexname)
  order by tablename, indexname`

/** Resolves with the statements that recreate them: building an index once is faster than updating it per row. */
export const dropIndexes = async (client: pg.Client, tables: readonly string[]): Promise<string[]> => {
  const keys = await client.query(constraints, [tables])
  const others = await client.query(indexes, [tables])
  for (const { name } of others.rows) await client.query(`drop index ${name}`)
  for (const { table, name } of keys.rows) await client.query(`alter table ${table} drop constraint ${name}`)
  return [
    ...keys.rows.map(
      ({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`,
    ),
    ...others.rows.map(({ definition }) => definition as string),
  ]
}

/** Also checks the foreign keys. */
export const buildIndexes = async (
  client: pg.Client,
  dropped: readonly string[],
  name: string,
): Promise<void> => {
  const progress = createProgress(`${name}: ${dropped.length} keys and indexes`, dropped.length)
  for (const [index, text] of dropped.entries()) {
    await client.query(text)
    progress.at(index + 1)
  }
  progress.end()
}
