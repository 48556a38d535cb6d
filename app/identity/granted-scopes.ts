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

/** Name of every change to a custom document or a grant in the change log. */
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

/** Returns a function that lists every scope of a customer. It is synchronous if the fact is fresh. */
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
