import { sql } from 'kysely'
import type { Resource } from '../resources/define.ts'
import type { Sql } from './column.ts'

/** The customer that the statement set for row level security: a column, so that no row is read before. */
export const customer = sql.raw('s.customer_id')

/** The customer's window, where the session has it. */
export const setting = sql.raw('s.expiring_within')

/** The record `r` is the customer's, or everybody's. */
export const isOwned = ({ reference }: Resource): Sql =>
  reference ? sql`true` : sql`r.customer_id = ${customer}`

const windowOf = (customerId: string) =>
  sql`(select c.expiring_within from find_customer(${customerId}) c) as expiring_within`

/**
 * Sets the customer for row level security, as a row `s` that everything is joined to. `offset 0` keeps the planner from
 * pulling `set_config` up, so that no row is read before it has run. `hasWindow`: with the customer's window, read in the
 * statement that uses it: a change of the setting is a change of the data like any other, visible in the same snapshot.
 */
export const session = (customerId: string, hasWindow: boolean): Sql => {
  const window = hasWindow ? sql`, ${windowOf(customerId)}` : sql``
  return sql`(select set_config('app.customer_id', ${customerId}, true) as customer_id${window} offset 0) s`
}

/** The same for an export, whose connection knows the customer already. */
export const exportSession = (customerId: string): Sql =>
  sql`(select ${customerId}::text as customer_id, ${windowOf(customerId)}) s`
