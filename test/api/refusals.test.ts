import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, asCustomer, logIn } from '../helper.ts'
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

t.test('what reads a body refuses parameters in its address', async (t) => {
  for (const path of ['/v1/auth/login', '/v1/access-requests']) {
    const answer = await app.inject({ method: 'POST', url: `${path}?limit=1&x`, payload: {} })
    expectProblem(t, answer, 'invalid_query', 400, path)
    const faults: { parameter: string; code: string }[] = answer.json().errors
    t.same(
      faults.map(({ parameter, code }) => `${parameter} ${code}`),
      ['limit unknown_parameter', 'x unknown_parameter'],
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
