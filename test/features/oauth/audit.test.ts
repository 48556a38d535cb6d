import t from 'tap'
import { listEntries } from '../../../app/audit/list.ts'
import { createApiKey, parseApiKey } from '../../../app/identity/api-keys.ts'
import { revokeFunction } from '../../audit/trail.ts'
import { addCustomer, closeAfter, createTestApp, createTestDatabase, until } from '../../helper.ts'
import { postForm } from './post-form.ts'

const database = await createTestDatabase()
const app = await createTestApp(database, { env: { LIMIT_FAILED_LOGINS: '1000' } })
closeAfter(t, app, database)
const apiKey = await addCustomer(database, 'acme')
const keyId = parseApiKey(apiKey)?.keyId as string

const newest = (limit: number) => listEntries(database.operator, { limit })
const count = async () => (await newest(100_000)).length
const login = (payload: object) => app.inject({ method: 'POST', url: '/v1/auth/login', payload })
const oauth = (path: string, form: Record<string, string>, secret = apiKey) =>
  postForm(app, path, { ...form, client_id: keyId, client_secret: secret })

t.test('OAuth logins, refusals and revocations are recorded like logins', async (t) => {
  const issued = await oauth('token', { grant_type: 'client_credentials' })
  t.match(await newest(1), [
    {
      actor: keyId,
      customer: 'acme',
      action: 'login',
      outcome: 'ok',
      client: '127.0.0.0/24',
      request_id: issued.headers['request-id'],
    },
  ])
  const before = await count()
  await oauth('introspect', { token: issued.json().access_token })
  t.equal(await count(), before, 'to look at a token is no login')
  const revoked = await oauth('revoke', { token: issued.json().access_token })
  t.equal(revoked.statusCode, 200)
  const by = { actor: keyId, customer: 'acme', client: '127.0.0.0/24' }
  t.match(await newest(1), [
    {
      ...by,
      action: 'tokens.revoke',
      subject: keyId,
      details: { jti: String },
      request_id: revoked.headers['request-id'],
    },
  ])
  const leaked = await addCustomer(database, 'acme')
  const { headers } = await oauth('revoke', { token: leaked })
  const subject = parseApiKey(leaked)?.keyId
  t.match(await newest(1), [{ ...by, action: 'keys.revoke', subject, request_id: headers['request-id'] }])
  const wrong = createApiKey().apiKey
  for (const path of ['token', 'revoke', 'introspect']) {
    const answer = await oauth(path, { grant_type: 'client_credentials', token: 'x' }, wrong)
    const [entry] = await newest(1)
    t.match(entry, {
      actor: 'anonymous',
      customer: null,
      action: 'login',
      outcome: 'refused',
      subject: null,
      details: { reason: 'invalid_api_key' },
      request_id: answer.headers['request-id'],
    })
    t.notMatch(JSON.stringify(entry), wrong.slice(26), 'without the secret')
  }
})

t.test('revoking again writes no second entry', async (t) => {
  const leaked = await addCustomer(database, 'acme')
  const token = (await login({ api_key: apiKey })).json().access_token as string
  for (const each of [leaked, token]) {
    const before = await count()
    t.equal((await oauth('revoke', { token: each })).statusCode, 200)
    t.equal(await count(), before + 1)
    await until('it is known', async () => {
      const before = await count()
      await oauth('revoke', { token: each })
      return (await count()) === before
    })
  }
})

t.test('a revocation that cannot be recorded does not happen', async (t) => {
  const token = (await login({ api_key: apiKey })).json().access_token as string
  const { jti } = app.verifyToken(token)
  const restore = await revokeFunction(database, t, 'append_audit')
  const answers = [await oauth('revoke', { token }), await oauth('revoke', { token: apiKey })]
  await restore()
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [500, 500],
  )
  t.equal(await app.principals.isTokenRevoked({ customerId: 'acme', keyId, jti }), false)
  t.equal((await login({ api_key: apiKey })).statusCode, 200)
})
