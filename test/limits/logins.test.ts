import { crc32 } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import type { ApiError } from '../../app/errors.ts'
import { createApiKey } from '../../app/identity/api-keys.ts'
import { presentApiKey } from '../../app/identity/credential.ts'
import { toApiKeyError } from '../../app/identity/credential-errors.ts'
import { createFailures } from '../../app/limits/failures.ts'
import { createLogins } from '../../app/limits/logins.ts'
import type { Turn } from '../../app/overload/queue.ts'
import { addCustomer, createTestApp, createTestDatabase } from '../helper.ts'
import { createServer, createSimulation } from './simulation.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

const createApp = async (t: Test, env: Record<string, string> = {}) => {
  const clock = { offsetMs: 0, isStopped: true }
  const app = await createTestApp(database, {
    env: { LIMIT_LOGINS: '6', LIMIT_FAILED_LOGINS: '3', ...env, TRUSTED_PROXIES: '10.0.0.0/8' },
    clock,
  })
  t.teardown(() => app.close())
  const post = (url: string, payload: object | string, address: string, headers = {}) =>
    app.inject({
      method: 'POST',
      url,
      payload,
      remoteAddress: '10.0.0.1',
      headers: { ...headers, 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
    } as InjectOptions)
  const logIn = (api_key: string, address = '192.0.2.1') => post('/v1/auth/login', { api_key }, address)
  const oauth = (path: string, form: Record<string, string>, address = '192.0.2.1') =>
    post(`/v1/oauth/${path}`, new URLSearchParams(form).toString(), address, {
      'content-type': 'application/x-www-form-urlencoded',
    })
  const times = async (count: number, ...of: Parameters<typeof logIn>) => {
    const statuses: number[] = []
    for (let i = 0; i < count; i++) statuses.push((await logIn(...of)).statusCode)
    return statuses
  }
  return { logIn, oauth, times, clock }
}
const repeat = (count: number, status: number) => Array.from({ length: count }, () => status)

let customers = 0
const newKey = () => addCustomer(database, `customer-${++customers}`)
/** Has the same key id, another secret and the matching checksum. */
const withWrongSecret = (apiKey: string): string => {
  const secret = createApiKey().apiKey.slice(26, 58)
  const body = `${apiKey.slice(0, 26)}${secret}`
  const base62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
  let rest = crc32(body)
  let checksum = ''
  for (let place = 0; place < 6; place++) {
    checksum = base62[rest % 62] + checksum
    rest = Math.floor(rest / 62)
  }
  return body + checksum
}

t.test('a login of a key above its quota is 429, and another key is accepted', async (t) => {
  const { logIn, times, clock } = await createApp(t)
  const [key, other] = [await newKey(), await newKey()]
  t.same(await times(6, key), repeat(6, 200))
  const refused = await logIn(key, '192.0.2.9')
  t.equal(refused.statusCode, 429, 'wherever it comes from')
  t.match(refused.json(), { code: 'quota_exceeded', 'violated-policies': ['logins'] })
  const waitSeconds = Number(refused.headers['retry-after'])
  t.ok(waitSeconds >= 1 && waitSeconds <= 60)
  t.equal((await logIn(other)).statusCode, 200)
  clock.offsetMs += waitSeconds * 1000
  t.equal((await logIn(key)).statusCode, 200)
})

t.test('too many failures of an address with a key are 429; a correct key is accepted', async (t) => {
  const { logIn, times } = await createApp(t)
  const key = await newKey()
  const wrong = withWrongSecret(key)
  t.same(await times(3, wrong), repeat(3, 401))
  const refused = await logIn(wrong)
  t.equal(refused.statusCode, 429)
  t.match(refused.json()['violated-policies'], ['failed_logins'])
  t.ok(Number(refused.headers['retry-after']) >= 1)
  t.equal((await logIn(key, '192.0.2.2')).statusCode, 200, 'from another address')
  t.equal((await logIn(key)).statusCode, 200, 'and from the very same')
  t.equal((await logIn(wrong, '192.0.2.2')).statusCode, 401, 'another address fails for itself')
  t.equal((await logIn(withWrongSecret(await newKey()))).statusCode, 401, 'and with another key')
})

t.test('failures from other addresses do not limit the logins of a key', async (t) => {
  const { times } = await createApp(t)
  const key = await newKey()
  const wrong = withWrongSecret(key)
  for (let i = 0; i < 5; i++) await times(4, wrong, `198.51.100.${i}`)
  t.same(await times(6, key), repeat(6, 200))
})

t.test('invalid keys are counted per address', async (t) => {
  const { logIn, times } = await createApp(t)
  for (let i = 0; i < 3; i++) t.equal((await logIn(`garbage ${i}`)).statusCode, 401)
  t.same(await times(2, 'garbage'), [429, 429])
  t.equal((await logIn('garbage', '192.0.2.2')).statusCode, 401)
  t.equal((await logIn(await newKey())).statusCode, 200)
})

const asClient = (apiKey: string) => ({ client_id: apiKey.slice(9, 25), client_secret: apiKey })
const grant = { grant_type: 'client_credentials' }

t.test('the holder of a leaked key cannot keep its owner from revoking it', async (t) => {
  const { logIn, oauth, times } = await createApp(t)
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
  const { oauth } = await createApp(t, { LIMIT_INTROSPECTIONS: '6' })
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
  const { oauth } = await createApp(t, { LIMIT_REVOCATIONS: '6' })
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
  const { oauth } = await createApp(t)
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
  const { oauth, logIn } = await createApp(t)
  const key = await newKey()
  const wrong = { ...asClient(withWrongSecret(key)), token: 'x' }
  for (let i = 0; i < 3; i++) t.equal((await oauth('introspect', wrong)).statusCode, 401)
  t.equal((await oauth('introspect', wrong)).statusCode, 429)
  t.equal((await logIn(withWrongSecret(key))).statusCode, 429, 'the same count as that of logins')
})

t.test('a key without a plan is limited like any other', async (t) => {
  const { logIn, oauth, times } = await createApp(t)
  const basic = await addCustomer(database, 'without-plan', { plan: 'basic' })
  t.same(await times(5, basic), repeat(5, 403))
  t.equal((await oauth('token', { ...asClient(basic), ...grant })).json().error, 'unauthorized_client')
  t.equal((await logIn(basic)).statusCode, 429)
})

const turn: Turn = (work) => work()

t.test('instances count failures together', async (t) => {
  const simulation = createSimulation()
  const server = createServer(simulation)
  const limits = { logins: 60, failedLogins: 10 }
  const instances = [0, 1].map(() => {
    const counting = { ...simulation, limits, store: server.connect(() => 1) }
    return createLogins({ ...counting, failures: createFailures(counting) })
  })
  const codes: string[] = []
  const garbage = presentApiKey(
    { hasKey: () => false, identifyApiKey: async () => Promise.reject(toApiKeyError()) },
    'garbage',
  )
  for (let i = 0; i < 30; i++) {
    const attempt = instances[i % 2]?.logIn(garbage, turn, '192.0.2.1')
    const noted = attempt?.catch((error: ApiError) => codes.push(error.code))
    await simulation.runTo(simulation.now() + 600)
    await noted
  }
  const failed = codes.filter((code) => code === 'invalid_api_key').length
  t.ok(failed >= 9 && failed <= 11, `${failed}`)
})
