import type { InjectOptions } from 'fastify'
import t from 'tap'
import { inTurn } from '../../../app/db/connect.ts'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { namedScopes } from '../../../app/identity/scopes.ts'
import { toQueueOwner } from '../../../app/limits/address.ts'
import { sendBytes } from '../../api/sockets.ts'
import { addCustomer, closeAfter, createTestApp, createTestDatabase, logIn } from '../../helper.ts'
import { createDocumentChecks } from '../../openapi-document.ts'
import { assertFor, grantWith, makeKeys } from './signing-client.ts'

/** Promises of the whole service, for the endpoints of this feature. */

const database = await createTestDatabase({ longestWaitMs: 1_000 })
const origin = 'https://api.test'
const app = await createTestApp(database, { origin, env: { TRUSTED_PROXIES: '127.0.0.1' } })
const open = await createTestApp(database, { env: { LIMIT_FAILED_LOGINS: '1000' } })
closeAfter(t, app, open, database)
const port = Number(new URL(await open.listen({ host: '127.0.0.1', port: 0 })).port)
const paths = ['/v1/oauth/token', '/v1/oauth/introspect', '/v1/oauth/revoke'] as const
const formType = 'application/x-www-form-urlencoded'
const toClient = (apiKey: string) => ({
  client_id: parseApiKey(apiKey)?.keyId as string,
  client_secret: apiKey,
})

t.test('a POST without a body is answered', async (t) => {
  for (const version of ['1.0', '1.1']) {
    for (const path of paths) {
      const head = `POST ${path} HTTP/${version}\r\nHost: x\r\nContent-Type: ${formType}\r\nConnection: close\r\n\r\n`
      t.equal((await sendBytes(port, head))[0]?.status, 401, `${path}, HTTP/${version}`)
    }
  }
})

t.test('a form has at most 64 KiB', async (t) => {
  const send = (bytes: number) =>
    open.inject({
      method: 'POST',
      url: '/v1/oauth/token',
      payload: `client_id=${'x'.repeat(bytes - 'client_id='.length)}`,
      headers: { 'content-type': formType },
    })
  t.not((await send(65_536)).statusCode, 413)
  t.equal((await send(65_537)).statusCode, 413)
})

t.test('no answer marks anything as deprecated', async (t) => {
  const { headers } = await open.inject({ method: 'POST', url: '/v1/oauth/token', payload: {} })
  t.notOk('deprecation' in headers || 'sunset' in headers)
})

t.test('an error of a narrowed token does not blame its key', async (t) => {
  const apiKey = await addCustomer(database, 'narrow')
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: parseApiKey(apiKey)?.keyId ?? '',
    client_secret: `${apiKey}\n`,
    scope: 'lab:read',
  })
  const token = await open.inject({
    method: 'POST',
    url: '/v1/oauth/token',
    payload: form.toString(),
    headers: { 'content-type': formType },
  })
  t.equal(token.statusCode, 200, 'whitespace around the key is ignored')
  const headers = { authorization: `Bearer ${token.json().access_token}` }
  t.match((await open.inject({ url: '/v1/products', headers })).json(), {
    status: 403,
    detail: /issued without the scope products:read, which its API key has/,
  })
})

t.test('the scope audit:read must be named by the key', async (t) => {
  const [named, unlimited] = [
    await addCustomer(database, 'acme', { scopes: ['products:read', 'audit:read'] }),
    await addCustomer(database, 'acme'),
  ]
  const token = async (apiKey: string, form: Record<string, string>) => {
    const payload = new URLSearchParams({
      grant_type: 'client_credentials',
      ...toClient(apiKey),
      ...form,
    }).toString()
    const headers = { 'content-type': formType }
    return (await open.inject({ method: 'POST', url: '/v1/oauth/token', payload, headers })).json()
  }
  t.match(await token(named, { scope: 'audit:read' }), { scope: 'audit:read' })
  t.equal((await token(unlimited, { scope: 'audit:read' })).error, 'invalid_scope')
  t.notMatch((await token(unlimited, {})).scope, 'audit:read')
})

