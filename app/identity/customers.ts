import { sql } from 'kysely'
import { z } from 'zod'
import { text } from '../../schemas/fields.ts'
import { selectInstant } from '../db/instant.ts'
import type { Db, Plan } from '../db/schema.ts'

/** What customers are called in import lines, tokens and on the command line; the table checks the same. */
export const customerSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected 1 to 64 of a-z 0-9 -, not beginning with -')

/** A customer's own name: never empty, at most 2,000 bytes. */
export const customerName = text.min(1, 'expected a name')

export const plans: readonly Plan[] = ['basic', 'premium', 'enterprise']

/** Instants are RFC 3339 in UTC with six decimals. `expiring_within`: days, 1–365. */
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

/** Returns one customer by primary key, or undefined. */
export const findCustomer = (db: Db, customerId: string): Promise<Customer | undefined> =>
  db.selectFrom('customers').select(columns).where('customer_id', '=', customerId).executeTakeFirst()

/** All customers by slug: the operator's list, not a request's. */
export const listCustomers = (db: Db): Promise<Customer[]> =>
  db.selectFrom('customers').select(columns).orderBy('customer_id').execute()

type NewCustomer = { customerId: string; name: string; plan: Plan }

/** Adds a customer; undefined where the slug is taken, and then nothing changes. */
export const addCustomer = (db: Db, { customerId, name, plan }: NewCustomer): Promise<Customer | undefined> =>
  db
    .insertInto('customers')
    .values({ customer_id: customerId, name, plan })
    .onConflict((conflict) => conflict.column('customer_id').doNothing())
    .returning(columns)
    .executeTakeFirst()

/** Adds a customer, or gives the one there is this name and plan; writes nothing where he has them. */
export const putCustomer = async (db: Db, customer: NewCustomer): Promise<void> => {
  const { customerId, name, plan } = customer
  if (await addCustomer(db, customer)) return
  await db
    .updateTable('customers')
    .set({ name, plan })
    .where('customer_id', '=', customerId)
    .where(sql<boolean>`(name, plan) is distinct from (${name}, ${plan})`)
    .execute()
}

/** `suspended`: from now on, or the end of it; who is suspended already stays so since then. */
export type CustomerChanges = { plan?: Plan; suspended?: boolean; expiringWithin?: number }

/** Changes what is given; undefined where there is no such customer. */
export const changeCustomer = (
  db: Db,
  customerId: string,
  { plan, suspended, expiringWithin }: CustomerChanges,
): Promise<Customer | undefined> =>
  db
    .updateTable('customers')
    .set({
      ...(plan === undefined ? {} : { plan }),
      ...(expiringWithin === undefined ? {} : { expiring_within: expiringWithin }),
      ...(suspended === undefined
        ? {}
        : { suspended_at: suspended ? sql<string>`coalesce(suspended_at, now())` : null }),
    })
    .where('customer_id', '=', customerId)
    .returning(columns)
    .executeTakeFirst()
