import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Freshness } from '../../app/cache/freshness.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import { migrate } from '../../app/db/migrate.ts'
import type { Plan } from '../../app/db/schema.ts'
import { ApiError } from '../../app/errors.ts'
import { createQueryString } from '../../app/http/pairs.ts'
import { createApiKey } from '../../app/identity/api-keys.ts'
import { type Credential, presentApiKey } from '../../app/identity/credential.ts'
import type { KeyFacts } from '../../app/identity/facts.ts'
import { ensureSigningKeys } from '../../app/identity/key-rotation.ts'
import { createPrincipals } from '../../app/identity/principals.ts'
import { requirePlan } from '../../app/identity/rights.ts'
import { listScopes } from '../../app/identity/scopes.ts'
import { loadSigningKeys, type SigningKeys } from '../../app/identity/signing-keys.ts'
import { createTokenVerifier, type Jwt } from '../../app/identity/tokens.ts'
import type { Turn } from '../../app/overload/queue.ts'
import auth from '../../plugins/auth.ts'
import { toApiError } from '../../plugins/problems.ts'
import { schemaController } from '../../plugins/schema-compilers.ts'
import { authRoutes } from '../../routes/login.ts'
import { until } from '../helper.ts'
import { testPostgres } from '../servers.ts'

const publicUrl = 'https://api.example'
const demoToken = 'cda_demo_public'
const scopes = listScopes()
const secrets = createSecrets(['s'.repeat(32)])
const onError = (error: Error) => t.comment(error.message)
const badToken = 'Bearer realm="certdata", error="invalid_token"'

const server = await testPostgres()
const owner = createDb(
  createPool(server.url, { max: 4, applicationName: 'test-owner', onError, statementTimeoutMs: 0 }),
)
const pool = createPool(server.url, { role: readerRole, max: 4, applicationName: 'test-reader', onError })
let queries = 0
const db = createDb(pool, { onStatement: () => void queries++ })
t.teardown(async () => {
  await db.destroy()
  await owner.destroy()
  await server.stop()
})
await migrate(owner)
await ensureSigningKeys(owner, secrets)
const signingKeys = await loadSigningKeys(db, secrets)

const clock = { ms: Date.parse('2026-11-21T12:00:00.000Z') }
const now = () => clock.ms
/** By default, no cached fact is fresh. */
const fence: { verdict: Freshness } = { verdict: 'behind' }
const { rows: servers } = await sql<{ server: string }>`
  select extract(epoch from pg_postmaster_start_time())::text as server`.execute(db)
const freshness = {
  check: () => fence.verdict,
  epoch: () => `identity ${servers[0]?.server}`,
  readOr: async <T>(_: unknown, known: T) => known,
  // No poll reports new keys, so an id that is not in memory is looked up in the database.
  confirmNext: async () => false,
  isAway: () => false,
}
const keyIds = { has: () => false, isUnknown: async () => false, confirm: async () => false }
const factsOptions = { db, freshness, keyIds, now, monotonicNow: now }
const seconds = () => Math.floor(clock.ms / 1000)

type Problem = { status: number; code: string; detail: string; errors: ApiError['extras']['errors'] }
const problem = (error: unknown): Problem & { headers: ApiError['extras']['headers'] } => {
  if (!(error instanceof ApiError)) throw error
  const { status, code, extras } = error
  return { status, code, detail: error.message, errors: extras.errors, headers: extras.headers }
}

/** Stand-ins: no limits, and all clients have the same address. */
const gate = fp(async (app) => void app.decorateRequest('clientAddress', { getter: () => '192.0.2.1' }), {
  name: 'gate',
})
const verify = (credential: Credential, turn: Turn) => credential.verify(turn)
const limiters = fp(
  async (app) => void app.decorate('limiters', { logins: { logIn: verify, identify: verify } } as never),
  { name: 'limiters' },
)

