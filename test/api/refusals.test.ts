import type { RouteOptions } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import { z } from 'zod'
import { features } from '../../app/features.ts'
import { isNotModified } from '../../app/http/fields.ts'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { resourceNames } from '../../app/records/resources/index.ts'
import { listPages } from '../../app/site/options.ts'
import { addCustomer, asCustomer, createTestApp, logIn, publicUrl } from '../helper.ts'
import { collectRoutes, expectProblem, openHttpStage } from './http-stage.ts'

const { database, app, clock, authorization, get } = await openHttpStage(t)

t.test('checks are in the order path, method, plan, scope, type', async (t) => {
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
})

t.test('every route declares the schemas of its body and its answer', async (t) => {
  const { app: other, routes } = await collectRoutes(() => createTestApp(database))
  await other.close()
  const find = (lacks: (schema: RouteOptions['schema']) => boolean, among: readonly RouteOptions[]) =>
    among.filter(({ schema }) => lacks(schema)).map(({ url }) => url)
  // Only pages of features send to addresses below them.
  const isOfPage = (url: string) =>
    listPages(features).some(({ path }) => url === path || url.startsWith(`${path}/`))
  const posts = routes.filter(({ method, url }) => method === 'POST' && !isOfPage(url))
  const reads = routes.filter(({ method, config }) => method === 'GET' && config?.scope !== undefined)
  // Lists and items, each below three prefixes.
  t.ok(posts.length > 0 && reads.length >= 6 * resourceNames.length)
  t.same(
    find((schema) => !(schema?.body instanceof z.ZodType), posts),
    [],
  )
  t.same(
    find((schema) => typeof schema?.querystring !== 'function', posts),
    [],
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
  ]
  for (const [url, payload] of bodies) {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const answer = await app.inject({ method: 'POST', url, headers, payload })
    expectProblem(t, answer, 'invalid_body', 400, payload)
    t.match(answer.json().detail, /two members are named/, payload)
  }
  const headers = { 'content-type': 'application/json' }
  const payload = '{"api_key": "\\"api_key\\": 1"}'
  const once = await app.inject({ method: 'POST', url: '/v1/auth/login', headers, payload })
  t.equal(once.statusCode, 401, 'a value may look like a member')
})

t.test('the suggested address returns an answer', async (t) => {
  const { next_cursor: cursor } = (await get('/v1/products?limit=1')).json().page
  const suggested = async (path: string) => {
    const answer = await get(path)
    t.equal(answer.statusCode, 400, path)
    return answer.json().try as string | undefined
  }
  const bad = [
    '/v1/products?curser=abc',
    '/v1/products?curser=abc&limt=2',
    `/v1/products?sort=-name&curser=${cursor}`,
    '/v1/certificates?fromat=csv&include=product',
    '/v1/products?name[=x',
  ]
  for (const path of bad) t.equal(await suggested(path), undefined, path)
  for (const path of [`/v1/products?curser=${cursor}`, '/v1/products?limt=2']) {
    const found = await suggested(path)
    t.equal((await get((found ?? '').slice(publicUrl.length))).statusCode, 200, path)
  }
})

const suffixes = ['-gzip"', ';gzip"', '--gzip"', '-br"', '-zstd"', '-df"', '"-gzip']

t.test('a tag that ends with a hyphen matches after a proxy added a suffix', async (t) => {
  for (const inner of ['W/"abc-', 'W/"abc--', '"abc-', 'W/"-'])
    for (const suffix of suffixes) t.ok(isNotModified(inner + suffix, `${inner}"`), inner + suffix)
  t.notOk(isNotModified('W/"abc--gzip"', 'W/"ab-"'))
  t.notOk(isNotModified('W/"abc-gzip-gzip"', 'W/"abc"'))
})

t.test('a tag to which a proxy added its coding still matches', async (t) => {
  const { etag = '' } = (await get('/v1/products')).headers
  const inner = String(etag).slice(0, -1)
  for (const suffix of suffixes) {
    const { statusCode } = await get('/v1/products', { 'if-none-match': inner + suffix })
    t.equal(statusCode, 304, suffix)
  }
  t.equal((await get('/v1/products', { 'if-none-match': `${inner}x-gzip"` })).statusCode, 200)
})

t.test('a body with a content coding is refused with the coding that is accepted', async (t) => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const payload = Buffer.from('1f8b', 'hex')
  const answer = await app.inject({ method: 'POST', url: '/v1/auth/login', headers, payload })
  t.match([answer.statusCode, answer.headers['accept-encoding']], [415, 'identity'])
})

t.test('ignores whitespace around a key', async (t) => {
  const apiKey = await addCustomer(database, 'narrow')
  const keyId = parseApiKey(apiKey)?.keyId ?? ''
  const post = (url: string, payload: string | object, headers = {}) =>
    app.inject({ method: 'POST', url, payload, headers })
  t.equal((await post('/v1/auth/login', { api_key: ` ${apiKey}\n` })).statusCode, 200, 'JSON')
  const basic = Buffer.from(`${keyId}:${apiKey}\n`).toString('base64')
  const authorization = `Basic ${basic}`
  t.equal((await post('/v1/auth/login', '', { authorization })).statusCode, 200, 'Basic')
})
