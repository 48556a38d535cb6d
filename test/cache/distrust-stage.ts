import { sql } from 'kysely'
import t from 'tap'
import { regainTrust } from '../../app/db/trust.ts'
import {
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  type Get,
  until,
  withoutTriggers,
} from '../helper.ts'

/** Two instances on a database of their own, whose triggers a test can bypass. All close at the end of the file. */

export const database = await createTestDatabase()
export const owner = connectOwner(database)
export const [a, b] = [await createTestApp(database), await createTestApp(database)]
closeAfter(t, a, b, owner, database)
export const [one, two] = [await asCustomer(database, a, 'acme'), await asCustomer(database, b, 'acme')]

export const run = (text: string) => sql.raw(text).execute(owner)
export const bypass = (table: string, statement: string) => run(withoutTriggers(table, statement))
const cached =
  (get: Get): Get =>
  (url) =>
    get(url, { 'cache-control': '' })
/** They read from the cache. */
export const [onA, onB] = [cached(one.get), cached(two.get)]
export const getStatus = async (get: Get, url: string) => (await get(url)).headers['cache-status']

/** Reads the answer until it comes from memory. */
export const keep = async (get: Get, url: string) => {
  await get(url)
  await until(`${url} is cached`, async () => String(await getStatus(get, url)).startsWith('certdata; hit'))
}
export const probeRound = async (app: typeof a): Promise<string[]> => {
  const results: string[] = []
  for (let result = ''; result !== 'nothing'; results.push(result)) result = await app.probeFreshness()
  return results
}
export const isDistrusted = (app: typeof a, name: string) => app.readDistrust()[name] === 1
const listDistrusted = (app: typeof a) =>
  Object.entries(app.readDistrust()).flatMap(([name, is]) => (is === 1 ? [name] : []))
/** Ends all distrust, and waits until both instances know it. */
export const recover = async () => {
  const result = await regainTrust(owner)
  await until('both trust', () => listDistrusted(a).length + listDistrusted(b).length === 0)
  return result
}

await run(
  `insert into products (customer_id, id, name) values ('acme', 'p-1', 'first'), ('acme', 'p-2', 'second')`,
)
await run(`insert into certificates (customer_id, id, number, title, approval_status, product_id)
  values ('acme', 'c-1', 'N', 'T', 'approved', 'p-1')`)
await run(`insert into countries (id, code, alpha3, name, region, requirements)
  values ('QQ', 'QQ', 'QQQ', 'Q', 'europe', '(,,,,,)')`)