const buildApp = async (keys: SigningKeys = signingKeys, url = publicUrl, connection = db) => {
  const app: FastifyInstance = Fastify({
    schemaController,
    routerOptions: { querystringParser: (text) => createQueryString(text) as never },
  })
  app.setErrorHandler((error, request, reply) => {
    const { headers, ...body } = problem(toApiError(error, request))
    return reply
      .code(body.status)
      .headers(headers ?? {})
      .send(body)
  })
  await app.register(gate)
  await app.register(limiters)
  const tokens = { signingKeys: keys, publicUrl: url, demoToken, accessTokenSeconds: 3600 }
  await app.register(auth, {
    db: connection,
    freshness,
    now,
    monotonicNow: now,
    listen: () => () => {},
    ...tokens,
  })
  await app.register(authRoutes)
  app.get('/who', async (request) => {
    const principal = await app.authenticate(request)
    requirePlan(principal)
    return { ...principal, scopes: principal.scopes ? [...principal.scopes] : null }
  })
  app.get('/identity', async (request) => (await app.authenticate(request)).customerId)
  t.teardown(() => app.close())
  return app
}
const app = await buildApp()

let customers = 0
const addCustomer = async (plan: Plan = 'premium') => {
  const customer_id = `customer-${++customers}`
  await owner
    .insertInto('customers')
    .values({ customer_id, name: 'Test', plan, suspended_at: null })
    .execute()
  return customer_id
}
const suspend = (customer: string) =>
  owner
    .updateTable('customers')
    .set({ suspended_at: new Date().toISOString() })
    .where('customer_id', '=', customer)
    .execute()
const issueKey = async (
  customer_id: string,
  limits: { scopes?: string[]; expires_at?: string; secret_sha256?: Buffer; replaced_by?: string } = {},
) => {
  const { keyId, apiKey, secretSha256 } = createApiKey()
  const row = { customer_id, key_id: keyId, secret_sha256: secretSha256, scopes: null, ...limits }
  await owner.insertInto('api_keys').values(row).execute()
  return { customer: customer_id, keyId, apiKey }
}
const revoke = (keyId: string, revoked_at = new Date().toISOString()) =>
  owner.updateTable('api_keys').set({ revoked_at }).where('key_id', '=', keyId).execute()
const newKey = async (limits = {}) => issueKey(await addCustomer(), limits)

const json = { headers: { 'content-type': 'application/json' } }
const login = (payload: unknown, on = app) =>
  on.inject({ method: 'POST', url: '/v1/auth/login', ...json, payload: JSON.stringify(payload) })
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
const loginBasic = (user: string, password: string) =>
  app.inject({ method: 'POST', url: '/v1/auth/login', headers: basic(user, password) })
const readToken = async (apiKey: string): Promise<string> =>
  (await login({ api_key: apiKey })).json().access_token
const ask = (authorization: string | undefined, url = '/who', on = app) =>
  on.inject({ url, headers: authorization === undefined ? {} : { authorization } })
const who = (token: string, on = app) => ask(`Bearer ${token}`, '/who', on)

t.test('an API key in the body or by HTTP Basic gives a valid token', async (t) => {
  const { customer, keyId, apiKey } = await newKey()
  const answers = [
    await login({ api_key: apiKey }),
    await loginBasic(keyId, apiKey),
    await loginBasic(apiKey, ''),
    await loginBasic('', apiKey),
    await app.inject({ method: 'POST', url: '/v1/auth/login', headers: basic(apiKey, ''), payload: {} }),
  ]
  for (const answer of answers) {
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.equal(answer.headers.pragma, 'no-cache')
    const { access_token, ...rest } = answer.json()
    const key = { id: keyId, name: null, expires_at: null }
    t.strictSame(rest, { token_type: 'Bearer', expires_in: 3600, scope: scopes.join(' '), key })
    const { expiresAtMs, ...principal } = (await who(access_token)).json()
    t.equal(expiresAtMs, 1000 * (decodeJwt(access_token).exp ?? 0), 'what the token says')
    t.strictSame(principal, {
      kind: 'live',
      customerId: customer,
      keyId,
      key,
      scopes: null,
      expiringWithin: 90,
      plan: 'premium',
    })
  }
})

