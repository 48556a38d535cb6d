import t, { type Test } from 'tap'
import { parseConfig } from '../../../app/config/config.ts'
import { addCustomer, createTestDatabase } from '../../helper.ts'
import { createLoginStage, repeat, withWrongSecret } from '../../limits/login-stage.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const { createApp, newKey } = createLoginStage(database)

const open = async (t: Test, env: Record<string, string> = {}) => {
  const { post, logIn, times } = await createApp(t, env)
  const oauth = (path: string, form: Record<string, string>, address = '192.0.2.1') =>
    post(`/v1/oauth/${path}`, new URLSearchParams(form).toString(), address, {
      'content-type': 'application/x-www-form-urlencoded',
    })
  return { logIn, oauth, times }
}

const asClient = (apiKey: string) => ({ client_id: apiKey.slice(9, 25), client_secret: apiKey })
const grant = { grant_type: 'client_credentials' }

t.test('by default, a key has 600 introspections and 60 revocations in a minute', async (t) => {
  t.match(parseConfig({}).limits, { introspections: 600, revocations: 60 })
})

t.test('the holder of a leaked key cannot keep its owner from revoking it', async (t) => {
  const { logIn, oauth, times } = await open(t)
  const leaked = await newKey()
  for (let i = 0; i < 8; i++) {
    t.equal((await oauth('introspect', { ...asClient(leaked), token: 'x' })).statusCode, 200)
  }
  t.equal((await logIn(leaked)).statusCode, 200, 'nor from logging in')
  t.same((await times(6, leaked)).at(-1), 429)
  t.equal((await oauth('token', { ...asClient(leaked), ...grant })).statusCode, 429, 'a login all the same')
  t.equal((await oauth('revoke', { ...asClient(leaked), token: leaked })).statusCode, 200)
  t.equal((await oauth('introspect', { ...asClient(leaked), token: 'x' })).statusCode, 401)
})

t.test('an introspection of a key above its quota is 429, and another key is accepted', async (t) => {
  const { oauth } = await open(t, { LIMIT_INTROSPECTIONS: '6' })
  const [key, other] = [await newKey(), await newKey()]
  const introspect = (apiKey: string, address?: string) =>
    oauth('introspect', { ...asClient(apiKey), token: 'x' }, address)
  for (let i = 0; i < 6; i++) t.equal((await introspect(key)).statusCode, 200)
  const refused = await introspect(key, '192.0.2.9')
  t.equal(refused.statusCode, 429, 'wherever it comes from')
  t.match(refused.json(), { code: 'quota_exceeded', 'violated-policies': ['introspections'] })
  t.ok(Number(refused.headers['retry-after']) >= 1)
  t.equal((await introspect(other)).statusCode, 200)
})

t.test('revocations of tokens are limited per key and address, and a key is always revoked', async (t) => {
  const { oauth } = await open(t, { LIMIT_REVOCATIONS: '6' })
  const key = await newKey()
  const revoke = (token: string, address?: string) => oauth('revoke', { ...asClient(key), token }, address)
  for (let i = 0; i < 6; i++) t.equal((await revoke('x')).statusCode, 200)
  const refused = await revoke('x')
  t.equal(refused.statusCode, 429)
  t.match(refused.json(), { code: 'quota_exceeded', 'violated-policies': ['revocations'] })
  t.equal((await revoke('x', '192.0.2.9')).statusCode, 200, 'another address has its own')
  t.equal((await revoke(withWrongSecret(key))).statusCode, 429, 'a wrong key is no key')
  t.equal((await revoke(key)).statusCode, 200, 'the key itself, from the very same address')
  t.equal((await revoke('x')).statusCode, 401, 'and it has ended')
})

t.test('an unknown OAuth client counts as a failed login, on each of the endpoints', async (t) => {
  const { oauth } = await open(t)
  const [key, other] = [await newKey(), await newKey()]
  const attempts: Record<string, string>[] = [
    { client_id: 'x', client_secret: 'garbage' },
    { client_id: asClient(other).client_id, client_secret: key },
    { client_id: asClient(key).client_id },
  ]
  for (const path of ['token', 'revoke', 'introspect']) {
    const address = `192.0.2.${path.length}`
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) {
      const form = { ...attempts[i % attempts.length], ...grant, token: 'x' }
      statuses.push((await oauth(path, form, address)).statusCode)
    }
    t.same(statuses, [...repeat(3, 401), 429, 429], path)
    const good = { ...asClient(key), ...grant, token: 'x' }
    t.equal((await oauth(path, good, address)).statusCode, 200, 'the right key still opens')
  }
})

t.test('a wrong secret at introspection is a failure of address and key', async (t) => {
  const { oauth, logIn } = await open(t)
  const key = await newKey()
  const wrong = { ...asClient(withWrongSecret(key)), token: 'x' }
  for (let i = 0; i < 3; i++) t.equal((await oauth('introspect', wrong)).statusCode, 401)
  t.equal((await oauth('introspect', wrong)).statusCode, 429)
  t.equal((await logIn(withWrongSecret(key))).statusCode, 429, 'the same count as that of logins')
})

t.test('a client without a plan is limited like any other', async (t) => {
  const { logIn, oauth, times } = await open(t)
  const basic = await addCustomer(database, 'without-plan', { plan: 'basic' })
  t.same(await times(5, basic), repeat(5, 403))
  t.equal((await oauth('token', { ...asClient(basic), ...grant })).json().error, 'unauthorized_client')
  t.equal((await logIn(basic)).statusCode, 429)
})
