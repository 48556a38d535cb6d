import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import t, { type Test } from 'tap'
import type { Plan } from '../../../app/db/schema.ts'
import { catalogue } from '../../../app/errors.ts'
import { assertionAlgorithms } from '../../../app/features/oauth/client-keys.ts'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { resourceNames } from '../../../app/records/resources/index.ts'
import { grantName } from '../../grants.ts'
import {
  addCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  until,
} from '../../helper.ts'
import { postForm } from './post-form.ts'

const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

let customers = 0
type Limits = { plan?: Plan; scopes?: string[] | null; customer?: string }
const newClient = async ({ customer = `customer-${++customers}`, ...limits }: Limits = {}) => {
  const apiKey = await addCustomer(database, customer, limits)
  return { customer, id: parseApiKey(apiKey)?.keyId as string, secret: apiKey }
}
type Client = Awaited<ReturnType<typeof newClient>>

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const post = postForm.bind(null, app)
const grant = { grant_type: 'client_credentials' }
const as = ({ id, secret }: Client, form: Record<string, string>) => ({
  ...form,
  client_id: id,
  client_secret: secret,
})
const readToken = async (each: Client, form = {}) =>
  (await post('token', as(each, { ...grant, ...form }))).json<{ access_token: string }>().access_token
const use = (token: string) => app.inject({ url: '/v1/me', headers: { authorization: `Bearer ${token}` } })
const introspect = async (each: Client, token: string) =>
  (await post('introspect', as(each, { token }))).json<Record<string, unknown>>()

t.test('oauth4webapi discovers, logs in, introspects and revokes with only the issuer', async (t) => {
  const { id, secret } = await newClient()
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(origin)
  const discovered = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' })
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  const resource = new URL(origin)
  const protectedResource = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, insecure),
  )
  t.strictSame(protectedResource.authorization_servers, [server.issuer])

  for (const authenticate of [oauth.ClientSecretBasic, oauth.ClientSecretPost]) {
    const auth = authenticate(secret)
    const me = { client_id: id }
    const asked = await oauth.clientCredentialsGrantRequest(server, me, auth, { scope: 'lab:read' }, insecure)
    const { access_token, token_type, scope, expires_in } = await oauth.processClientCredentialsResponse(
      server,
      me,
      asked,
    )
    t.strictSame(
      { token_type, scope, expires_in },
      { token_type: 'bearer', scope: 'lab:read', expires_in: 3600 },
    )

    const request = new Request(`${origin}/v1/lab`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
    const claims = await oauth.validateJwtAccessToken(server, request, origin, insecure)
    t.match(claims, { client_id: id, sub: id, scope: 'lab:read' })
    const answer = await oauth.protectedResourceRequest(
      access_token,
      'GET',
      new URL(`${origin}/v1/lab`),
      new Headers(),
      null,
      insecure,
    )
    t.equal(answer.status, 200)

    const inspect = async () =>
      oauth.processIntrospectionResponse(
        server,
        me,
        await oauth.introspectionRequest(server, me, auth, access_token, insecure),
      )
    t.match(await inspect(), { active: true, scope: 'lab:read', client_id: id })
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, me, auth, access_token, insecure),
    )
    await until('revoked', async () => (await inspect()).active === false)
  }
})

t.test('the token answer equals a login’s and must not be stored', async (t) => {
  const each = await newClient()
  for (const answer of [
    await post('token', as(each, grant)),
    await post('token', grant, basic(each.id, each.secret)),
    await post('token', { ...grant, client_id: each.id }, basic(each.id, each.secret)),
    await post('token', { ...grant, unheard: 'of', scope: '' }, basic(each.id, each.secret)),
    await post('token', grant, basic(each.id.replace('a', '%61'), each.secret.replaceAll('_', '%5F'))),
  ]) {
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.equal(answer.headers.pragma, 'no-cache')
    t.strictSame(Object.keys(answer.json()).sort(), [
      'access_token',
      'expires_in',
      'key',
      'scope',
      'token_type',
    ])
    t.equal((await use(answer.json().access_token)).statusCode, 200)
  }
  const { last_used_on } = await database.operator
    .selectFrom('api_keys')
    .select('last_used_on')
    .where('key_id', '=', each.id)
    .executeTakeFirstOrThrow()
  t.match(last_used_on, /^\d{4}-\d\d-\d\d$/)
})

