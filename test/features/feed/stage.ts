import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { addCustomer, logIn, type TestDatabase } from '../../helper.ts'

export const addProduct = ({ operator }: Pick<TestDatabase, 'operator'>, customer: string, id: string) =>
  sql`insert into products (customer_id, id, name) values (${customer}, ${id}, ${id})`.execute(operator)

/** Waits until the service has seen all commits: the helper sends `no-cache`, which waits for a poll. */
export const notice = (get: (url: string) => unknown) => get('/v1/products')

type CustomerOptions = { at?: FastifyInstance; scopes?: string[] }

let customers = 0

export const createStage = (database: TestDatabase, app?: FastifyInstance) => ({
  /** Adds a customer and logs in. The service has seen the new key then, which would wake waiting clients. */
  async newCustomer({ at = app, ...options }: CustomerOptions = {}) {
    if (!at) throw new Error('no service')
    const id = `customer-${++customers}`
    const apiKey = await addCustomer(database, id, options)
    const { token, get } = await logIn(at, apiKey)
    await notice(get)
    return { id, apiKey, token, get, keyId: parseApiKey(apiKey)?.keyId as string }
  },
  addProduct: (customer: string, id: string) => addProduct(database, customer, id),
})
