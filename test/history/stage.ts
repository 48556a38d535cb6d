import type { RawBuilder } from 'kysely'
import pg from 'pg'
import t from 'tap'
import {
  addCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  type Get,
  logIn,
  type TestClock,
} from '../helper.ts'
import type { Entry } from './entries.ts'

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

type Page = { data: Entry[]; page: { has_more: boolean; next_cursor: string | null; history_from: string } }

export const readPage = async (get: Get, url: string): Promise<Page> => {
  const answer = await get(url)
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`)
  return answer.json()
}

/** Follows the cursors. */
export const readAll = async (get: Get, url: string, limit = 50): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, page } = await readPage(get, `${url}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    entries.push(...data)
    cursor = page.next_cursor
  }
  return entries
}
