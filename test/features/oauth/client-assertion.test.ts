import { sql } from 'kysely'
import * as oauth from 'oauth4webapi'
import t from 'tap'
import { closeAfter, createTestApp, createTestDatabase, listenTestApp, until } from '../../helper.ts'
import { postForm } from './post-form.ts'
import { addSigningClient, algorithms, assertFor, grantWith, type SigningClient } from './signing-client.ts'

const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
const other = await createTestApp(database, { origin })
closeAfter(t, app, other, database)
const { operator } = database

const grant = async (each: SigningClient, form = {}, claims = {}, header = {}) =>
  postForm(app, 'token', grantWith(await assertFor(each, origin, claims, header), form))
const use = (token: string, server = app) =>
  server.inject({ url: '/v1/me', headers: { authorization: `Bearer ${token}` } })

const webKey = async ({ privateKey, alg }: SigningClient) => {
  const names = {
    EdDSA: { name: 'Ed25519' },
    ES256: { name: 'ECDSA', namedCurve: 'P-256' },
    PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  }
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  return crypto.subtle.importKey('pkcs8', new Uint8Array(der), names[alg], false, ['sign'])
}

t.test('oauth4webapi logs in, introspects and revokes with each algorithm', async (t) => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(origin)
  const discovered = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' })
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  for (const alg of algorithms) {
    const each = await addSigningClient(database, { alg })
    const me = { client_id: each.id }
    const auth = oauth.PrivateKeyJwt(await webKey(each))
    const asked = await oauth.clientCredentialsGrantRequest(server, me, auth, { scope: 'lab:read' }, insecure)
    const { access_token, scope } = await oauth.processClientCredentialsResponse(server, me, asked)
    t.equal(scope, 'lab:read', alg)
    t.equal((await use(access_token)).json().data.customer, each.customer)
    const inspect = async () =>
      oauth.processIntrospectionResponse(
        server,
        me,
        await oauth.introspectionRequest(server, me, auth, access_token, insecure),
      )
    t.match(await inspect(), { active: true, client_id: each.id })
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, me, auth, access_token, insecure),
    )
    await until('revoked', async () => (await inspect()).active === false)
  }
})

t.test('assertions of Authlib are accepted, but not its default RS256', async (t) => {
  const issuedAt = Math.floor(Date.now() / 1000)
  // As Authlib 1.9 sets them (authlib/oauth2/rfc7523/assertion.py).
  const claims = { aud: `${origin}/v1/oauth/token`, iat: issuedAt, exp: issuedAt + 3_600 }
  for (const alg of algorithms) {
    const each = await addSigningClient(database, { alg })
    t.equal((await grant(each, {}, claims)).statusCode, 200, alg)
    const { rows } = await sql<{ isKept: boolean }>`
      select expires_at >= to_timestamp(${claims.exp}) as "isKept" from used_assertions where key_id = ${each.id}`.execute(
      operator,
    )
    t.same(rows, [{ isKept: true }], 'its id is kept as long')
  }
  const rsa = await addSigningClient(database, { alg: 'PS256' })
  const refused = await grant(rsa, {}, claims, { alg: 'RS256' })
  t.equal(refused.statusCode, 401)
  t.match(refused.json(), {
    error: 'invalid_client',
    error_description: /alg EdDSA, Ed25519, ES256, PS256/,
  })
})

t.test('all valid forms of an assertion are accepted', async (t) => {
  const each = await addSigningClient(database, { kid: 'k' })
  const now = Math.floor(Date.now() / 1000)
  const good: [object, object?, object?][] = [
    [{}],
    [{ aud: `${origin}/v1/oauth/token` }],
    [{ aud: [origin] }],
    [{ iat: undefined }],
    [{ exp: now + 3_600 }],
    [{ exp: now - 5 }],
    [{ nbf: now + 5, iat: now + 5 }],
    [{ other: 'claim' }],
    [{}, { kid: 'k' }],
    [{}, { typ: 'JWT' }],
    [{}, { typ: 'client-authentication+jwt' }],
    [{}, { alg: 'Ed25519' }],
    [{}, {}, { client_id: each.id }],
  ]
  for (const [claims, header, form] of good) {
    const answer = await grant(each, form, claims, header)
    t.equal(answer.statusCode, 200, JSON.stringify([claims, header]))
  }
})

t.test('two clients may use the same assertion id', async (t) => {
  const each = await addSigningClient(database)
  const jti = 'the same id'
  const second = await addSigningClient(database)
  t.equal((await grant(each, {}, { jti })).statusCode, 200)
  t.equal((await grant(second, {}, { jti })).statusCode, 200, 'of another client')
  t.equal((await grant(each, {}, { jti: 'Größe 𝄞 "\\' })).statusCode, 200)
})

t.test('an assertion refused for a quota is not used up', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const names = ['LIMIT_LOGINS', 'LIMIT_INTROSPECTIONS', 'LIMIT_REVOCATIONS']
  const env = Object.fromEntries(names.map((name) => [name, '1']))
  const limited = await createTestApp(database, { origin, clock, env })
  t.teardown(() => limited.close())
  for (const path of ['token', 'introspect', 'revoke']) {
    const each = await addSigningClient(database)
    const long = { exp: Math.floor(Date.now() / 1000) + 600 }
    const send = async (assertion: string) =>
      (await postForm(limited, path, { ...grantWith(assertion), token: 'x' })).statusCode
    const [first, second] = [await assertFor(each, origin, long), await assertFor(each, origin, long)]
    t.equal(await send(first), 200, path)
    t.same([await send(second), await send(second)], [429, 429], path)
    clock.offsetMs += 61_000
    t.equal(await send(second), 200, path)
    clock.offsetMs += 61_000
    t.equal(await send(second), 401, 'it counts once')
  }
})

