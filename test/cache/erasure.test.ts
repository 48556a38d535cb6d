import { sql } from 'kysely'
import t from 'tap'
import { eraseCustomer } from '../../app/operator/gdpr/erase.ts'
import { asCustomer, connectOwner, createTestApp, createTestDatabase, until } from '../helper.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
const owner = connectOwner(database)
t.teardown(async () => {
  await app.close()
  await owner.destroy()
  await database.close()
})

t.test('no cached answer of an erased customer is served to a new one with its name', async (t) => {
  const paths = ['/v1/products', '/v1/products/p', '/v1/countries?limit=1', '/v1/me']
  const former = await asCustomer(database, app, 'gamma')
  await sql`insert into products (customer_id, id, name) values ('gamma', 'p', 'a secret')`.execute(
    database.operator,
  )
  for (const path of paths) t.equal((await former.get(path)).statusCode, 200, path)
  await eraseCustomer(owner, 'gamma')
  const next = await asCustomer(database, app, 'gamma')
  // Without no-cache, which would bypass the cache.
  const get = (path: string) => next.get(path, { 'cache-control': '' })
  await until('the erasure is known', async () => (await get('/v1/products')).json().data.length === 0)
  for (const path of paths) t.notMatch((await get(path)).body, 'a secret', path)
  t.equal((await get('/v1/products/p')).statusCode, 404)
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from change_log where customer_id = 'gamma' and record_id = 'p'`.execute(owner)
  t.equal(rows[0]?.n, 0, 'and the log has forgotten its records')
})
