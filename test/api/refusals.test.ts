import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, LightMyRequestResponse, RouteOptions } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import { z } from 'zod'
import { addCustomer, asCustomer, createTestApp, logIn, publicUrl } from '../helper.ts'
import { expectProblem, openHttpStage } from './http-stage.ts'

const { database, app, clock, someId, key, token, authorization, ask } = await openHttpStage(t)

t.test('errors are problem documents with the security headers, whatever was asked', async (t) => {
  const errors: [string, number, string, Record<string, string>?][] = [
    ['/v1/products?limit=0', 400, 'invalid_query'],
    ['/v1/products?cursor=x', 400, 'invalid_cursor'],
    ['/v1/products?access_token=x', 400, 'token_in_query'],
    ['/v1/products/%zz', 400, 'malformed_request'],
    ['/v1/products', 401, 'credentials_required', { authorization: '' }],
    ['/v1/products', 401, 'invalid_token', { authorization: 'Bearer x' }],
    ['/v1/products/nobody', 404, 'not_found'],
    ['/v1/nothing', 404, 'not_found'],
    ['/nothing', 404, 'not_found'],
    ['/', 404, 'not_found'],
    ['/v1/products', 406, 'not_acceptable', { accept: 'text/html' }],
    ['/v1/products', 412, 'precondition_failed', { 'if-match': '"x"' }],
  ]
  for (const [url, status, code, headers] of errors) {
    if (url === '/' && (await ask('/')).statusCode !== 404) continue
    for (const accept of [undefined, 'application/json', 'text/html, */*;q=0.1']) {
      expectProblem(
        t,
        await ask(url, { ...(accept ? { accept } : {}), ...headers }),
        code,
        status,
        `${code}: ${url}`,
      )
    }
  }
  const { errors: faults } = (await ask('/v1/products?limt=3&nme=x&sort=nam&product_status=')).json()
  t.same(
    faults.map((each: { parameter: string }) => each.parameter),
    ['limt', 'nme', 'sort', 'product_status'],
    'every fault',
  )
  const fixable = (await ask('/products?limt=3&nme[prefix]=x&sort=-nam')).json()
  t.equal(
    (await ask(fixable.try.slice(publicUrl.length))).statusCode,
    200,
    `the corrected URL works: ${fixable.try}`,
  )
})

