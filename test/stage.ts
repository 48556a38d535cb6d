import type { RawBuilder } from 'kysely'
import pg from 'pg'
import t from 'tap'
import {
  addCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  logIn,
  type TestClock,
} from './helper.ts'

/** The service on a database of its own. Both close at the end of the file. */
export const database = await createTestDatabase()
export const clock: TestClock = { offsetMs: 0 }
export const app = await createTestApp(database, { clock })
closeAfter(t, app, database)
t.afterEach(() => {
  clock.offsetMs = 0
})

/** Runs a statement of the operator. */
export const run = async <Row>(statement: RawBuilder<Row>): Promise<Row[]> =>
  (await statement.execute(database.operator)).rows

/** Opens a connection of the owner, for transactions. */
export const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.teardown(() => client.end())
  return client
}

let customers = 0

export const newCustomer = async () => {
  const id = `customer-${++customers}`
  const apiKey = await addCustomer(database, id)
  const { get } = await logIn(app, apiKey)
  /** Logs in again, because the token has expired by then. */
  const getOnDay = async (days: number) => {
    clock.offsetMs = days * 86_400_000
    return (await logIn(app, apiKey)).get
  }
  return { id, get, getOnDay }
}