t.test('a key with * has the scopes that it names in addition to all others', async (t) => {
  const apiKey = await addCustomer(database, 'acme', { scopes: ['*', 'account:read'] })
  const post = async (path: string, form: Record<string, string>) => {
    const payload = new URLSearchParams({ ...toClient(apiKey), ...form }).toString()
    return (
      await open.inject({ method: 'POST', url: path, payload, headers: { 'content-type': formType } })
    ).json()
  }
  const token = (form: Record<string, string>) =>
    post('/v1/oauth/token', { grant_type: 'client_credentials', ...form })
  t.match(await token({ scope: 'account:read' }), { scope: 'account:read' })
  for (const scope of ['audit:read', '*']) t.equal((await token({ scope })).error, 'invalid_scope', scope)
  const whole = await token({})
  t.match(whole.scope, /^certificates:read .* account:read$/)
  t.notMatch(whole.scope, /\*|audit/)
  t.equal((await post('/v1/oauth/introspect', { token: whole.access_token })).scope, whole.scope)
  const narrow = await token({ scope: 'products:read' })
  t.equal((await post('/v1/oauth/introspect', { token: narrow.access_token })).scope, 'products:read')
  const headers = { authorization: `Bearer ${narrow.access_token}` }
  t.equal((await open.inject({ url: '/v1/products', headers })).statusCode, 200)
  t.match((await open.inject({ url: '/v1/lab', headers })).json(), {
    status: 403,
    detail: /issued without the scope lab:read, which its API key has/,
  })
})

t.test('the metadata name every scope and documents that exist', async (t) => {
  const get = async (path: string) => (await open.inject(path)).json()
  const server = await get('/.well-known/oauth-authorization-server')
  const resource = await get('/.well-known/oauth-protected-resource')
  for (const { scopes_supported } of [server, resource]) t.same(scopes_supported, namedScopes)
  const documentation = await open.inject(new URL(server.service_documentation).pathname)
  t.equal(documentation.statusCode, 200)
  const { linkset } = await get('/.well-known/api-catalog')
  const [meta] = linkset[0]['service-meta']
  t.equal(new URL(meta.href).pathname, '/.well-known/oauth-protected-resource')
  t.equal((await open.inject(new URL(meta.href).pathname)).statusCode, 200)
})

t.test('addresses of one IPv6 network share a turn', async (t) => {
  const apiKey = await addCustomer(database, 'quiet')
  const network = '2001:db8:0:1::'
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = inTurn(database.reserved, toQueueOwner(`${network}1`), () => promise)
  const assertion = await assertFor(
    { id: 'nosuchclient0000', alg: 'EdDSA', privateKey: makeKeys.EdDSA().privateKey },
    origin,
  )
  const client = { ...toClient(apiKey), token: 'x' }
  const requests: [path: string, form: Record<string, string>][] = [
    ['/v1/oauth/token', { ...client, grant_type: 'client_credentials' }],
    ['/v1/oauth/token', grantWith(assertion)],
    ['/v1/oauth/introspect', client],
    ['/v1/oauth/revoke', client],
  ]
  const sendAll = async (prefix: string) => {
    const answers = await Promise.all(
      requests.map(([url, form], n) =>
        app.inject({
          method: 'POST',
          url,
          headers: {
            'x-forwarded-for': `${prefix}${n + 2}`,
            'x-forwarded-proto': 'https',
            'content-type': formType,
          },
          payload: new URLSearchParams(form).toString(),
        }),
      ),
    )
    return answers.map(({ statusCode }) => statusCode)
  }
  const refused = sendAll(network)
  t.same(await sendAll('2001:db8:0:2::'), [200, 401, 200, 200])
  t.same(await refused, [503, 401, 503, 503], 'an unknown client needs no turn')
  resolve()
  await held
})

t.test('answers match the document', async (t) => {
  const served = await open.inject('/openapi.json')
  const { listFaults } = createDocumentChecks(served)
  const key = await addCustomer(database, 'oauth')
  const { token } = await logIn(open, key)
  const client = toClient(key)
  const ask = async (path: string, fields: Record<string, string>, request: InjectOptions = {}) => {
    const payload = new URLSearchParams(fields).toString()
    const headers = { 'content-type': formType }
    const answer = await open.inject({ method: 'POST', url: path, headers, payload, ...request })
    return [answer.statusCode, ...listFaults(path, 'post', answer)]
  }
  for (const path of paths) {
    t.same(await ask(path, { ...client, grant_type: 'client_credentials', token }), [200])
    t.same(await ask(path, { grant_type: 'client_credentials', token }), [401])
    t.same(await ask(path, client), [400])
    t.same(await ask(path, {}, { method: 'GET' }), [405])
    t.same(await ask(path, {}, { headers: { 'content-type': 'application/json' } }), [415])
    t.same(await ask(path, { x: 'x'.repeat(70_000) }), [413])
    t.same(await ask(path, {}, { url: `${path}?x=${'x'.repeat(9000)}` }), [414])
    t.same(await ask(path, {}, { remoteAddress: '192.0.2.1' }), [403])
    t.same(Object.keys(served.json().paths[path].post.requestBody.content), [formType])
  }
  t.same(await ask('/v1/oauth/introspect', { ...client, token: 'x' }), [200])
})
