import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import { z } from 'zod'
import { addCustomer, asCustomer, createTestApp, logIn } from '../helper.ts'
import { expectProblem, openHttpStage } from './http-stage.ts'

const { database, app, clock, authorization, ask } = await openHttpStage(t)

t.test('an expired token has a code and a challenge', async (t) => {
  clock.offsetMs = 3_601_000
  const expired = await ask('/v1/products')
  clock.offsetMs = 0
  expectProblem(t, expired, 'token_expired', 401)
  t.equal(expired.headers['www-authenticate'], 'Bearer realm="certdata", error="invalid_token"')
})

t.test(
  'path and method are judged before the plan, and the plan before the scope, and both before the type',
  async (t) => {
    const narrow = await asCustomer(database, app, 'acme', { scopes: ['lab:read'] })
    const basic = await logIn(app, await addCustomer(database, 'simple', { plan: 'premium' }))
    await sql`update customers set plan = 'basic' where customer_id = 'simple'`.execute(database.operator)
    clock.offsetMs += 1000
    const all = { accept: 'text/html', 'if-match': '"x"' }
    const asked = (url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
      app.inject({ method, url, headers: { authorization, ...headers } })
    const scoped = { ...all, authorization: `Bearer ${narrow.token}` }
    const planless = { ...all, authorization: `Bearer ${basic.token}` }
    const steps: [string, Awaited<ReturnType<typeof asked>>, string][] = [
      ['the path before the plan', await asked('/v1/nothing', planless), 'not_found'],
      ['the method before the plan', await asked('/v1/products', planless, 'POST'), 'method_not_allowed'],
      ['the method before the scope', await asked('/v1/products', scoped, 'POST'), 'method_not_allowed'],
      ['the plan before the scope', await asked('/v1/products?limit=0', planless), 'plan_required'],
      ['the scope before the type', await asked('/v1/products/nobody?limit=0', scoped), 'insufficient_scope'],
    ]
    clock.offsetMs = 0
    for (const [name, answer, code] of steps) expectProblem(t, answer, code, answer.statusCode, name)
  },
)

t.test('every route declares the schemas of its body, its query and its answer', async (t) => {
  const routes: RouteOptions[] = []
  const listen = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', (route: RouteOptions) => void routes.push(route))
  }
  subscribe('fastify.initialization', listen)
  const other = await createTestApp(database)
  unsubscribe('fastify.initialization', listen)
  await other.close()
  const find = (lacks: (schema: RouteOptions['schema']) => boolean, among: readonly RouteOptions[]) =>
    among.filter(({ schema }) => lacks(schema)).map(({ url }) => url)
  const posts = routes.filter(({ method }) => method === 'POST')
  const reads = routes.filter(({ method, config }) => method === 'GET' && config?.scope !== undefined)
  t.ok(posts.length >= 7 && reads.length > 50)
  t.same(
    find((schema) => !(schema?.body instanceof z.ZodType), posts),
    ['/demo/change'],
    'which reads no body',
  )
  t.same(
    find((schema) => typeof schema?.querystring !== 'function', reads),
    ['/v1/custom/:name', '/custom/:name', '/webapi/v1/api.php/custom/:name'],
    'whose grammars are in their documents',
  )
  const answers = (schema: RouteOptions['schema']) =>
    (schema?.response as Record<number, unknown> | undefined)?.[200] instanceof z.ZodType
  t.same(
    find((schema) => !answers(schema), reads),
    [],
  )
})

t.test('a body route reports the faults of its query and its body together', async (t) => {
  const basic = `Basic ${Buffer.from('cda_live_x_y').toString('base64')}`
  const requests: [path: string, payload: object, headers: Record<string, string>, body: string[]][] = [
    ['/v1/auth/login', {}, {}, ['/api_key invalid_value']],
    ['/v1/auth/login', { api_key: 'x', 'a/~': 1 }, {}, ['/a~1~0 unknown_field']],
    ['/v1/auth/login', { api_key: 'x' }, {}, []],
    ['/v1/auth/login', { api_key: 'x' }, { authorization: basic }, [' invalid_value']],
    ['/v1/auth/login', {}, { authorization: basic }, []],
    [
      '/v1/access-requests',
      { company: 'a', name: 'b', message: 'c', consent: false },
      {},
      ['/email invalid_value', '/consent invalid_value'],
    ],
  ]
  for (const [path, payload, headers, body] of requests) {
    const answer = await app.inject({ method: 'POST', url: `${path}?limit=1&x&x`, payload, headers })
    expectProblem(t, answer, 'invalid_query', 400, path)
    t.match(answer.json().detail, /^This address has no parameters/)
    const faults: { parameter?: string; pointer?: string; code: string }[] = answer.json().errors
    t.same(
      faults.map(({ parameter, pointer, code }) => `${parameter ?? pointer} ${code}`),
      ['limit unknown_parameter', 'x unknown_parameter', 'x unknown_parameter', ...body],
    )
  }
})

t.test('a body that names a member twice is refused on every route that reads JSON', async (t) => {
  const bodies: [url: string, payload: string][] = [
    ['/v1/auth/login', '{"api_key": "x", "api_key": "y"}'],
    ['/v1/auth/login', '{"api_key": "x", "api_\\u006bey": "y"}'],
    ['/v1/auth/login', '{"api_key": "x", "a": [{"b": 1, "b" : 1}]}'],
    ['/v1/access-requests', '{"company": "a", "company": "b"}'],
  ]
  for (const [url, payload] of bodies) {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const answer = await app.inject({ method: 'POST', url, headers, payload })
    expectProblem(t, answer, 'invalid_body', 400, payload)
    t.match(answer.json().detail, /two members are named/, payload)
  }
  const once = await app.inject({
    method: 'POST',
    url: '/v1/auth/login',
    headers: { 'content-type': 'application/json' },
    payload: '{"api_key": "\\"api_key\\": 1"}',
  })
  t.equal(once.statusCode, 401, 'a value may look like a member')
})
