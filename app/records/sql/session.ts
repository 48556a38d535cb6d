import { sql } from 'kysely'
import type { Resource } from '../resources/define.ts'
import type { Sql } from './column.ts'

/** The customer of the session, as a column: so no row is read before row level security is set. */
export const customer = sql.raw('s.customer_id')

/** The customer's window in days. Requires `hasWindow`. */
export const setting = sql.raw('s.expiring_within')

/** Returns the condition that the record `r` is the customer's, or reference data. */
export const isOwned = ({ reference }: Resource): Sql =>
  reference ? sql`true` : sql`r.customer_id = ${customer}`

const selectWindow = (customerId: string) =>
  sql`(select c.expiring_within from find_customer(${customerId}) c) as expiring_within`

/** Returns a row `s` that sets the customer for row level security. `hasWindow` adds the customer's window. */
export const session = (customerId: string, hasWindow: boolean): Sql => {
  // `offset 0` keeps the planner from reading other rows before `set_config` has run.
  const window = hasWindow ? sql`, ${selectWindow(customerId)}` : sql``
  return sql`(select set_config('app.customer_id', ${customerId}, true) as customer_id${window} offset 0) s`
}

/** Returns the row `s` for an export. Its connection has the customer set already. */
export const exportSession = (customerId: string): Sql =>
  sql`(select ${customerId}::text as customer_id, ${selectWindow(customerId)}) s`
