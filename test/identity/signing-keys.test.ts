import Fastify, { type FastifyInstance } from 'fastify'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createSecrets } from '../../app/config/secrets.ts'
import {
  ensureSigningKeys,
  leadSeconds,
  listSigningKeys,
  rotateSigningKeys,
} from '../../app/identity/key-rotation.ts'
import { loadSigningKeys } from '../../app/identity/signing-keys.ts'
import signingKeyRefresh from '../../plugins/signing-keys.ts'
import { addCustomer, createTestApp, createTestDatabase, publicUrl, secretKey, until } from '../helper.ts'

const secrets = createSecrets([secretKey])
const database = await createTestDatabase()
const { operator, reader } = database
t.teardown(() => database.close())
const apiKey = await addCustomer(database, 'acme')

const openApp = async (t: Test) => {
  const app = await createTestApp(database)
  t.teardown(() => app.close())
  return app
}

const logIn = (app: FastifyInstance) =>
  app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: apiKey } })
const tokenFrom = async (app: FastifyInstance): Promise<string> =>
  (await logIn(app)).json<{ access_token: string }>().access_token
const use = (app: FastifyInstance, token: string) =>
  app.inject({ url: '/v1/me', headers: { authorization: `Bearer ${token}` } })
const readKeySet = async (app: FastifyInstance) =>
  (await app.inject('/.well-known/jwks.json')).json<JSONWebKeySet>()
const readKids = async (app: FastifyInstance) => (await readKeySet(app)).keys.map((key) => key.kid)
const getKid = (token: string) => decodeProtectedHeader(token).kid as string
const kidIn = async (state: string) =>
  (await listSigningKeys(operator)).find((key) => key.state === state)?.kid as string
const rotate = (lead = 0) => rotateSigningKeys(operator, secrets, lead)
const setTokensUntil = (kid: string, instant: string) =>
  operator
    .updateTable('signing_keys')
    .set({ tokens_until: sql<string>`${sql.raw(instant)}` })
    .where('kid', '=', kid)
    .execute()

t.test('a key is published before it signs, signs, and later verifies its tokens', async (t) => {
  const app = await openApp(t)
  const [first, second] = [await kidIn('active'), await kidIn('next')]
  t.strictSame((await readKids(app)).sort(), [first, second].sort())
  const before = await tokenFrom(app)
  t.equal(getKid(before), first)
  const published = await readKeySet(app)

  await rotate()
  t.equal(await kidIn('active'), second, 'the one that was published')
  t.equal(await kidIn('retiring'), first)
  await until('the instance signs with it', async () => getKid(await tokenFrom(app)) === second)
  const after = await tokenFrom(app)
  for (const token of [before, after]) {
    t.equal((await use(app, token)).statusCode, 200)
    const expected = { issuer: publicUrl, audience: publicUrl, typ: 'at+jwt' }
    await t.resolves(jwtVerify(token, createLocalJWKSet(published), expected), 'by keys of before')
  }
  t.strictSame((await readKids(app)).sort(), [first, second, await kidIn('next')].sort())
})

t.test('the next key does not sign until it has been published for long enough', async (t) => {
  const before = await listSigningKeys(operator)
  await t.rejects(rotate(300), /published \d+ s ago.*wait (300|299|298|29\d) s/)
  t.same(await listSigningKeys(operator), before, 'nothing changes')
})

t.test('--now waits until the next key is 5 seconds old', async (t) => {
  const setAge = (seconds: number) =>
    operator
      .updateTable('signing_keys')
      .set({ created_at: sql<string>`clock_timestamp() - ${seconds} * interval '1 second'` })
      .where('state', '=', 'next')
      .execute()
  // A key of the future keeps a slow machine from reaching the age.
  await setAge(-3_600)
  await t.rejects(rotate(leadSeconds.instances), /wait 360\d s/)
  await setAge(5)
  await t.resolves(rotate(leadSeconds.instances))
})

