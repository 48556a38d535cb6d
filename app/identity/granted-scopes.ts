import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { createFacts, type Fact, type FactsOptions, loadFact, type StampRow, stampColumns } from './facts.ts'
import { listScopes } from './scopes.ts'

/** Custom documents and grants, as the change log names them. */
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
