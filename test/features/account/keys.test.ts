import { sql } from 'kysely'
import t from 'tap'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { listScopes } from '../../../app/identity/scopes.ts'
import { createCommandLine } from '../../command-line.ts'
import { addCustomer, closeAfter, createTestApp, createTestDatabase, logIn, secretKey } from '../../helper.ts'
import { createDocumentChecks } from '../../openapi-document.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)
const scopes = ['*', 'account:read']
const toId = (apiKey: string) => parseApiKey(apiKey)?.keyId as string

const [acme, second, bolt] = [
  await addCustomer(database, 'acme', { scopes }),
  await addCustomer(database, 'acme', { scopes: ['products:read'] }),
  await addCustomer(database, 'bolt', { scopes }),
]
await sql`update api_keys set name = 'ERP', networks = '{203.0.113.0/24}', expires_at = '2999-01-01' where key_id = ${toId(second)}`.execute(
  database.operator,
)

t.test('a key sees all keys of its customer, without secrets, and only its own networks', async (t) => {
  const { get } = await logIn(app, acme)
  const answer = await get('/v1/me/keys')
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, { 'cache-control': 'no-store', etag: undefined, 'data-as-of': /Z$/ })
  const { data } = answer.json()
  t.match(data, [
    {
      id: toId(second),
      name: 'ERP',
      is_current: false,
      state: 'active',
      expires_at: '2999-01-01T00:00:00.000000Z',
      last_used_on: null,
      networks: null,
      scopes: ['products:read'],
    },
    {
      id: toId(acme),
      is_current: true,
      expires_at: null,
      last_used_on: /^\d{4}-\d\d-\d\d$/,
      networks: ['0.0.0.0/0', '::/0'],
    },
  ])
  t.same(data[1].scopes, [...data[1].scopes].sort())
  t.ok(data[1].scopes.includes('products:read') && data[1].scopes.includes('account:read'))
  for (const secret of [acme, second, bolt]) t.notMatch(answer.body, secret.split('_').at(-1))
  t.notMatch(answer.body, toId(bolt), 'no key of another customer')
  const served = await app.inject('/openapi.json')
  const { schema } = served.json().paths['/v1/me/keys'].get.responses[200].content['application/json']
  t.same(createDocumentChecks(served).validate(schema, answer.json()), [])
})

t.test('the state follows the row of the key', async (t) => {
  const { get } = await logIn(app, acme)
  const stateOf = async (change: string) => {
    await sql`update api_keys set revoked_at = null, expires_at = null, replaced_by = null, replaces = null, overlap = null where key_id = ${toId(second)}`.execute(
      database.operator,
    )
    await sql`update api_keys set ${sql.raw(change)} where key_id = ${toId(second)}`.execute(
      database.operator,
    )
    return (await get('/v1/me/keys')).json().data[0].state
  }
  t.equal(await stateOf("replaced_by = 'x'"), 'replaced')
  t.equal(await stateOf("expires_at = now() - interval '1 second', replaced_by = 'x'"), 'expired')
  t.equal(await stateOf("expires_at = '2000-01-01', revoked_at = now()"), 'revoked')
  t.equal(await stateOf(`replaces = '${toId(acme)}', overlap = '7 days'`), 'pending')
  t.equal(await stateOf('networks = null'), 'active')
})

t.test('the serving role sees keys only of the customer of its session', async (t) => {
  const count = async (customer: string, session: string) => {
    const { rows } = await sql`
      select from (select set_config('app.customer_id', ${session}, true) offset 0) s,
        list_account_keys(${customer}, '', 9)`.execute(database.reader)
    return rows.length
  }
  t.equal(await count('acme', 'acme'), 2)
  t.equal(await count('bolt', 'acme'), 0)
  t.equal(await count('acme', ''), 0)
  t.equal((await sql`select from list_account_keys('acme', '', 9)`.execute(database.reader)).rows.length, 0)
})

t.test('a key without a list of scopes may not read the account, and the demo neither', async (t) => {
  await addCustomer(database, 'demo')
  const { get } = await logIn(app, await addCustomer(database, 'acme'))
  t.notMatch((await get('/v1/me')).json().data.scopes, ['account:read'])
  const refused = await get('/v1/me/keys')
  t.match(refused.json(), { status: 403, code: 'insufficient_scope', detail: /account:read/ })
  const demo = await app.inject({
    url: '/v1/me/keys',
    headers: { authorization: 'Bearer cda_demo_public' },
  })
  t.match(demo.json(), { status: 403, code: 'live_token_required' })
  const faulty = await (await logIn(app, acme)).get('/v1/me/keys?limit=3')
  t.match(faulty.json(), { status: 400, errors: [{ parameter: 'limit' }] })
})

t.test('new keys of premium and enterprise have the scope in addition to all others', async (t) => {
  const { json } = createCommandLine({ DATABASE_URL: database.url, SECRET_KEY: secretKey })
  for (const plan of ['premium', 'enterprise', 'basic']) {
    await json('customers', 'add', plan, '--name', plan, '--plan', plan)
    const issued = (await json('keys', 'issue', plan)) as { scopes: string[]; api_key: string }
    t.equal(issued.scopes.includes('account:read'), plan !== 'basic', plan)
    t.ok(issued.scopes.includes('products:read'))
    t.notOk(issued.scopes.includes('audit:read'))
    if (plan === 'basic') continue
    const { get } = await logIn(app, issued.api_key)
    t.equal((await get('/v1/me/keys')).statusCode, 200)
    t.equal((await get('/v1/products')).statusCode, 200)
    t.equal((await get('/v1/audit')).statusCode, 403)
    t.same((await get('/v1/me')).json().data.scopes, [...issued.scopes].sort())
    const named = (await json('keys', 'issue', plan, '--scopes', 'products:read')) as { scopes: string[] }
    const star = (await json('keys', 'issue', plan, '--scopes', '*,keys:rotate')) as { scopes: string[] }
    t.same(star.scopes, [...listScopes(), 'keys:rotate'], 'a star and a named scope')
    t.same(named.scopes, ['products:read'])
  }
})
