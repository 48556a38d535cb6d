import { sql } from 'kysely'
import t from 'tap'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { addCustomer, closeAfter, createTestApp, createTestDatabase } from '../../helper.ts'
import { postForm } from './post-form.ts'

const database = await createTestDatabase()
const app = await createTestApp(database, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
closeAfter(t, app, database)

const inside = '203.0.113.5'
const outside = '198.51.100.7'

const openClient = async (customer: string) => {
  const apiKey = await addCustomer(database, customer)
  const keyId = parseApiKey(apiKey)?.keyId as string
  await sql`update api_keys set networks = '{203.0.113.0/24}' where key_id = ${keyId}`.execute(
    database.operator,
  )
  const send = (path: string, form: Record<string, string>, address: string) =>
    postForm(
      app,
      path,
      { client_id: keyId, client_secret: apiKey, ...form },
      { 'x-forwarded-proto': 'https', 'x-forwarded-for': address },
    )
  return { apiKey, send }
}

t.test('outside its networks a key gets no token, and introspects none', async (t) => {
  const { send } = await openClient('acme')
  const grant = { grant_type: 'client_credentials' }
  const form = await send('token', grant, outside)
  t.equal(form.statusCode, 403)
  t.match(form.json(), { error: 'unauthorized_client', error_uri: /network_not_allowed$/ })
  const token = (await send('token', grant, inside)).json().access_token as string
  t.equal((await send('introspect', { token }, outside)).statusCode, 403)
  t.equal((await send('introspect', { token }, inside)).json().active, true)
})

t.test('a leaked key can be revoked from any network', async (t) => {
  const { send, apiKey } = await openClient('leaked')
  t.equal((await send('revoke', { token: apiKey }, outside)).statusCode, 200)
  t.equal((await send('token', { grant_type: 'client_credentials' }, inside)).statusCode, 401)
})