t.test('every listener receives each login, and one that rejects withholds the token', async (t) => {
  const { apiKey } = await newKey()
  const listening = await buildApp()
  const events: string[] = []
  const add = (listener: string) =>
    listening.onLogin(({ type, source }) => void events.push(`${listener}: ${type} ${source.ip}`))
  add('first')
  add('second')
  const expectEvents = (...types: string[]) => {
    const each = types.flatMap((type) => ['first', 'second'].map((name) => `${name}: ${type} 192.0.2.1`))
    t.strictSame(events.splice(0), each)
  }
  t.equal((await login({ api_key: createApiKey().apiKey }, listening)).statusCode, 401)
  expectEvents('refused')
  t.equal((await login({ api_key: apiKey }, listening)).statusCode, 200)
  expectEvents('accepted', 'signed')
  listening.onLogin(({ type }) => {
    if (type === 'signed') throw new ApiError('unavailable')
  })
  t.equal((await login({ api_key: apiKey }, listening)).statusCode, 503)
  expectEvents('accepted', 'signed')
})

t.test('a token verifies from the published keys alone and carries the claims of RFC 9068', async (t) => {
  const { customer, keyId, apiKey } = await newKey({ scopes: ['products:read', 'custom:stock'] })
  const published = await app.inject('/.well-known/jwks.json')
  t.equal(published.headers['cache-control'], 'public, max-age=300')
  const keySet = published.json<JSONWebKeySet>()
  t.strictSame(Object.keys(keySet.keys[0] ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  const { payload, protectedHeader } = await jwtVerify(await readToken(apiKey), createLocalJWKSet(keySet), {
    issuer: publicUrl,
    audience: publicUrl,
    typ: 'at+jwt',
    algorithms: ['EdDSA'],
    currentDate: new Date(clock.ms),
  })
  t.strictSame(protectedHeader, { alg: 'EdDSA', typ: 'at+jwt', kid: signingKeys.active.kid })
  const { jti, nbf, ...claims } = payload
  t.strictSame(claims, {
    iss: publicUrl,
    aud: publicUrl,
    sub: keyId,
    client_id: keyId,
    customer,
    iat: seconds(),
    exp: seconds() + 3600,
    scope: 'products:read custom:stock',
  })
  t.match(jti, /^[0-9a-f-]{36}$/)
  t.ok(typeof nbf === 'number' && nbf < seconds(), 'an instance whose clock lags takes it at once')
})

t.test('a mistyped, unknown or wrong key gets the same refusal, also for a key that ended', async (t) => {
  const { apiKey, keyId } = await newKey()
  const typo = (apiKey.startsWith('cda_live_a', 0) ? 'cda_live_b' : 'cda_live_a') + apiKey.slice(10)
  const wrong = await newKey({ secret_sha256: createApiKey().secretSha256 })
  const secret_sha256 = createApiKey().secretSha256
  const expired = await newKey({ secret_sha256, expires_at: new Date(clock.ms).toISOString() })
  const revoked = await newKey({ secret_sha256 })
  await revoke(revoked.keyId)
  const answers = [
    await login({ api_key: createApiKey().apiKey }),
    await login({ api_key: typo }),
    await login({ api_key: 'nothing like a key' }),
    await login({ api_key: '' }),
    await login({ api_key: wrong.apiKey }),
    await login({ api_key: expired.apiKey }),
    await login({ api_key: revoked.apiKey }),
    await loginBasic(keyId, ''),
    await loginBasic(keyId, 'wrong'),
    await loginBasic(revoked.keyId, apiKey),
    await app.inject({ method: 'POST', url: '/v1/auth/login', headers: { authorization: 'Basic !' } }),
  ]
  for (const answer of answers) {
    t.equal(answer.statusCode, 401)
    t.equal(answer.headers['www-authenticate'], 'Basic realm="certdata"')
    t.equal(answer.body, answers[0]?.body)
    t.match(answer.body, 'invalid_api_key')
  }
})

t.test('the right secret learns why its key has ended', async (t) => {
  const expires_at = new Date(clock.ms).toISOString()
  const expired = await newKey({ expires_at })
  const replaced = await newKey({ expires_at, replaced_by: 'next' })
  const revoked = await newKey({ expires_at, replaced_by: 'next' })
  // A revocation counts even if its time is in the future of this clock.
  await revoke(revoked.keyId, '2031-02-03T04:05:06.789Z')
  const end = expires_at.replace('.000', '')
  const expected = [
    [expired, `This API key ended at ${end}. Ask the certification house for a new one.`],
    [replaced, `This API key was replaced by the key next, and ended at ${end}. Use that key.`],
    [revoked, 'This API key was revoked at 2031-02-03T04:05:06Z. Ask the certification house for a new one.'],
  ] as const
  for (const [{ apiKey, keyId }, detail] of expected) {
    for (const answer of [await login({ api_key: apiKey }), await loginBasic(keyId, apiKey)]) {
      t.equal(answer.statusCode, 401)
      t.equal(answer.headers['www-authenticate'], 'Basic realm="certdata"')
      t.match(answer.json(), { code: 'invalid_api_key', detail })
    }
  }
})

t.test('looks up only well-formed keys', async (t) => {
  const before = queries
  await login({ api_key: 'cda_live_' })
  t.equal(queries, before)
  await login({ api_key: createApiKey().apiKey })
  t.equal(queries, before + 1)
})

t.test('a credential is known if its key id is', async (t) => {
  const { apiKey, keyId } = createApiKey()
  const isKnown = (text: string, known: string[]) =>
    presentApiKey(
      { hasKey: (id) => known.includes(id), identifyApiKey: () => t.fail() as never },
      text,
    ).isKnown()
  t.equal(isKnown(apiKey, [keyId]), true)
  t.equal(isKnown(apiKey, ['another']), false)
  t.equal(isKnown('cda_live_', [keyId]), false)
})

t.test('only a correct key learns that its plan has no API access', async (t) => {
  const basicPlan = await issueKey(await addCustomer('basic'))
  const wrong = await issueKey(basicPlan.customer, { secret_sha256: Buffer.alloc(32) })
  const suspended = await newKey()
  await suspend(suspended.customer)
  for (const { apiKey } of [basicPlan, suspended]) {
    const answer = await login({ api_key: apiKey })
    t.equal(answer.statusCode, 403)
    t.equal(answer.json().code, 'plan_required')
  }
  t.equal((await login({ api_key: wrong.apiKey })).statusCode, 401)
  const enterprise = await issueKey(await addCustomer('enterprise'))
  t.equal((await login({ api_key: enterprise.apiKey })).statusCode, 200)
})

t.test('a body that is not a login names each fault by its pointer', async (t) => {
  const bodies: [payload: unknown, pointers: string[]][] = [
    [{}, ['/api_key']],
    [{ api_key: 7 }, ['/api_key']],
    [{ api_key: null, 'a/b~c': 1 }, ['/api_key', '/a~1b~0c']],
    [{ api_key: 'x', key: 1, name: 2 }, ['/key', '/name']],
    [['x'], ['']],
    [null, ['']],
  ]
  for (const [payload, pointers] of bodies) {
    const { status, code, errors } = (await login(payload)).json<Problem>()
    const found = errors?.map((fault) => fault.pointer)
    t.strictSame([status, code, found], [400, 'invalid_body', pointers])
  }
  const silent = await app.inject({ method: 'POST', url: '/v1/auth/login' })
  t.equal(silent.statusCode, 400)
  const { keyId, apiKey } = await newKey()
  const [headers, payload] = [basic(keyId, apiKey), { api_key: apiKey }]
  const twice = await app.inject({ method: 'POST', url: '/v1/auth/login', headers, payload })
  t.equal(twice.json().code, 'invalid_body')
})

t.test('a login stores the day on which the key was last used', async (t) => {
  const { keyId, apiKey } = await newKey()
  const lastUse = () =>
    owner.selectFrom('api_keys').select('last_used_on').where('key_id', '=', keyId).executeTakeFirstOrThrow()
  t.equal((await lastUse()).last_used_on, null)
  await login({ api_key: apiKey })
  t.match((await lastUse()).last_used_on, /^\d{4}-\d\d-\d\d$/)
})

t.test('the case of the scheme and additional spaces are ignored', async (t) => {
  for (const header of ['Basic YTpi', 'Bearertoken'])
    t.equal((await ask(header)).json().code, 'credentials_required')
  const token = await readToken((await newKey()).apiKey)
  for (const scheme of ['bearer ', 'BEARER ', 'bEARER   '])
    t.equal((await ask(scheme + token)).statusCode, 200)
  for (const word of ['Bearer', 'Bearer ']) t.equal((await ask(word)).json().code, 'invalid_token')
})

const active = createPrivateKey(signingKeys.active.privatePem)
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
const craft = (header: unknown, claims: unknown, key = active) => {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
}
const goodHeader = { alg: 'EdDSA', typ: 'at+jwt', kid: signingKeys.active.kid }
const target = await newKey()
const goodClaims = () => ({
  iss: publicUrl,
  aud: publicUrl,
  sub: target.keyId,
  client_id: target.keyId,
  customer: target.customer,
  iat: seconds(),
  nbf: seconds(),
  exp: seconds() + 60,
  jti: 'one',
  scope: scopes.join(' '),
})

const isRefused = async (t: Test, token: string, why: string, on = app) => {
  const answer = await who(token, on)
  t.equal(answer.statusCode, 401, why)
  t.equal(answer.json().code, 'invalid_token', why)
  t.equal(answer.headers['www-authenticate'], badToken, why)
}

t.test('a token is valid until its last second, cached or not', async (t) => {
  const token = craft(goodHeader, goodClaims())
  const unseen = craft(goodHeader, { ...goodClaims(), jti: 'two' })
  clock.ms += 59_999
  t.equal((await who(token)).statusCode, 200)
  clock.ms += 1
  for (const each of [token, token, unseen]) {
    const answer = await who(each)
    t.equal(answer.statusCode, 401)
    t.equal(answer.json().code, 'token_expired')
    t.equal(answer.headers['www-authenticate'], badToken)
  }
})

t.test('changes of key and customer in the database apply within a second', async (t) => {
  type Changes = { plan?: Plan; suspended_at?: string | null; expiring_within?: number }
  const setCustomer = (customer: string, values: Changes) =>
    owner.updateTable('customers').set(values).where('customer_id', '=', customer).execute()
  const { customer, keyId, apiKey } = await newKey()
  const token = await readToken(apiKey)
  const codeSoon = async () => {
    clock.ms += 1000
    return (await who(token)).json().code
  }
  t.equal(await codeSoon(), undefined)

  await setCustomer(customer, { plan: 'basic' })
  t.equal(await codeSoon(), 'plan_required')
  t.equal((await ask(`Bearer ${token}`, '/identity')).body, customer, 'who it is comes before what it may')
  await setCustomer(customer, { plan: 'enterprise', expiring_within: 30 })
  t.equal(await codeSoon(), undefined)
  t.match((await who(token)).json(), { plan: 'enterprise', expiringWithin: 30 })

  await suspend(customer)
  t.equal(await codeSoon(), 'plan_required')
  await setCustomer(customer, { suspended_at: null })
  t.equal(await codeSoon(), undefined)

  await revoke(keyId)
  t.equal(await codeSoon(), 'token_revoked')
  const refused = await who(token)
  t.match(refused.json().detail, /^This API key was revoked at 20\S+Z\. Ask/)
  t.equal(refused.statusCode, 401)
  t.equal(refused.headers['www-authenticate'], badToken)
  t.equal((await ask(`Bearer ${token}`, '/identity')).statusCode, 401)
})

t.test('expiry or deletion of a key ends its tokens', async (t) => {
  const ending = await newKey({ expires_at: new Date(clock.ms + 60_000).toISOString() })
  const answer = await login({ api_key: ending.apiKey })
  t.equal(answer.json().expires_in, 60, 'a token does not outlive its key')
  const lasting = craft(goodHeader, {
    ...goodClaims(),
    sub: ending.keyId,
    client_id: ending.keyId,
    customer: ending.customer,
    exp: 2 ** 40,
  })
  t.equal((await who(lasting)).statusCode, 200)
  clock.ms += 60_000
  t.equal((await who(lasting)).json().code, 'token_revoked')

  const gone = await newKey()
  const token = await readToken(gone.apiKey)
  t.equal((await who(token)).statusCode, 200)
  await owner.deleteFrom('customers').where('customer_id', '=', gone.customer).execute()
  clock.ms += 1000
  t.equal((await who(token)).json().code, 'token_revoked')
})

t.test('a fresh fact is returned synchronously, without a query', async (t) => {
  const token = await readToken((await newKey()).apiKey)
  const request = { headers: { authorization: `Bearer ${token}` } }
  const before = queries
  const first = await app.authenticate(request)
  t.equal(queries, before + 1)
  fence.verdict = 'fresh'
  t.equal(app.authenticate(request), first, 'no promise')
  fence.verdict = 'stale'
  t.equal(await app.authenticate(request), first, 'while the database is away it will do')
  t.equal(queries, before + 1)
  fence.verdict = 'behind'
  const asked = app.authenticate(request)
  t.ok(asked instanceof Promise)
  await asked
  t.equal(queries, before + 2)
})

t.test('the absence of a key is cached for the same time', async (t) => {
  const principals = createPrincipals(factsOptions)
  const before = queries
  t.equal(await principals.findKey('nobody'), undefined)
  t.equal(principals.findKey('nobody'), undefined)
  t.equal(queries, before + 1)
})

t.test('evicts the oldest facts first', async (t) => {
  const principals = createPrincipals({ ...factsOptions, maxEntries: 2 })
  const [a, b, c] = [(await newKey()).keyId, (await newKey()).keyId, (await newKey()).keyId]
  for (const id of [a, b, c]) await principals.findKey(id)
  fence.verdict = 'fresh'
  t.notOk(principals.findKey(c) instanceof Promise)
  const forgotten = principals.findKey(a)
  t.ok(forgotten instanceof Promise)
  await forgotten
  fence.verdict = 'behind'
})

t.test('unknown key ids evict no key', async (t) => {
  const principals = createPrincipals({ ...factsOptions, maxEntries: 2 })
  const { keyId } = await newKey()
  await principals.findKey(keyId)
  for (const id of ['x', 'y', 'z']) t.equal(await principals.findKey(id), undefined)
  fence.verdict = 'fresh'
  t.match(principals.findKey(keyId), { keyId }, 'no promise')
  fence.verdict = 'behind'
})

t.test('a look-up waits for its turn without delaying other look-ups of the same key', async (t) => {
  const principals = createPrincipals(factsOptions)
  const { keyId } = await newKey()
  const free = Promise.withResolvers<void>()
  let turns = 0
  const turn = async <T>(work: () => Promise<T>) => {
    turns++
    await free.promise
    return work()
  }
  const waiting = principals.findKey(keyId, turn)
  t.match(await principals.findKey(keyId), { keyId })
  free.resolve()
  t.match(await waiting, { keyId })
  fence.verdict = 'fresh'
  t.notOk(principals.findKey(keyId, turn) instanceof Promise)
  t.equal(turns, 1, 'a fact in memory needs no turn')
  fence.verdict = 'behind'
})

type SlowFlight = { read: PromiseWithResolvers<void>; arrival: PromiseWithResolvers<void> }

/** `read` resolves once PostgreSQL has answered; the rows arrive after `arrival` is resolved. */
const createSlowDb = () => {
  const flights: SlowFlight[] = []
  const byQuery = new WeakMap<object, SlowFlight>()
  const slow = db.withPlugin({
    transformQuery({ node, queryId }) {
      const flight = { read: Promise.withResolvers<void>(), arrival: Promise.withResolvers<void>() }
      flights.push(flight)
      byQuery.set(queryId, flight)
      return node
    },
    async transformResult({ result, queryId }) {
      const flight = byQuery.get(queryId)
      flight?.read.resolve()
      await flight?.arrival.promise
      return result
    },
  })
  return { slow, flights }
}

t.test('an earlier look-up does not restore a revoked key', async (t) => {
  const { keyId } = await newKey()
  const { slow, flights } = createSlowDb()
  const principals = createPrincipals({ ...factsOptions, db: slow })
  const first = principals.findKey(keyId)
  await flights[0]?.read.promise
  const key = await createPrincipals(factsOptions).findKey(keyId)
  clock.ms += 1
  const revoked = principals.revokeKey(key as KeyFacts, { keyId })
  // The revocation, and a new look-up for each of the two caches.
  for (const n of [1, 2, 3]) {
    await until('the next query was sent', () => flights.length > n, 10_000)
    flights[n]?.arrival.resolve()
  }
  await revoked
  flights[0]?.arrival.resolve()
  t.match(await first, { revoked: false })
  fence.verdict = 'fresh'
  t.match(principals.findKey(keyId), { revoked: true })
  fence.verdict = 'behind'
})

t.test('simultaneous callers share one query, but not an old one', async (t) => {
  const { keyId } = await newKey()
  const { slow, flights } = createSlowDb()
  const principals = createPrincipals({ ...factsOptions, db: slow })
  const first = principals.findKey(keyId)
  clock.ms += 499
  t.equal(principals.findKey(keyId), first)
  await flights[0]?.read.promise
  await revoke(keyId)
  clock.ms += 1
  const later = principals.findKey(keyId)
  t.equal(principals.findKey(keyId), later)
  t.equal(flights.length, 2)
  flights[1]?.arrival.resolve()
  t.match(await later, { revoked: true })
  flights[0]?.arrival.resolve()
  t.match(await first, { revoked: false })
  fence.verdict = 'fresh'
  t.match(principals.findKey(keyId), { revoked: true }, 'the older answer does not replace the newer one')
  fence.verdict = 'behind'
})

t.test('a failed query is repeated, and a fault of the statement is not `unavailable`', async (t) => {
  const { keyId } = await newKey()
  const principals = createPrincipals(factsOptions)
  await sql`alter function find_api_key rename to find_nothing`.execute(owner)
  await t.rejects(Promise.resolve(principals.findKey(keyId)), { code: '42883' })
  await sql`alter function find_nothing rename to find_api_key`.execute(owner)
  t.match(await principals.findKey(keyId), { keyId })
})

t.test('an unreachable database is 503, and the next request queries it again', async (t) => {
  const nowhere = createPool('postgresql://x@127.0.0.1:1/x', { max: 1, applicationName: 'test', onError })
  const unreachable = createDb(nowhere)
  t.teardown(() => unreachable.destroy())
  const lost = await buildApp(signingKeys, publicUrl, unreachable)
  const token = craft(goodHeader, goodClaims())
  for (const answer of [
    await who(token, lost),
    await who(token, lost),
    await who(demoToken, lost),
    await login({ api_key: target.apiKey }, lost),
  ]) {
    t.equal(answer.statusCode, 503)
    t.equal(answer.json().code, 'unavailable')
    t.equal(answer.headers['retry-after'], '1')
  }
  await isRefused(t, 'rubbish', 'a bad token needs no database', lost)
})

t.test('only the exact demo token is accepted for the demo customer', async (t) => {
  await isRefused(t, demoToken, 'without example data there is no demo')
  await owner
    .insertInto('customers')
    .values({ customer_id: 'demo', name: 'Demo', expiring_within: 45, suspended_at: null })
    .execute()
  clock.ms += 1000
  t.strictSame((await who(demoToken)).json(), {
    kind: 'demo',
    customerId: 'demo',
    keyId: 'demo',
    scopes: null,
    expiringWithin: 45,
    plan: 'basic',
  })
  for (const token of ['cda_demo_publiC', 'cda_demo_publi', 'cda_demo_public2']) {
    await isRefused(t, token, token)
  }
  t.equal((await login({ api_key: demoToken })).statusCode, 401)
  await suspend('demo')
  clock.ms += 1000
  await isRefused(t, demoToken, 'the operator can switch it off')
})

t.test('a token has the scopes that both it and its key have', async (t) => {
  const limited = await newKey({ scopes: ['lab:read', 'products:read'] })
  const readScopes = async (token: string) => (await who(token)).json().scopes
  const token = await readToken(limited.apiKey)
  t.strictSame(await readScopes(token), ['lab:read', 'products:read'])
  const setScopes = async (scopes: string[] | null) => {
    await owner.updateTable('api_keys').set({ scopes }).where('key_id', '=', limited.keyId).execute()
    clock.ms += 1000
  }
  await setScopes(['lab:read', 'approvals:read'])
  t.strictSame(await readScopes(token), ['lab:read'])
  await setScopes(null)
  t.strictSame(await readScopes(token), ['lab:read', 'products:read'])
  const unlimited = await readToken(limited.apiKey)
  t.equal(await readScopes(unlimited), null, 'every scope, those of custom endpoints included')
  await setScopes([])
  t.strictSame(await readScopes(unlimited), [])
})

t.test('the table contains private keys only in encrypted form', async (t) => {
  const rows = await owner.selectFrom('signing_keys').selectAll().execute()
  t.equal(rows.length, 2)
  for (const row of rows) {
    t.notOk(row.encrypted_private_key.includes('PRIVATE KEY'))
    t.notOk(JSON.stringify(row.public_jwk).includes('"d"'))
  }
})

t.test('a public key that was inserted into the table is not trusted', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const row = {
    kid: 'slipped',
    state: 'retiring' as const,
    public_jwk: JSON.stringify(publicKey.export({ format: 'jwk' })),
  }
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
  const encrypted = createSecrets(['f'.repeat(32)]).encrypt('signing key', pem)
  await owner
    .insertInto('signing_keys')
    .values({ ...row, encrypted_private_key: encrypted })
    .execute()
  await t.rejects(loadSigningKeys(db, secrets), /slipped cannot be opened/)
  await owner.deleteFrom('signing_keys').where('kid', '=', 'slipped').execute()
})

t.test('a missing signing key names the command, and parallel processes create one each', async (t) => {
  await owner.deleteFrom('signing_keys').execute()
  await t.rejects(loadSigningKeys(db, secrets), /no active signing key: run "certdata migrate"/)
  const both = await owner.transaction().execute(async (transaction) => {
    // Both callers must see the empty table before either can write.
    await sql`lock table signing_keys in exclusive mode`.execute(transaction)
    const makers = [ensureSigningKeys(owner, secrets), ensureSigningKeys(owner, secrets)]
    const writers = sql`select from pg_locks where relation = 'signing_keys'::regclass and not granted`
    while ((await writers.execute(transaction)).rows.length < 2);
    return makers
  })
  await Promise.all(both)
  const { jwks } = await loadSigningKeys(db, secrets)
  t.equal(jwks.keys.length, 2, 'one that signs and the next')
  t.notOk(jwks.keys.some((key) => key.kid === signingKeys.active.kid))
  await ensureSigningKeys(owner, secrets)
  t.strictSame((await loadSigningKeys(db, secrets)).jwks, jwks)
})

const fakeKeys = { publicByHeader: new Map([['header', 'key']]) } as unknown as SigningKeys

const listClaims = (jti: number, scopes: number) => ({
  sub: 'key',
  client_id: 'key',
  iss: 'https://a',
  aud: 'https://a',
  customer: 'acme',
  exp: 2_000_000_000,
  iat: 1,
  nbf: 1,
  jti: String(jti),
  every_scope: false,
  scope: Array.from({ length: scopes }, (_, n) => `custom:${'x'.repeat(30)}-${n}`).join(' '),
})

t.test('the cache of verified tokens is limited by their size', (t) => {
  let checks = 0
  const jwt = {
    verify(token: string) {
      checks += 1
      return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    },
  } as unknown as Jwt
  const options = { signingKeys: fakeKeys, publicUrl: 'https://a', accessTokenSeconds: 60, now: () => 0 }
  const verify = createTokenVerifier(jwt, options)
  const getToken = (jti: number, scopes: number) =>
    `header.${Buffer.from(JSON.stringify(listClaims(jti, scopes))).toString('base64url')}.AAAA`
  const listChecks = (token: string) => {
    const before = checks
    verify(token)
    return checks - before
  }
  for (let n = 0; n < 5_000; n++) verify(getToken(n, 1))
  t.equal(listChecks(getToken(0, 1)), 0, 'thousands of usual tokens are kept')
  for (let n = 0; n < 2_000; n++) verify(getToken(n, 90))
  t.equal(listChecks(getToken(1_999, 90)), 0)
  t.equal(listChecks(getToken(0, 90)), 1, 'of large ones fewer')
  t.end()
})