t.test('a token is limited to the requested scopes, which must be scopes of the key', async (t) => {
  const limited = await newClient({ scopes: ['lab:read', 'products:read', 'custom:stock'] })
  await grantName(database, limited.customer, 'stock')
  const readScopes = async (token: string) => (await use(token)).json().data.scopes
  t.strictSame(await readScopes(await readToken(limited, { scope: 'products:read custom:stock' })), [
    'custom:stock',
    'products:read',
  ])
  const unlimited = await newClient()
  await grantName(database, unlimited.customer, 'stock')
  const token = await readToken(unlimited, { scope: 'lab:read lab:read' })
  t.strictSame(await readScopes(token), ['lab:read'])
  const answer = await app.inject({ url: '/v1/products', headers: { authorization: `Bearer ${token}` } })
  t.equal(answer.json().code, 'insufficient_scope')
  t.equal(
    (await post('token', as(unlimited, { ...grant, scope: 'custom:stock changes:read' }))).statusCode,
    200,
  )
})

const named = [...resourceNames, 'changes'].map((name) => `${name}:read`)

t.test('every list of scopes names the custom endpoints; other scopes are refused', async (t) => {
  const each = await newClient()
  const other = await newClient()
  await grantName(database, other.customer, 'stock')
  await grantName(database, each.customer, 'shelf')
  const all = [...named, 'custom:shelf']
  const login = () => app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: each.secret } })
  t.equal((await login()).json().scope, all.join(' '))
  const token = await readToken(each)
  t.same((await use(token)).json().data.scopes, all)
  t.equal((await introspect(each, token)).scope, all.join(' '))
  const exactly = await readToken(each, { scope: all.join(' ') })
  t.same((await use(exactly)).json().data.scopes, all.toSorted())

  const countScopes = async () => (await use(token)).json().data?.scopes.length
  await grantName(database, each.customer, 'shelf')
  await until('the list is with it', async () => (await countScopes()) === 8)
  await grantName(database, each.customer, 'shelf', false)
  await until('the list is without it', async () => (await countScopes()) === 7)
  const limited = await newClient({ scopes: ['lab:read', 'custom:stock'], customer: each.customer })
  const asked = [
    [each, 'custom:nothing'],
    [each, 'custom:stock'],
    [each, 'custom:shelf'],
    [each, 'constructor'],
    [limited, 'custom:stock'],
    [limited, 'products:read'],
  ] as const
  for (const [client, scope] of asked) {
    const answer = await post('token', as(client, { ...grant, scope }))
    t.match([answer.statusCode, answer.json()], [400, { error: 'invalid_scope' }], scope)
  }
})

t.test('a token holds at most 100 scopes and 4 KiB: more must be narrowed', async (t) => {
  const each = await newClient()
  const name = (n: number) => `${'many-'.padEnd(40, 'x')}-${n}`
  for (let n = 1; n <= 120; n++) await grantName(database, each.customer, name(n))
  const ask = (scope?: string) => post('token', as(each, scope === undefined ? grant : { ...grant, scope }))
  const scopes = (count: number) => Array.from({ length: count }, (_, n) => `custom:${name(n + 1)}`).join(' ')
  const all = await ask()
  t.match(
    [all.statusCode, all.json()],
    [400, { error: 'invalid_scope', error_description: /at most 100 scopes/ }],
  )
  const login = await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: each.secret } })
  t.match([login.statusCode, login.json()], [400, { code: 'invalid_body', detail: /fewer with scope/ }])
  t.equal((await ask(scopes(80))).statusCode, 200)
  t.equal((await ask(scopes(90))).json().error, 'invalid_scope', 'fewer than 100, but more than 4 KiB')
  t.equal((await ask(`${scopes(2)} ${'lab:read '.repeat(200).trim()}`)).statusCode, 200, 'each counts once')
})