t.test('an operator with another SECRET_KEY than the service cannot rotate', async (t) => {
  const before = await listSigningKeys(operator)
  const foreign = createSecrets(['f'.repeat(32)])
  await t.rejects(rotateSigningKeys(operator, foreign, 0), /cannot be opened/)
  t.same(await listSigningKeys(operator), before)
})

t.test('SECRET_KEY changes without a gap: after two rotations the previous one can be removed', async (t) => {
  const own = await createTestDatabase()
  t.teardown(() => own.close())
  const newer = 'n'.repeat(32)
  const both = createSecrets([newer, secretKey])
  const alone = createSecrets([newer])
  const readStates = async () => (await listSigningKeys(own.operator)).map(({ state }) => state).sort()
  await rotateSigningKeys(own.operator, both, 0)
  await t.rejects(loadSigningKeys(own.reader, alone), /cannot be opened.*SECRET_KEY=new,previous/s)
  await rotateSigningKeys(own.operator, both, 0)
  await own.operator
    .updateTable('signing_keys')
    .set({ tokens_until: sql<string>`now() - interval '1 hour'` })
    .where('state', '=', 'retiring')
    .execute()
  t.same(await readStates(), ['active', 'gone', 'gone', 'next'])
  await t.resolves(loadSigningKeys(own.reader, alone))
  await t.resolves(rotateSigningKeys(own.operator, alone, 0), 'keys that are gone need not decrypt')
  t.same(await readStates(), ['active', 'next', 'retiring'])
})

t.test('concurrent rotations run one after the other, and each is complete', async (t) => {
  const before = (await listSigningKeys(operator)).length
  await Promise.all([rotate(), rotate(), rotate()])
  const states = (await listSigningKeys(operator)).map((key) => key.state)
  t.equal(states.length, before + 3)
  t.equal(states.filter((state) => state === 'active').length, 1)
  t.equal(states.filter((state) => state === 'next').length, 1)
})

t.test('during rotations, each instance accepts and publishes the keys of the other', async (t) => {
  const apps = [await openApp(t), await openApp(t)] as const
  const tokens: string[] = []
  const isValid = async (token: string, app: FastifyInstance) => {
    const keySet = createLocalJWKSet(await readKeySet(app))
    await jwtVerify(token, keySet, { issuer: publicUrl })
    return (await use(app, token)).statusCode === 200
  }
  for (let round = 0; round < 3; round++) {
    const next = await kidIn('next')
    await until('both publish the next key', async () =>
      (await Promise.all(apps.map(readKids))).every((kids) => kids.includes(next)),
    )
    await rotate()
    await until('both sign with it', async () => {
      const made = await Promise.all(apps.map(tokenFrom))
      tokens.push(...made)
      for (const [index, token] of made.entries())
        t.ok(await isValid(token, apps[1 - index] as FastifyInstance))
      return made.every((token) => getKid(token) === next)
    })
  }
  for (const token of tokens) for (const app of apps) t.ok(await isValid(token, app))
})

t.test('a retiring key stays until its last token has expired, then it is deleted', async (t) => {
  const app = await openApp(t)
  const kid = await kidIn('active')
  await until('the instance signs with the active key', async () => getKid(await tokenFrom(app)) === kid)
  const token = await tokenFrom(app)
  const { expires_in } = (await logIn(app)).json<{ expires_in: number }>()
  await rotate()
  await until('retired', async () => getKid(await tokenFrom(app)) !== kid)
  const retiring = (await listSigningKeys(operator)).find((key) => key.kid === kid)
  t.equal(retiring?.state, 'retiring')
  const remaining = (Date.parse(retiring?.tokens_until ?? '') - Date.now()) / 1000
  t.ok(remaining > expires_in - 60 && remaining < expires_in + 120, 'as long as its tokens, and not for ever')
  t.equal((await use(app, token)).statusCode, 200)

  await setTokensUntil(kid, `now() - interval '2 minutes'`)
  await until('no longer published', async () => !(await readKids(app)).includes(kid))
  t.match((await use(app, token)).json(), { code: 'invalid_token' }, 'remembered or not')
  t.equal((await listSigningKeys(operator)).find((key) => key.kid === kid)?.state, 'gone')
  await rotate()
  t.equal((await listSigningKeys(operator)).filter((key) => key.kid === kid).length, 0, 'deleted')
})

