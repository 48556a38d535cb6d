import Fastify from 'fastify'
import fp from 'fastify-plugin'
import t from 'tap'
import { z } from 'zod'
import type { Principal } from '../../app/identity/principal.ts'
import { requireCredentials } from '../../app/identity/principals.ts'
import { describeMe } from '../../app/site/openapi/account.ts'
import type { Endpoint } from '../../plugins/endpoint.ts'
import endpoints from '../../plugins/endpoints.ts'
import gate from '../../plugins/gate.ts'
import limits from '../../plugins/limits.ts'
import methodGuard from '../../plugins/method-guard.ts'
import openapi from '../../plugins/openapi.ts'
import problems from '../../plugins/problems.ts'
import quotas from '../../plugins/quotas.ts'
import securityHeaders from '../../plugins/security-headers.ts'

const publicUrl = 'http://api.test'
const burst = { burst: 3, minute: 1_000 }
const common = { scopes: undefined, expiringWithin: 90, plan: 'premium' } as const
const principals: Record<string, Principal> = {
  'Bearer demo': { ...common, kind: 'demo', customerId: 'demo', keyId: 'demo' },
  'Bearer live': { ...common, kind: 'live', customerId: 'acme', keyId: 'k' },
  'Bearer narrow': { ...common, kind: 'live', customerId: 'acme', keyId: 'n', scopes: new Set() },
}

const response = { 200: z.object({}) }
const rows: Endpoint[] = [
  {
    path: '/live',
    scope: 'changes:read',
    demo: false,
    schema: { openapi: describeMe, response },
    state: () => ({}),
  },
  {
    path: '/any',
    scope: null,
    schema: { openapi: { ...describeMe, operationId: 'any' }, response },
    state: () => ({}),
  },
]

/** Two endpoints with the plugins of the service. One has no example data. */
const open = async () => {
  const app = Fastify().setSerializerCompiler(() => JSON.stringify)
  const authenticate = ({
    headers: { authorization = '' },
  }: {
    headers: { authorization?: string | undefined }
  }) => {
    const principal = principals[authorization]
    if (!principal) throw requireCredentials()
    return principal
  }
  await app.register(securityHeaders, { includeSubDomains: false })
  await app.register(problems, { publicUrl, headers: () => ({}) })
  await app.register(gate, { trustedProxies: [], allowHttp: true, publicUrl })
  await app.register(methodGuard)
  await app.register(
    fp(
      async (auth) => {
        auth.decorate('authenticate', authenticate)
        auth.decorateRequest('principal', undefined)
      },
      { name: 'auth' },
    ),
  )
  await app.register(
    fp(
      async (answers) => {
        answers.decorateRequest('repeatable', undefined)
      },
      { name: 'answers' },
    ),
  )
  const every = { premium: burst, enterprise: burst, demo: burst }
  const limitsOfAll = {
    ...every,
    logins: 1,
    failedLogins: 1,
    introspections: 1,
    revocations: 1,
    accessRequests: 1,
  }
  await app.register(quotas, {
    config: { limits: limitsOfAll },
    limitStore: undefined,
    monotonicNow: () => 0,
  })
  await app.register(
    fp(
      async (custom) => {
        custom.decorate('custom', { definitionsOf: async () => [] } as never)
      },
      { name: 'data' },
    ),
  )
  await app.register(openapi, { publicUrl })
  await app.register(async (closed) => {
    await closed.register(endpoints, {
      publicUrl,
      variesWithOrigin: false,
      judge: { isUnanswered: () => false, staleSeconds: () => 0 },
    })
    await closed.register(limits)
    for (const row of rows) closed.endpoint(row)
  })
  t.teardown(() => app.close())
  const ask = (url: string, token: string, options = {}) =>
    app.inject({ url, headers: { authorization: `Bearer ${token}` }, ...options })
  return { app, ask }
}

t.test('endpoints without example data refuse the demo token in every spelling of the path', async (t) => {
  for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
    const { ask } = await open()
    const refused = await ask(`${prefix}/live`, 'demo')
    t.equal(refused.statusCode, 403)
    t.match(refused.json(), { code: 'live_token_required', status: 403 })
    t.equal(refused.headers['www-authenticate'], undefined, 'no other scope would help')
    t.equal((await ask(`${prefix}/live`, 'demo', { method: 'HEAD' })).statusCode, 403)
    t.equal((await ask(`${prefix}/live`, 'live')).statusCode, 200)
    t.equal((await ask(`${prefix}/any`, 'demo')).statusCode, 200)
  }
})

t.test('it is judged after path and method and before the quota, which it costs all the same', async (t) => {
  const { ask } = await open()
  t.equal((await ask('/v1/live', 'nobody')).statusCode, 401)
  t.equal((await ask('/v1/live', 'demo', { method: 'POST' })).statusCode, 405)
  t.equal((await ask('/v1/live', 'narrow')).json().code, 'insufficient_scope')
  for (let i = 0; i < 5; i++) {
    const { statusCode, headers } = await ask('/v1/live?nonsense=1', 'demo', {
      headers: { authorization: 'Bearer demo', accept: 'image/png' },
    })
    t.equal(statusCode, 403)
    t.match(headers.ratelimit, `r=${Math.max(0, 1 - i)}`)
  }
  t.equal((await ask('/v1/any', 'demo')).statusCode, 429)
})

t.test('the document marks these endpoints', async (t) => {
  const { app } = await open()
  const { paths, components } = (await app.inject('/openapi.json')).json()
  const codes = (path: string) => {
    const response = paths[path].get.responses[403]
    const { content } = response.$ref ? components.responses[response.$ref.split('/').at(-1)] : response
    return Object.keys(content['application/problem+json'].examples)
  }
  t.ok(codes('/v1/live').includes('live_token_required'))
  t.notOk(codes('/v1/any').includes('live_token_required'))
})