t.test('each refusal has a code of OAuth, and no 401 reveals its reason', async (t) => {
  const good = await newClient({ scopes: ['lab:read'] })
  const lapsed = await newClient({ plan: 'basic' })
  const revoked = await newClient()
  await post('revoke', as(revoked, { token: revoked.secret }))
  const stranger = await newClient()
  const auth = basic(good.id, good.secret)
  const other = basic(stranger.id, stranger.secret)
  const json = { 'content-type': 'application/json' }
  const token = post.bind(null, 'token')
  const refusals: Record<string, Record<string, ReturnType<typeof post>>> = {
    '401 invalid_client': {
      'no client': token(grant),
      'an id alone': token({ ...grant, client_id: good.id }),
      'a secret alone': token({ ...grant, client_secret: good.secret }),
      'another key’s id': token(grant, basic(stranger.id, good.secret)),
      'an unknown key': token(grant, basic('x'.repeat(16), good.secret)),
      'text that is no key': token(grant, basic(good.id, 'x')),
      'a revoked key': token(as(revoked, grant)),
      'rubbish in Basic': token(grant, { authorization: 'Basic !' }),
      'broken escapes in Basic': token(grant, basic('%zz', '%')),
      'a bearer token': token(grant, { authorization: 'Bearer x' }),
      'revocation without a client': post('revoke', { token: 'x' }),
      'introspection without a client': post('introspect', { token: 'x' }),
    },
    '400 invalid_request': {
      'both ways': token(as(good, grant), auth),
      'two ids': token({ ...grant, client_id: 'x' }, auth),
      'no grant': token({}, auth),
      'an empty grant': token('grant_type=', auth),
      'a grant twice': token('grant_type=client_credentials&grant_type=x', auth),
      'twice, spelled apart': token('scope=a&%73cope=b', auth),
      'an empty one twice': token('grant_type=client_credentials&scope=&scope=', auth),
      'a broken escape': token('grant_type=%zz', auth),
      'broken UTF-8': token('grant_type=%ff', auth),
      'no body': app.inject({ method: 'POST', url: '/v1/oauth/token', headers: auth }),
      'a token in the query': post('token?access_token=x', grant, auth),
      'a secret in the query': post('token?client_secret=x', grant, auth),
      'a parameter in the query': post('token?scope=x', grant, auth),
      'the same at revoke': post('revoke?x', { token: 'x' }, auth),
      'the same at introspect': post('introspect?x=1', { token: 'x' }, auth),
      'nothing to revoke': post('revoke', {}, auth),
      'two to revoke': post('revoke', 'token=a&token=b', auth),
      'nothing to inspect': post('introspect', {}, auth),
    },
    '400 unsupported_grant_type': {
      'another grant': token({ grant_type: 'password' }, auth),
      'another grant, no client': token({ grant_type: 'password' }),
    },
    '400 invalid_scope': {
      'a scope too many': token({ ...grant, scope: 'lab:read products:read' }, auth),
      'no such scope': token({ ...grant, scope: 'all' }, other),
      'two spaces': token({ ...grant, scope: 'lab:read  lab:read' }, auth),
      'a scope with quotes': token({ ...grant, scope: '"\\ä' }, auth),
    },
    '400 unauthorized_client': { 'a plan without access': token(as(lapsed, grant)) },
    '403 invalid_request': {
      'without TLS': app.inject({
        method: 'POST',
        url: '/v1/oauth/token',
        remoteAddress: '192.0.2.1',
      }),
    },
    '404 invalid_request': {
      'no such path': post('nothing', grant, auth),
      'no such path, no client': app.inject('/v1/oauth/nothing/at/all'),
    },
    '405 invalid_request': { GET: app.inject({ url: '/v1/oauth/token', headers: auth }) },
    '413 invalid_request': { 'too large a body': token(`x=${'x'.repeat(70_000)}`, auth) },
    '415 invalid_request': { JSON: token(JSON.stringify(as(good, grant)), json) },
  }
  const wrong: unknown[] = []
  const reasons = new Set<string>()
  for (const [expected, requests] of Object.entries(refusals)) {
    const status = Number.parseInt(expected, 10)
    for (const [what, sent] of Object.entries(requests)) {
      const answer = await sent
      const body = answer.json<Record<string, string>>()
      const problem = body.error_uri?.slice(`${origin}/problems/`.length) ?? ''
      const isGood =
        `${answer.statusCode} ${body.error}` === expected &&
        Object.keys(body).join() === 'error,error_description,error_uri' &&
        /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(body.error_description ?? '') &&
        problem in catalogue &&
        answer.headers['cache-control'] === 'no-store' &&
        answer.headers['content-type'] === 'application/json' &&
        answer.headers['www-authenticate'] === (status === 401 ? 'Basic realm="certdata"' : undefined) &&
        answer.headers.allow === (status === 405 ? 'POST, OPTIONS' : undefined)
      if (!isGood) wrong.push([what, answer.statusCode, body, answer.headers])
      if (status === 401) reasons.add(answer.body)
    }
  }
  t.same(wrong, [])
  t.equal(reasons.size, 2, 'one for all, and one for the owner of the revoked key')
  const described = async (answer: ReturnType<typeof post>) => (await answer).json().error_description
  t.match(await described(post('token?token=x', grant)), /Authorization: Bearer \.\.\.,/)
  t.match(await described(post('token', '{}', json)), /application\/x-www-form-urlencoded/)
})

