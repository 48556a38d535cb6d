import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { createFacts, type Fact, type FactsOptions, loadFact, type StampRow, stampColumns } from './facts.ts'
import { listScopes } from './scopes.ts'

/** Custom documents and grants, as the change log names them. See docs/decisions/0256-grants-of-custom-endpoints-stay.md. */
export const customChanges = 'custom'

const load = (db: Db, customerId: string): Promise<Fact<readonly string[]>> => {
  const statement = sql<StampRow & { names: string[] }>`select ${stampColumns}, array(
      select e.name from find_custom_endpoints(${customerId}) e where e.superseded_at is null order by e.name
    ) as names`
  return loadFact(db, customerId, statement, ({ names }) => listScopes(names))
}

/** The returned function lists the scopes of a key without limits. Synchronous if fresh. Rejects with unavailable. */
export const createGrantedScopes = (options: FactsOptions) => {
  const loadScopes = (customerId: string) => load(options.db, customerId)
  const { find } = createFacts(loadScopes, { ...options, dependsOn: [customChanges] })
  // Never `undefined`: `load` returns a fact even for an unknown customer.
  return find as (customerId: string) => readonly string[] | Promise<readonly string[]>
}

/** Lists the sorted names of the endpoints that each customer was granted. No entry without a grant. */
export const listGranted = async (
  db: Db,
  customers: readonly string[],
): Promise<ReadonlyMap<string, string[]>> => {
  const { rows } = await sql<{ customer: string; names: string[] }>`
    select c.customer, array_agg(e.name order by e.name) as names
    from unnest(${[...new Set(customers)]}::text[]) c (customer) cross join custom_endpoints e
    left join custom_grants g on g.name = e.name and g.customer_id = c.customer
    where coalesce(g.granted, e.to_everyone)
      and exists (select from custom_documents d where d.name = e.name and d.superseded_at is null)
    group by c.customer`.execute(db)
  return new Map(rows.map(({ customer, names }) => [customer, names]))
}