t.test('an instance that has not seen a rotation signs valid tokens', async (t) => {
  const app = await openApp(t)
  const lagging = await loadSigningKeys(reader, secrets)
  await rotate()
  await setTokensUntil(lagging.active.kid, `now() - interval '30 seconds'`)
  const untilMs = Date.now() + 3_600_000
  const { kid } = await lagging.findActiveUntil(untilMs)
  t.equal(kid, lagging.active.kid)
  const record = (await listSigningKeys(operator)).find((key) => key.kid === kid)
  t.equal(record?.state, 'retiring')
  t.ok(Date.parse(record?.tokens_until ?? '') >= untilMs)
  await until('published', async () => (await readKids(app)).includes(kid))
})

t.test('an instance whose key was deleted signs with the current one', async (t) => {
  const lagging = await loadSigningKeys(reader, secrets)
  const { kid } = lagging.active
  await rotate()
  await setTokensUntil(kid, `now() - interval '2 minutes'`)
  const key = await lagging.findActiveUntil(Date.now() + 3_600_000)
  t.equal(key.kid, await kidIn('active'))
  t.not(key.kid, kid)
})

t.test('the database records a key’s use once a minute, not with every token', async (t) => {
  const keys = await loadSigningKeys(reader, secrets)
  const readUntil = async () => (await listSigningKeys(operator)).find((key) => key.state === 'active')
  const base = Date.now() + 7_200_000
  await keys.findActiveUntil(base)
  const first = await readUntil()
  await keys.findActiveUntil(base + 59_000)
  t.same(await readUntil(), first)
  await keys.findActiveUntil(base + 61_000)
  t.notSame(await readUntil(), first)
})

t.test('a second migration creates only missing keys', async (t) => {
  const before = await listSigningKeys(operator)
  await ensureSigningKeys(operator, secrets)
  t.same(await listSigningKeys(operator), before)
  await operator.deleteFrom('signing_keys').where('state', '=', 'next').execute()
  await ensureSigningKeys(operator, secrets)
  t.equal((await listSigningKeys(operator)).filter((key) => key.state === 'next').length, 1)
})

/** Starts the plugin with an interval of 1 ms; each refresh calls `look`. */
const openLooking = async (t: Test, look: (count: number) => Promise<void> | void) => {
  const looking = { count: 0, app: Fastify() }
  const refresh = async () => look(++looking.count)
  await looking.app.register(signingKeyRefresh, { signingKeys: { refresh }, intervalMs: 1 })
  await looking.app.ready()
  t.teardown(() => looking.app.close())
  return looking
}

/** True if `looking` has stopped. Another plugin that refreshes shows that time has passed. */
const hasEnded = async (t: Test, looking: { count: number }): Promise<boolean> => {
  const { count } = looking
  const other = await openLooking(t, () => {})
  await until('time has passed', () => other.count > 20)
  return looking.count === count
}

t.test('refreshing continues after a failure and ends when the service closes', async (t) => {
  const looking = await openLooking(t, (count) => {
    if (count === 2) throw new Error('unreachable')
  })
  await until('it looks again', () => looking.count > 5)
  await looking.app.close()
  t.ok(await hasEnded(t, looking))
})

t.test('closing waits for the refresh in progress, and no other follows', async (t) => {
  const look = Promise.withResolvers<void>()
  const looking = await openLooking(t, () => look.promise)
  await until('it looks', () => looking.count === 1)
  let isClosed = false
  const closing = looking.app.close().then(() => {
    isClosed = true
  })
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  t.equal(isClosed, false)
  look.resolve()
  await closing
  t.ok(await hasEnded(t, looking))
})