t.test(
  'repeated parameters are ignored if they are unknown, and refused by name if they are known',
  async (t) => {
    const each = await newClient()
    const twice = (path: string, name: string, form = {}) =>
      post(path, `${new URLSearchParams(as(each, { ...grant, token: 'x', ...form }))}&${name}=a&${name}=b`)
    for (const path of ['token', 'introspect', 'revoke']) {
      for (const name of ['resource', 'audience', 'constructor', '__proto__']) {
        t.equal((await twice(path, name)).statusCode, 200, `${path} ${name}`)
      }
      for (const name of ['scope', 'grant_type', 'client_id', 'client_secret', 'token', 'token_type_hint']) {
        const { statusCode, body } = await twice(path, name)
        t.equal(statusCode, 400, `${path} ${name}`)
        t.match(JSON.parse(body), {
          error: 'invalid_request',
          error_description: `The parameter ${name} was sent more than once`,
        })
      }
    }
  },
)

t.test('introspection describes only the customer’s own tokens, as requests see them', async (t) => {
  const each = await newClient()
  const token = await readToken(each, { scope: 'lab:read products:read' })
  const { iat, nbf, exp, jti } = decodeJwt(token)
  t.strictSame(await introspect(each, token), {
    active: true,
    scope: 'lab:read products:read',
    client_id: each.id,
    sub: each.id,
    customer: each.customer,
    token_type: 'Bearer',
    iss: origin,
    aud: origin,
    iat,
    nbf,
    exp,
    jti,
  })
  const sibling = await newClient({ customer: each.customer })
  t.match(await introspect(sibling, token), { active: true, client_id: each.id })
  for (const unknown of [token.slice(0, -4), 'x', 'cda_demo_public', each.secret]) {
    t.strictSame(await introspect(each, unknown), { active: false })
  }
  t.strictSame(await introspect(await newClient(), token), { active: false }, 'of another customer')

  const set = (scopes: string[]) =>
    database.operator.updateTable('api_keys').set({ scopes }).where('key_id', '=', each.id).execute()
  await set(['lab:read'])
  await until('narrower', async () => (await introspect(each, token)).scope === 'lab:read')
  await database.operator
    .updateTable('customers')
    .set({ plan: 'basic' })
    .where('customer_id', '=', each.customer)
    .execute()
  await until('lapsed', async () => (await introspect(each, token)).active === false)
})

t.test('a revoked token is refused, and its siblings are not', async (t) => {
  const each = await newClient()
  const [token, sibling] = [await readToken(each), await readToken(each)]
  const stranger = await newClient()
  t.equal((await post('revoke', as(stranger, { token }))).statusCode, 200, 'told nothing')
  const answer = await post('revoke', as(each, { token, token_type_hint: 'refresh_token' }))
  t.strictSame([answer.statusCode, answer.body], [200, ''])
  await until('refused', async () => (await use(token)).statusCode === 401)
  t.match((await use(token)).json(), { code: 'token_revoked' })
  t.match((await use(token)).headers, {
    'www-authenticate': 'Bearer realm="certdata", error="invalid_token"',
  })
  t.equal((await use(sibling)).statusCode, 200)
  t.equal((await use(await readToken(each))).statusCode, 200)
  for (const unknown of [token, 'x', 'cda_demo_public']) {
    t.equal((await post('revoke', as(each, { token: unknown }))).statusCode, 200)
  }
})

