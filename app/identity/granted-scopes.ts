import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import {
  createFacts,
  type Fact,
  type FactsOptions,
  findRow,
  type StampRow,
  stampColumns,
  toFact,
} from './facts.ts'
import { listScopes } from './scopes.ts'

/** Every change of a document or a grant is logged under this name. */
export const customChanges = 'custom'

const load = async (db: Db, customerId: string): Promise<Fact<readonly string[]>> => {
  const row = await findRow(
    db,
    sql<StampRow & { names: string[] }>`select ${stampColumns}, array(
      select e.name from find_custom_endpoints(${customerId}) e where e.superseded_at is null order by e.name
    ) as names`,
  )
  if (!row) throw new Error('a statement without a row')
  return toFact(customerId, row, listScopes(row.names))
}

/**
 * Returns a function that lists every scope of a customer: one for each resource, and one for each custom endpoint
 * that was granted. A grant or a revocation takes effect within a second. The function returns no promise if the
 * fact is fresh. It rejects with `unavailable` while the database cannot be reached.
 */
export const createGrantedScopes = (options: FactsOptions) => {
  const { db } = options
  const { find } = createFacts((customerId) => load(db, customerId), {
    ...options,
    dependsOn: [customChanges],
  })
  return (customerId: string): readonly string[] | Promise<readonly string[]> => {
    const found = find(customerId)
    return found instanceof Promise ? found.then((scopes) => scopes ?? listScopes()) : (found ?? listScopes())
  }
}
