import { sql } from 'kysely'
import t from 'tap'
import { asCustomer, createTestApp, createTestDatabase, publicUrl } from '../helper.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
t.teardown(async () => {
  await app.close()
  await database.close()
})
const { get: acme } = await asCustomer(database, app, 'acme')
await sql`insert into products (customer_id, id, name)
  select 'acme', n::text, 'product ' || n from generate_series(1, 3) n`.execute(database.operator)

t.test('the address that is suggested is one that is answered', async (t) => {
  const { next_cursor: cursor } = (await acme('/v1/products?limit=1')).json().page
  const { next_token: token } = (await acme('/v1/changes')).json().page
  const suggested = async (path: string) => {
    const answer = await acme(path)
    t.equal(answer.statusCode, 400, path)
    return answer.json().try as string | undefined
  }
  const bad = [
    '/v1/products?curser=abc',
    '/v1/products?curser=abc&limt=2',
    `/v1/products?sort=-name&curser=${cursor}`,
    '/v1/certificates?fromat=csv&include=product',
    '/v1/changes?aftr=abc',
    `/v1/changes?aftr=${token}&resources=lab`,
  ]
  for (const path of bad) t.equal(await suggested(path), undefined, path)
  for (const path of [`/v1/products?curser=${cursor}`, `/v1/changes?aftr=${token}`, '/v1/products?limt=2']) {
    const found = await suggested(path)
    t.equal((await acme((found ?? '').slice(publicUrl.length))).statusCode, 200, path)
  }
})

t.test('the detail of a refused query names its first fault', async (t) => {
  const first = (await acme('/v1/products?limit=0&nonsense=1')).json()
  t.match(first.detail, /^limit: expected a whole number from 1 to 500|^limit: expected/)
  t.equal(first.detail, `limit: ${first.errors[0].detail}`)
  const second = (await acme('/v1/products?nonsense=1')).json()
  t.equal(second.detail, second.errors[0].detail, 'which begins with the name already')
})
