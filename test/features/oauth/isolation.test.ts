import { sql } from 'kysely'
import t from 'tap'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { addCustomer, closeAfter, createTestApp, createTestDatabase, logIn } from '../../helper.ts'
import { postForm } from './post-form.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)

const momentary = ['date', 'request-id', 'server-timing']
const stableHeaders = (headers: object) =>
  JSON.stringify(Object.entries(headers).filter(([name]) => !momentary.includes(name)))

const openClient = async (customer: string) => {
  const apiKey = await addCustomer(database, customer)
  const { token } = await logIn(app, apiKey)
  return { customer, apiKey, token, keyId: parseApiKey(apiKey)?.keyId as string }
}
type Client = Awaited<ReturnType<typeof openClient>>
const post = ({ apiKey, keyId }: Client, path: string, token: string) =>
  postForm(app, path, { client_id: keyId, client_secret: apiKey, token })

t.test('tokens and keys of another customer are answered as nonsense, and stay valid', async (t) => {
  const clients = [await openClient('acme'), await openClient('bolt')]
  for (const client of clients) {
    for (const { customer, apiKey, token, keyId } of clients.filter((each) => each !== client)) {
      for (const path of ['introspect', 'revoke']) {
        const nonsense = await post(client, path, 'nonsense')
        for (const secret of [token, apiKey]) {
          const answer = await post(client, path, secret)
          t.same([answer.statusCode, answer.body], [200, nonsense.body], `${path} of ${customer}`)
          t.equal(stableHeaders(answer.headers), stableHeaders(nonsense.headers))
        }
      }
      const { rows } = await sql`
        select from revoked_tokens where key_id = ${keyId}
        union all select from api_keys where key_id = ${keyId} and revoked_at is not null`.execute(
        database.operator,
      )
      t.equal(rows.length, 0, `the key and the token of ${customer} are valid`)
    }
  }
  for (const client of clients) t.equal((await post(client, 'introspect', client.token)).json().active, true)
})

t.test('the serving role can neither read nor change used assertions', async (t) => {
  for (const statement of [
    'select from used_assertions',
    'insert into used_assertions select * from used_assertions',
    'update used_assertions set customer_id = customer_id',
    'delete from used_assertions',
    'truncate used_assertions',
  ])
    await t.rejects(sql.raw(statement).execute(database.reader), /permission denied/, statement)
})