t.test('a revoked token is refused until its end, also by an instance that starts then', async (t) => {
  const each = await newClient()
  const token = await readToken(each)
  await post('revoke', as(each, { token }))
  await database.operator
    .updateTable('revoked_tokens')
    .set({ expires_at: new Date(Date.now() + 30_000).toISOString() })
    .where('customer_id', '=', each.customer)
    .execute()
  const started = await createTestApp(database, { origin })
  t.teardown(() => started.close())
  const answer = await started.inject({ url: '/v1/me', headers: { authorization: `Bearer ${token}` } })
  t.equal(answer.json().code, 'token_revoked')
})

t.test('the holder of a leaked key can revoke it, even after the plan has ended', async (t) => {
  const [leaked, lapsed] = [await newClient(), await newClient({ plan: 'basic' })]
  const token = await readToken(leaked)
  for (const each of [leaked, lapsed]) {
    t.equal((await post('revoke', as(each, { token: each.secret }))).statusCode, 200)
    t.equal((await post('token', as(each, grant))).json().error, 'invalid_client')
  }
  await until('its tokens are refused', async () => (await use(token)).statusCode === 401)

  const victim = await newClient()
  const sibling = await newClient({ customer: victim.customer })
  const { operator } = database
  const setSecret = (secret_sha256: Buffer) =>
    operator.updateTable('api_keys').set({ secret_sha256 }).where('key_id', '=', victim.id).execute()
  await setSecret(Buffer.alloc(32))
  await post('revoke', as(sibling, { token: victim.secret }))
  const { revoked_at } = await operator
    .selectFrom('api_keys')
    .select('revoked_at')
    .where('key_id', '=', victim.id)
    .executeTakeFirstOrThrow()
  t.equal(revoked_at, null, 'the id alone ends nothing')
})

t.test('keeps revocations no longer than the tokens would have lived', async (t) => {
  const each = await newClient()
  const listRows = () =>
    database.operator
      .selectFrom('revoked_tokens')
      .select('jti')
      .where('customer_id', '=', each.customer)
      .execute()
  await post('revoke', as(each, { token: await readToken(each) }))
  t.equal((await listRows()).length, 1)
  await database.operator
    .updateTable('revoked_tokens')
    .set({ expires_at: new Date(Date.now() - 180_000).toISOString() })
    .execute()
  const token = await readToken(each)
  await post('revoke', as(each, { token }))
  t.same(await listRows(), [{ jti: decodeJwt(token).jti }])
})

t.test('programs find everything from the well-known addresses', async (t: Test) => {
  const get = (path: string) => app.inject(`/.well-known/${path}`)
  const server = (await get('oauth-authorization-server')).json()
  const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
  t.match(server, {
    issuer: origin,
    response_types_supported: ['none'],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    jwks_uri: `${origin}/.well-known/jwks.json`,
  })
  t.match((await get('oauth-protected-resource')).json(), {
    resource: origin,
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
    scopes_supported: server.scopes_supported,
  })
  for (const method of ['GET', 'HEAD'] as const) {
    const { headers, body } = await app.inject({ method, url: '/.well-known/api-catalog' })
    t.equal(headers.link, `<${origin}/.well-known/api-catalog>; rel="api-catalog"`)
    t.equal(
      headers['content-type'],
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    )
    if (method === 'HEAD') continue
    const [api] = JSON.parse(body).linkset
    t.equal(api.anchor, `${origin}/v1`)
    t.equal((await app.inject(new URL(api['service-desc'][0].href).pathname)).statusCode, 200)
  }
  for (const path of ['oauth-authorization-server', 'oauth-protected-resource', 'api-catalog']) {
    const refused = await app.inject({ method: 'POST', url: `/.well-known/${path}` })
    t.strictSame([refused.statusCode, refused.headers.allow], [405, 'GET, HEAD, OPTIONS'])
    t.match((await get(path)).headers, { 'cache-control': 'public, max-age=300' })
  }
})
