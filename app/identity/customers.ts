import { sql } from 'kysely'
import { z } from 'zod'
import { text } from '../../schemas/fields.ts'
import { selectInstant } from '../db/instant.ts'
import type { Db, Plan } from '../db/schema.ts'

export const customerSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected 1 to 64 of a-z 0-9 -, not beginning with -')

export const customerName = text.min(1, 'expected a name')

export const plans: readonly Plan[] = ['basic', 'premium', 'enterprise']

/** Instants are RFC 3339 in UTC with six decimals. `expiring_within`: days, 1–365, checked by the table. */
export type Customer = {
  customer: string
  name: string
  plan: Plan
  suspended_at: string | null
  expiring_within: number
  created_at: string
}

const columns = [
  'customer_id as customer',
  'name',
  'plan',
  selectInstant('suspended_at').$castTo<string | null>().as('suspended_at'),
  'expiring_within',
  selectInstant('created_at').as('created_at'),
] as const

/** `undefined` if the customer does not exist. */
export const findCustomer = (db: Db, customerId: string): Promise<Customer | undefined> =>
  db.selectFrom('customers').select(columns).where('customer_id', '=', customerId).executeTakeFirst()

/** Sorted by slug. */
export const listCustomers = (db: Db): Promise<Customer[]> =>
  db.selectFrom('customers').select(columns).orderBy('customer_id').execute()

type NewCustomer = { customerId: string; name: string; plan: Plan }

/** `undefined`, without any change, if the slug is taken. */
export const addCustomer = (db: Db, { customerId, name, plan }: NewCustomer): Promise<Customer | undefined> =>
  db
    .insertInto('customers')
    .values({ customer_id: customerId, name, plan })
    .onConflict((conflict) => conflict.column('customer_id').doNothing())
    .returning(columns)
    .executeTakeFirst()

/** Inserts a customer, or updates its name and plan if they differ. */
export const putCustomer = async (db: Db, { customerId, name, plan }: NewCustomer): Promise<void> => {
  await db
    .insertInto('customers')
    .values({ customer_id: customerId, name, plan })
    .onConflict((conflict) =>
      conflict
        .column('customer_id')
        .doUpdateSet({ name, plan })
        .where(sql<boolean>`(customers.name, customers.plan) is distinct from (${name}, ${plan})`),
    )
    .execute()
}

/** At least one property. `suspended`: true keeps an earlier suspension time, false lifts the suspension. */
export type CustomerChanges = { plan?: Plan; suspended?: boolean; expiringWithin?: number }

/** `undefined` if the customer does not exist. */
export const changeCustomer = (
  db: Db,
  customerId: string,
  { plan, suspended, expiringWithin }: CustomerChanges,
): Promise<Customer | undefined> =>
  db
    .updateTable('customers')
    .set({
      plan,
      expiring_within: expiringWithin,
      suspended_at:
        suspended === undefined
          ? undefined
          : sql<string | null>`case when ${suspended} then coalesce(suspended_at, now()) end`,
    })
    .where('customer_id', '=', customerId)
    .returning(columns)
    .executeTakeFirst()
