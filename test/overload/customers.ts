import { sql } from 'kysely'
import { addCustomer, type TestDatabase } from '../helper.ts'

const count = 10
const rows = 200

/** Ten customers who may ask much and one, `noisy`, who may ask little, with 200 products each; their API keys. */
export const addCustomers = async (database: TestDatabase): Promise<{ keys: string[]; noisyKey: string }> => {
  const names = Array.from({ length: count }, (_, n) => `c${n}`)
  const keys = await Promise.all(names.map((name) => addCustomer(database, name, { plan: 'enterprise' })))
  const noisyKey = await addCustomer(database, 'noisy')
  await sql`insert into products (customer_id, id, name)
    select c.customer_id, 'p' || n, 'product ' || n
    from customers c, generate_series(1, ${rows}::int) n`.execute(database.operator)
  return { keys, noisyKey }
}

/** The Authorization header of whoever has this key. */
export const logInAt = async (base: string, apiKey: string): Promise<string> => {
  const answer = await fetch(`${base}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`
}