t.test('401: no token, no bearer, or a token that is not good, each with its challenge', async (t) => {
  const bare = 'Bearer realm="certdata"'
  const bad = `${bare}, error="invalid_token"`
  const [head = '', payload = '', signature = ''] = token.split('.')
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
  const cases: [string | undefined, string, string][] = [
    [undefined, 'credentials_required', bare],
    ['Basic YTpi', 'credentials_required', bare],
    ['Digest x', 'credentials_required', bare],
    [token, 'credentials_required', bare],
    ['Bearer x', 'invalid_token', bad],
    [`Bearer ${token}x`, 'invalid_token', bad],
    [`Bearer ${head}.${payload}.`, 'invalid_token', bad],
    [`Bearer ${none}.${payload}.`, 'invalid_token', bad],
    [`Bearer ${none}.${payload}.${signature}`, 'invalid_token', bad],
    [
      `Bearer ${head}.${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      'invalid_token',
      bad,
    ],
    [`Bearer ${token}, Bearer ${token}`, 'invalid_token', bad],
    [`Bearer ${key}`, 'invalid_token', bad],
  ]
  for (const [header, code, challenge] of cases) {
    for (const url of [
      '/v1/products',
      `/v1/products/${someId}`,
      '/me',
      '/v1/nothing',
      '/webapi/v1/api.php/nothing',
    ]) {
      const answer = await app.inject({ url, headers: header === undefined ? {} : { authorization: header } })
      expectProblem(t, answer, code, 401, `${code}: ${header?.slice(0, 12)} ${url}`)
      t.equal(answer.headers['www-authenticate'], challenge)
    }
  }
  for (const header of [`bearer ${token}`, `BEARER ${token}`, `Bearer  ${token}`]) {
    t.equal((await ask('/v1/me', { authorization: header })).statusCode, 200, header.slice(0, 8))
  }
  clock.offsetMs = 3_601_000
  const expired = await ask('/v1/products')
  clock.offsetMs = 0
  expectProblem(t, expired, 'token_expired', 401)
  t.equal(expired.headers['www-authenticate'], bad)
})

t.test(
  'what is judged first: bytes, token, path, method, scope, type, query, record, condition',
  async (t) => {
    const narrow = await asCustomer(database, app, 'acme', { scopes: ['lab:read'] })
    const basic = await logIn(app, await addCustomer(database, 'simple', { plan: 'premium' }))
    await sql`update customers set plan = 'basic' where customer_id = 'simple'`.execute(database.operator)
    clock.offsetMs += 1000
    const all = { accept: 'text/html', 'if-match': '"x"' }
    const noToken = { ...all, authorization: '' }
    const asked = (url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
      app.inject({ method, url, headers: { authorization, ...headers } })
    const scoped = { ...all, authorization: `Bearer ${narrow.token}` }
    const planless = { ...all, authorization: `Bearer ${basic.token}` }
    const steps: [string, Awaited<ReturnType<typeof asked>>, string][] = [
      ['bytes before the token', await asked('/v1/nothing?token=x&limit=0', noToken), 'token_in_query'],
      ['length before the token', await asked(`/v1/nothing?x=${'x'.repeat(9000)}`, noToken), 'uri_too_long'],
      [
        'a bad escape before the token',
        await asked('/v1/products/%zz?limit=0', noToken),
        'malformed_request',
      ],
      ['the token before the path', await asked('/v1/nothing?limit=0', noToken), 'credentials_required'],
      [
        'the token before the method',
        await asked('/v1/products?limit=0', noToken, 'POST'),
        'credentials_required',
      ],
      ['the path before the plan', await asked('/v1/nothing', planless), 'not_found'],
      ['the method before the plan', await asked('/v1/products', planless, 'POST'), 'method_not_allowed'],
      ['the method before the scope', await asked('/v1/products', scoped, 'POST'), 'method_not_allowed'],
      ['the plan before the scope', await asked('/v1/products?limit=0', planless), 'plan_required'],
      ['the scope before the type', await asked('/v1/products/nobody?limit=0', scoped), 'insufficient_scope'],
      ['the type before the query', await asked('/v1/products/nobody?limit=0', all), 'not_acceptable'],
      [
        'the query before the record',
        await asked('/v1/products/nobody?limit=0', { 'if-match': '"x"' }),
        'invalid_query',
      ],
      [
        'the record before the condition',
        await asked('/v1/products/nobody', { 'if-match': '"x"' }),
        'not_found',
      ],
      [
        'the condition last',
        await asked(`/v1/products/${someId}`, { 'if-match': '"x"' }),
        'precondition_failed',
      ],
    ]
    clock.offsetMs = 0
    for (const [name, answer, code] of steps) expectProblem(t, answer, code, answer.statusCode, name)
  },
)

t.test('a token in the address is refused, and never written back', async (t) => {
  for (const name of ['access_token', 'token', 'api_key', 'apikey', 'client_secret', 'Access_Token']) {
    for (const headers of [{}, { authorization: '' }]) {
      const answer = await ask(`/v1/products?limit=1&${name}=${token}`, headers)
      expectProblem(t, answer, 'token_in_query', 400, name)
      t.notMatch(answer.body + JSON.stringify(answer.headers), token)
    }
  }
})

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
    t.match(answer.json().detail, /^This takes no parameters in the address/)
    const faults: { parameter?: string; pointer?: string; code: string }[] = answer.json().errors
    t.same(
      faults.map(({ parameter, pointer, code }) => `${parameter ?? pointer} ${code}`),
      ['limit unknown_parameter', 'x unknown_parameter', 'x unknown_parameter', ...body],
    )
  }
})

t.test('a refusal says what to do, in our own words', async (t) => {
  const login = (payload: string | undefined, type?: string) =>
    app.inject({
      method: 'POST',
      url: '/v1/auth/login',
      ...(payload === undefined ? {} : { payload }),
      headers: type === undefined ? {} : { 'content-type': type },
    })
  const json = 'application/json'
  const refusals: [code: string, answer: LightMyRequestResponse, says: RegExp][] = [
    ['credentials_required', await ask('/v1/me', { authorization: '' }), /POST \/v1\/auth\/login/],
    ['invalid_token', await ask('/v1/me', { authorization: 'Bearer x' }), /POST \/v1\/auth\/login/],
    ['unsupported_media_type', await login('x', 'text/plain'), /application\/json/],
    ['invalid_body', await login('{', json), /not JSON/],
    ['invalid_body', await login('', json), /^Send {"api_key": "…"} as JSON/],
    ['invalid_body', await login(undefined), /"api_key"/],
    ['invalid_body', await login('[]', json), /"api_key"/],
  ]
  for (const [code, answer, says] of refusals) {
    expectProblem(t, answer, code, answer.statusCode)
    t.match(answer.json().detail, says, code)
    t.notMatch(answer.body, /Invalid input|received/, 'none of a library')
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