t.test('ids of assertions are deleted once the assertions have expired', async (t) => {
  const each = await addSigningClient(database)
  const rows = async () =>
    (await sql`select from used_assertions where key_id = ${each.id}`.execute(operator)).rows.length
  await grant(each)
  t.equal(await rows(), 1)
  await sql`update used_assertions set expires_at = now() - interval '3 minutes' where key_id = ${each.id}`.execute(
    operator,
  )
  await grant(each)
  t.equal(await rows(), 1)
})

t.test('plan, scopes, expiry and networks of a client count as for every key', async (t) => {
  const basic = await addSigningClient(database, { plan: 'basic' })
  t.match((await grant(basic)).json(), { error: 'unauthorized_client' })
  const limited = await addSigningClient(database, { scopes: ['lab:read'] })
  t.equal((await grant(limited)).json().scope, 'lab:read')
  t.match((await grant(limited, { scope: 'products:read' })).json(), { error: 'invalid_scope' })
  const elsewhere = await addSigningClient(database)
  await sql`update api_keys set networks = '{203.0.113.0/24}' where key_id = ${elsewhere.id}`.execute(
    operator,
  )
  const refused = await grant(elsewhere)
  t.equal(refused.statusCode, 403)
  t.match(refused.json(), { error_uri: /network_not_allowed$/ })
  const expired = await addSigningClient(database)
  await sql`update api_keys set expires_at = now() where key_id = ${expired.id}`.execute(operator)
  t.equal((await grant(expired)).statusCode, 401)
})

t.test('a client that signs has no secret, and a key with a secret has no public key', async (t) => {
  const each = await addSigningClient(database)
  const [row] = await operator.selectFrom('api_keys').selectAll().where('key_id', '=', each.id).execute()
  t.match(row, { client_jwks: { keys: [{ kty: 'OKP', kid: String, alg: 'EdDSA' }] } })
  t.notOk(JSON.stringify(row?.client_jwks).includes('"d"'))
  const { rows } = await sql<{ id: string }>`
    select key_id as id from api_keys where customer_id = ${each.customer} and client_jwks is null`.execute(
    operator,
  )
  const secret = rows[0]?.id as string
  t.equal((await grant({ ...each, id: secret })).statusCode, 401)
})

const newestLogin = async (keyId: string) => {
  const { rows } = await sql<{ outcome: string; reason: string | null }>`
    select e.outcome, p.personal->'details'->>'reason' as reason
    from audit_entries e join audit_persons p on p.entry_id = e.entry_id
    where e.action = 'login' and p.personal->>'key' = ${keyId} order by e.entry_id desc limit 1`.execute(
    operator,
  )
  return rows[0]
}

t.test('logins and refusals are recorded with a reason that the client does not receive', async (t) => {
  const each = await addSigningClient(database)
  const foreign = await addSigningClient(database)
  await grant(each)
  t.match(await newestLogin(each.id), { outcome: 'ok' })
  await postForm(app, 'token', grantWith(await assertFor({ ...foreign, id: each.id }, origin)))
  t.match(await newestLogin(each.id), { outcome: 'refused', reason: 'assertion_signature' })
  await grant(each, {}, { aud: 'https://elsewhere.example' })
  t.match(await newestLogin(each.id), { outcome: 'refused', reason: 'assertion_claims' })
  const assertion = grantWith(await assertFor(each, origin))
  await postForm(app, 'token', assertion)
  await postForm(app, 'token', assertion)
  t.match(await newestLogin(each.id), { outcome: 'refused', reason: 'assertion_replayed' })
})

t.test(
  'an unknown client and another client’s key get the same answer, also for a revoked client',
  async (t) => {
    const each = await addSigningClient(database)
    const revoked = await addSigningClient(database)
    await sql`update api_keys set revoked_at = now() where key_id = ${revoked.id}`.execute(operator)
    const heard = async (as: SigningClient, id: string) => {
      const { statusCode, headers, body } = await postForm(
        app,
        'token',
        grantWith(await assertFor({ ...as, id }, origin)),
      )
      return { statusCode, challenge: headers['www-authenticate'], body }
    }
    const unknown = await heard(each, 'nosuchclient0000')
    t.match(unknown, { statusCode: 401, challenge: /^Basic/ })
    t.same(await heard(each, revoked.id), unknown)
    t.match((await heard(revoked, revoked.id)).body, /"This API key was revoked at /)
    t.same(
      await heard(
        {
          ...each,
          alg: 'ES256',
          privateKey: (await addSigningClient(database, { alg: 'ES256' })).privateKey,
        },
        each.id,
      ),
      unknown,
    )
  },
)

t.test('failures are limited like those of keys, and a valid assertion is still accepted', async (t) => {
  const limited = await createTestApp(database, {
    origin,
    env: { LIMIT_FAILED_LOGINS: '10', LIMIT_LOGINS: '3' },
    clock: { offsetMs: 0, isStopped: true },
  })
  t.teardown(() => limited.close())
  const each = await addSigningClient(database)
  const foreign = await addSigningClient(database)
  const status = async (as: SigningClient) =>
    (await postForm(limited, 'token', grantWith(await assertFor(as, origin)))).statusCode
  const wrong = { ...foreign, id: each.id }
  for (let i = 0; i < 10; i++) t.equal(await status(wrong), 401)
  for (let i = 0; i < 3; i++) t.equal(await status(wrong), 429)
  for (let i = 0; i < 3; i++) t.equal(await status(each), 200)
  t.equal(await status(each), 429, 'logins are counted, too')
})
