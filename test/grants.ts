import { sql } from 'kysely'
import type { TestDatabase } from './helper.ts'

/**
 * Grants a custom endpoint that has only a name, for tests of scopes: its document is no valid one. The kernel reads the
 * names for tokens, with or without an address for them.
 */
export const grantName = async (
  { operator }: TestDatabase,
  customer: string,
  name: string,
  granted = true,
): Promise<void> => {
  await sql`insert into custom_endpoints (name) values (${name}) on conflict do nothing`.execute(operator)
  await sql`insert into custom_documents (name, revision, document) values (${name}, 1, '{}')
    on conflict do nothing`.execute(operator)
  await sql`insert into custom_grants (customer_id, name, granted) values (${customer}, ${name}, ${granted})
    on conflict (customer_id, name) do update set granted = excluded.granted`.execute(operator)
}
