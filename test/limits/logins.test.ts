import t from 'tap'
import type { ApiError } from '../../app/errors.ts'
import { presentApiKey } from '../../app/identity/credential.ts'
import { toApiKeyError } from '../../app/identity/credential-errors.ts'
import { createFailures } from '../../app/limits/failures.ts'
import { createLogins } from '../../app/limits/logins.ts'
import type { Turn } from '../../app/overload/queue.ts'
import { addCustomer, createTestDatabase } from '../helper.ts'
import { createLoginStage, repeat, withWrongSecret } from './login-stage.ts'
import { createServer, createSimulation } from './simulation.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

const { createApp, newKey } = createLoginStage(database)

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

t.test('a key without a plan is limited like any other', async (t) => {
  const { logIn, times } = await createApp(t)
  const basic = await addCustomer(database, 'without-plan', { plan: 'basic' })
  t.same(await times(5, basic), repeat(5, 403))
  t.equal((await logIn(basic)).statusCode, 403)
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
