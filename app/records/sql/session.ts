import { sql } from 'kysely'
import type { Resource } from '../resources/define.ts'
import type { Sql } from './column.ts'

/** The customer set for row level security. A column, so that no row is read before it is set. */
export const customer = sql.raw('s.customer_id')

/** The customer's window in days, if the session has `hasWindow`. */
export const setting = sql.raw('s.expiring_within')

/** Condition: the record `r` belongs to the customer or is reference data. */
export const isOwned = ({ reference }: Resource): Sql =>
  reference ? sql`true` : sql`r.customer_id = ${customer}`

const selectWindow = (customerId: string) =>
  sql`(select c.expiring_within from find_customer(${customerId}) c) as expiring_within`

/**
 * Sets the customer for row level security, as a row `s` that everything is joined to. `offset 0` keeps the
 * planner from reading rows before `set_config` has run. `hasWindow` adds the customer's window.
 */
export const session = (customerId: string, hasWindow: boolean): Sql => {
  const window = hasWindow ? sql`, ${selectWindow(customerId)}` : sql``
  return sql`(select set_config('app.customer_id', ${customerId}, true) as customer_id${window} offset 0) s`
}

/** The row `s` for an export: its connection has the customer set already. */
export const exportSession = (customerId: string): Sql =>
  sql`(select ${customerId}::text as customer_id, ${selectWindow(customerId)}) s`
