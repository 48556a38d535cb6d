import type pg from 'pg'
import { countries, customers, numbers, productCount, productId, productName } from './world.ts'

const alpha3 = { DE: 'DEU', FR: 'FRA', JP: 'JPN', US: 'USA' } as const
/** More days than windows: the number of certificates within a window does not change at midnight. */
const windowDays = 800

/** Seeds every record at counter 0. */
export const seed = async (operator: pg.Pool): Promise<void> => {
  for (const code of countries) {
    await operator.query(
      `insert into countries (id, code, alpha3, name, region, requirements)
        values ($1, $1, $2, $1, 'europe', '({},,,,,)')`,
      [code, alpha3[code]],
    )
  }
  for (const customer of customers) {
    await operator.query(
      `insert into customers (customer_id, name, plan, expiring_within) values ($1, $1, 'premium', 1)`,
      [customer],
    )
    const indexes = numbers(productCount)
    await operator.query(
      `insert into products (customer_id, id, name, model)
        select $1, id, name, $1 || '#0' from unnest($2::text[], $3::text[]) as p(id, name)`,
      [
        customer,
        indexes.map((index) => productId(customer, index)),
        indexes.map((index) => productName(customer, index)),
      ],
    )
    await operator.query(
      `insert into certificates (customer_id, id, number, title, product_id, scheme, approval_status)
        select $1, replace(id, '-p', '-c'), id, $1 || '#0', id, 'main', 'approved' from products
        where customer_id = $1`,
      [customer],
    )
    await operator.query(
      `insert into certificates (customer_id, id, number, title, scheme, approval_status, valid_until)
        select $1, $1 || '-w' || n, 'w' || n, 'window', 'window', 'approved',
          (now() at time zone 'UTC')::date + n from generate_series(0, $2::integer) n`,
      [customer, windowDays],
    )
  }
}
