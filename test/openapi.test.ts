import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import { z } from 'zod'
import { catalogue } from '../app/errors.ts'
import { formatPairs, parsePairs } from '../app/http/pairs.ts'
import { onlyNamedScopes } from '../app/identity/scopes.ts'
import { importRecords } from '../app/import/index.ts'
import { envelopes } from '../app/openapi/records.ts'
import { formatParts } from '../app/records/query/canonical.ts'
import type { QueryShape } from '../app/records/query/controls.ts'
import { parseQuery } from '../app/records/query/parse.ts'
import type { Resource } from '../app/records/resources/define.ts'
import { resourceNames, resources } from '../app/records/resources/index.ts'
import { problem } from '../schemas/problem.ts'
import {
  addCustomer,
  asCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  logIn,
  publicUrl,
} from './helper.ts'
import {
  createDocumentChecks,
  type DocumentNode as Node,
  type DocumentParameter as Parameter,
  type DocumentResponse as Response,
  toQuery,
} from './openapi-document.ts'
import { cases, fc } from './random.ts'

type Operation = {
  operationId: string
  tags: string[]
  parameters: Parameter[]
  security: object[]
  requestBody?: { content: Record<string, { example: object }> }
  responses: Record<string, Response>
}

const root = join(import.meta.dirname, '..')
const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)

const served = await app.inject('/openapi.json')
const document = served.json()

const { resolve, validate, listFaults, listParameters, listNames } = createDocumentChecks(served)

const operations: { path: string; method: string; operation: Operation }[] = Object.entries(
  document.paths as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
/** The operations with a body of JSON. `isOpen`: without a token or a key. */
const jsonPosts = operations.flatMap(({ path, operation: { requestBody, security } }) => {
  const content = requestBody?.content['application/json']
  return content ? [{ path, example: content.example, isOpen: security.length === 0 }] : []
})
const shapes = resourceNames.flatMap((name) => [
  { resource: resources[name], shape: 'page' as const, path: `/v1/${name}` },
  { resource: resources[name], shape: 'item' as const, path: `/v1/${name}/{id}` },
])

const walk = (node: unknown, visit: (node: Node, path: string) => void, path = '#'): void => {
  if (typeof node !== 'object' || node === null) return
  visit(node as Node, path)
  for (const [key, child] of Object.entries(node)) walk(child, visit, `${path}/${key}`)
}

const problems = (found: { faults: unknown[] } | { query: unknown }) =>
  'faults' in found ? found.faults : []

t.test('the document is public and has an ETag', async (t) => {
  t.equal(served.statusCode, 200)
  t.equal(served.headers['content-type'], 'application/json')
  t.equal(served.headers['cache-control'], 'public, no-cache')
  const etag = served.headers.etag as string
  const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': etag } })
  t.same([again.statusCode, again.body, again.headers.etag], [304, '', etag])
  const encoded = await app.inject({ url: '/openapi.json', headers: { 'accept-encoding': 'gzip' } })
  t.same([encoded.headers['content-encoding'], encoded.headers.etag], ['gzip', etag])
  t.match(encoded.headers.vary, /Accept-Encoding/)
  const posted = await app.inject({ method: 'POST', url: '/openapi.json' })
  t.same([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD, OPTIONS'])
})

t.test('a rank belongs to one tag, except the rank that the resources share', async (t) => {
  const byRank = Map.groupBy(app.describedRoutes, ({ description }) => description.rank)
  const shared = [...byRank].flatMap(([rank, routes]) => {
    const tags = [...new Set(routes.map(({ description }) => description.tag.name))]
    return tags.length > 1 ? [{ rank, tags }] : []
  })
  t.ok(byRank.size >= 3)
  t.same(
    shared.map(({ tags }) => tags.length),
    [resourceNames.length],
  )
})

t.test('two services return the same document', async (t) => {
  const second = await createTestApp(database)
  t.teardown(() => second.close())
  t.equal((await second.inject('/openapi.json')).body, served.body)
})

t.test('every path below /v1 is described with exactly its methods', async (t) => {
  const parents: string[] = []
  const paths = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', segment = ''] = /^([│ ]*)[├└]── (\S+) \(/.exec(line) ?? []
      parents.splice(indent.length / 4, Number.POSITIVE_INFINITY, segment)
      const path = parents.join('')
      // Only customers with a grant see custom endpoints in the document.
      return /^\/v1\/(?!custom\/)[^*]+$/.test(path) ? [path.replace(/:(\w+)/g, '{$1}')] : []
    })
  const taken = await Promise.all(
    paths.map(async (path) => {
      const { headers } = await app.inject({ method: 'OPTIONS', url: path.replace('{id}', 'x') })
      const methods = String(headers.allow).split(', ')
      return methods.filter((each) => each !== 'HEAD' && each !== 'OPTIONS').map((each) => `${each} ${path}`)
    }),
  )
  const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)
  t.ok(paths.length > 12)
  t.same(described.filter((each) => each.includes(' /v1/')).sort(), taken.flat().sort())
  const others = described.filter((each) => !each.includes(' /v1/'))
  t.ok(others.includes('GET /.well-known/jwks.json'))
  t.same(
    others.filter((each) => !each.startsWith('GET /.well-known/')),
    [],
  )
})

/** Returns the names that the parser accepts. Its messages about wrong names list them. */
const askParser = (resource: Resource, shape: QueryShape): string[] => {
  const getDetail = (name: string) => {
    const outcome = parseQuery(resource, shape, parsePairs(formatPairs([[name, 'x']])))
    return 'faults' in outcome ? (outcome.faults[0]?.detail ?? '') : ''
  }
  const listIn = (detail: string, mark: string) => detail.split(mark)[1]?.split(', ') ?? []
  return listIn(getDetail('§'), 'expected one of: ').flatMap((name) => [
    name,
    ...listIn(getDetail(`${name}[§]`), `${name} allows: `).map((operator) => `${name}[${operator}]`),
  ])
}

t.test('the documented parameters equal those of the parser', async (t) => {
  for (const { resource, shape, path } of shapes) {
    const documented = listParameters(path).flatMap(listNames)
    t.same(documented.sort(), askParser(resource, shape).sort(), path)
  }
  t.ok(listParameters('/v1/certificates').flatMap(listNames).length > 100)
})

t.test('the short form in the description of a filter equals its example', async (t) => {
  for (const { resource, shape, path } of shapes) {
    for (const parameter of listParameters(path).filter(({ style }) => style === 'deepObject')) {
      const [, name = '', value = ''] = /for example `([^=`]+)=([^`]*)`/.exec(parameter.description) ?? []
      const canonical = (query: string) => {
        const outcome = parseQuery(resource, shape, parsePairs(query))
        return 'query' in outcome ? formatParts(outcome.query).canonical : outcome.faults
      }
      t.same(canonical(formatPairs([[name, value]])), canonical(toQuery([parameter])), `${path} ${name}`)
    }
  }
})

t.test('an operation has few parameters, because some generators write each as an argument', (t) => {
  for (const { path, operation } of operations) {
    // The feed has the filters of all resources.
    const most = operation.operationId === 'followChanges' ? 10 * resourceNames.length : 45
    t.ok((operation.parameters ?? []).length <= most, path)
  }
  t.end()
})

/** Only CSV accepts `bom`. */
const shapeWith = (name: string, shape: QueryShape): QueryShape => (name === 'bom' ? 'csv' : shape)

t.test('the parser accepts the examples of parameters, alone and together', async (t) => {
  for (const { resource, shape, path } of shapes) {
    const parameters = listParameters(path)
    const refused = parameters.filter(
      (each) =>
        problems(parseQuery(resource, shapeWith(each.name, shape), parsePairs(toQuery([each])))).length,
    )
    t.same(refused, [], path)
    const ofPages = parameters.filter(({ name }) => shapeWith(name, shape) === shape)
    fc.assert(
      fc.property(fc.shuffledSubarray(ofPages, { maxLength: Math.min(30, ofPages.length) }), (some) => {
        t.same(problems(parseQuery(resource, shape, parsePairs(toQuery(some)))), [])
      }),
      { numRuns: cases(20) },
    )
  }
})

t.test('documented bounds and values equal those of the parser', async (t) => {
  const wrong = shapes.flatMap(({ resource, shape, path }) => {
    const takes = (name: string, value: unknown) =>
      problems(parseQuery(resource, shapeWith(name, shape), parsePairs(formatPairs([[name, String(value)]]))))
        .length === 0
    return listParameters(path).flatMap(({ name, schema }) => {
      const { minimum, maximum, enum: values = [], default: standard } = schema
      const good = [minimum, maximum, standard, ...(values as string[])].filter((each) => each !== undefined)
      const bad = maximum === undefined ? [] : [Number(minimum) - 1, Number(maximum) + 1, '1.5']
      const failed = [
        ...good.filter((each) => !takes(name, each)),
        ...bad.filter((each) => takes(name, each)),
      ]
      return failed.map((value) => `${path} ${name}=${value}`)
    })
  })
  t.same(wrong, [])
})

t.test('a documented default is accepted on every list and in every representation', async (t) => {
  const { get } = await asCustomer(database, app, 'defaults', { scopes: ['*', ...onlyNamedScopes] })
  let tried = 0
  for (const { path, operation } of operations.filter(({ method }) => method === 'get')) {
    if (!path.startsWith('/v1/')) continue
    const defaults = listParameters(path).filter(({ schema }) => schema.default !== undefined)
    const query = defaults.map(({ name, schema }) => `${name}=${schema.default}`).join('&')
    const url = `${path.replace('{id}', '1')}?${query}`
    for (const accept of Object.keys(resolve(operation.responses[200] as Response).content ?? {})) {
      if (accept === 'text/event-stream') continue
      t.not((await get(url, { accept })).statusCode, 400, `${accept} ${url}`)
      tried += defaults.length
    }
  }
  t.ok(tried > 50, `${tried} defaults`)
  t.equal((await get('/v1/products?bom=true')).statusCode, 400)
})

t.test('header parameters have the bounds of the service', async (t) => {
  const headers = operations
    .flatMap(({ operation }) => operation.parameters ?? [])
    .map((each) => resolve(each))
    .filter((each) => each.in === 'header')
  t.ok(headers.length > 10)
  for (const { name, schema } of headers) t.same(schema, { type: 'string', maxLength: 16_384 }, name)
  const { get } = await asCustomer(database, app, 'headers')
  const long = Array.from({ length: 500 }, (_, n) => `"${'x'.repeat(20)}${n}"`).join(', ')
  for (const name of ['if-none-match', 'cache-control']) {
    t.equal((await get('/v1/products', { [name]: long })).statusCode, 200, name)
    t.equal((await get('/v1/products', { [name]: '' })).statusCode, 200, `${name}, empty`)
  }
})

t.test('integers have an inclusive minimum, because ogen refuses others', (t) => {
  t.notMatch(served.body, /exclusiveM(?:in|ax)imum/)
  t.equal(document.components.schemas.Limit.properties.quota.minimum, 1)
  t.end()
})

const importing = async (lines: readonly object[]) => {
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  return await importRecords(database.operator, ReadableStream.from([Buffer.from(text)]))
}

const getExample = (name: string) =>
  document.paths[`/v1/${name}`].get.responses[200].content['application/json'].example.data[0]

/** The document's own examples with ids that match each other, and records with only the required fields. */
const named = ['countries', 'products', 'projects', 'certificates', 'lab', 'approvals']
const lines = [
  { ...getExample('countries'), resource: 'countries' },
  { ...getExample('countries'), resource: 'countries', id: 'JP', code: 'JP', alpha3: 'JPN' },
  ...[
    { ...getExample('products'), resource: 'products', id: getExample('certificates').product_id },
    { ...getExample('projects'), resource: 'projects', id: getExample('certificates').project_id },
    { ...getExample('certificates'), resource: 'certificates', id: getExample('lab').certificate_id },
    { ...getExample('lab'), resource: 'lab' },
    { ...getExample('approvals'), resource: 'approvals' },
    { resource: 'products', id: 'bare', name: 'bare' },
    { resource: 'projects', id: 'bare', project_number: 'bare' },
    { resource: 'certificates', id: 'bare', number: 'bare', approval_status: 'pending' },
    { resource: 'lab', id: 'bare', report_number: 'bare', status: 'planned' },
    { resource: 'approvals', id: 'bare', product_id: 'none', country_code: 'ZZ', scheme: 'bare' },
    ...resourceNames
      .filter((name) => !named.includes(name))
      .map((resource) => ({ ...getExample(resource), resource })),
  ].map((line) => ({ ...line, customer: 'acme' })),
]

t.test('answers match the document', async (t) => {
  const { get } = await asCustomer(database, app, 'acme')
  const { badLines } = await importing(lines)
  t.same(badLines, [])
  const stranger = await asCustomer(database, app, 'globex')

  for (const { resource, shape, path } of shapes) {
    const includes = Object.keys(resource.includes)
    const id = lines.find((line) => line.resource === resource.name).id as string
    const url = path.replace('{id}', id)
    const queries = ['', '?fields=id', `?fields=${[...resource.fields.keys()].join(',')}`]
    if (includes.length > 0) queries.push(`?include=${includes}`, `?include=${includes}&fields=id`)
    if (shape === 'page') queries.push('?count=exact', '?limit=1', '?id=ZZ')
    if (resource.computedForDay) queries.push('?on=today%2B30d&expiring_within=365')
    const answers = await Promise.all(queries.map((query) => get(`${url}${query}`)))
    const empty = shape === 'page' && !resource.reference ? [await stranger.get(url)] : []
    t.same(new Set(answers.map((each) => each.statusCode)), new Set([200]), path)
    const { etag } = answers[0]?.headers ?? {}
    const unmodified = await get(url, { 'if-none-match': String(etag) })
    t.equal(unmodified.statusCode, 304)
    t.same(
      [...answers, ...empty, unmodified].flatMap((each) => listFaults(path, 'get', each)),
      [],
      path,
    )

    // The document allows missing and additional fields. The service's own schemas do not.
    const schema = envelopes[resource.name][shape]
    const whole = answers.filter((_, index) => !queries[index]?.includes('fields'))
    t.same(
      whole.flatMap((each) => schema.safeParse(each.json()).error?.issues ?? []),
      [],
      path,
    )
    const included = includes.map((name) => resource.includes[name]?.resource)
    const withIncluded = answers[queries.indexOf(`?include=${includes}`)]?.json().included ?? {}
    t.same(Object.keys(withIncluded).sort(), included.sort(), path)
  }
  const key = await addCustomer(database, 'acme')
  const login = await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key: key } })
  t.same(listFaults('/v1/me', 'get', await get('/v1/me')), [])
  t.same(listFaults('/v1/auth/login', 'post', login), [])
  const wellKnown = operations.filter(({ path }) => path.startsWith('/.well-known/'))
  t.ok(wellKnown.length > 0)
  for (const { path } of wellKnown) t.same(listFaults(path, 'get', await app.inject(path)), [])
  for (const { path: url, example } of jsonPosts.filter(({ isOpen }) => isOpen)) {
    const sent = await app.inject({ method: 'POST', url, payload: example })
    t.ok(sent.statusCode < 300, `the example of ${url} is a valid body`)
    t.same(listFaults(url, 'post', sent), [])
  }
})

/** Returns a good token, and tokens that are refused for different reasons. */
const badTokens = async () => {
  const late = await createTestApp(database, { clock: { offsetMs: 7_200_000 } })
  t.teardown(() => late.close())
  const scopes = ['*', ...onlyNamedScopes]
  const good = await asCustomer(database, app, 'acme', { scopes })
  await addCustomer(database, 'demo')
  const [revoked, lapsed, unscoped, elsewhere] = await Promise.all([
    asCustomer(database, app, 'revoked'),
    asCustomer(database, app, 'lapsed'),
    asCustomer(database, app, 'unscoped', { scopes: [] }),
    asCustomer(database, app, 'elsewhere'),
  ])
  const now = new Date().toISOString()
  const { operator } = database
  await operator
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('customer_id', '=', 'revoked')
    .execute()
  await operator.updateTable('customers').set({ plan: 'basic' }).where('customer_id', '=', 'lapsed').execute()
  await sql`update api_keys set networks = '{203.0.113.0/24}' where customer_id = 'elsewhere'`.execute(
    operator,
  )
  const refused = [revoked, lapsed, unscoped, elsewhere].map(({ token }) => token)
  return { late, token: good.token, refused }
}

/** Errors of the central table that only tests of a feature can provoke. */
const ofFeatures = ['invalid_sync_token', 'rotation_refused', 'sync_token_expired']

t.test('every error is documented for its operation', async (t) => {
  const { late, token, refused } = await badTokens()
  const bearer = (each: string) => ({ headers: { authorization: `Bearer ${each}` } })
  const good = bearer(token)
  const undocumented: unknown[] = []
  const provoked = new Set<string>()

  const provoke = async (path: string, method: 'get' | 'post', request: InjectOptions, server = app) => {
    const answer = await server.inject({ url: path, method, ...request })
    if (answer.statusCode < 400) return
    const body = answer.json()
    provoked.add(body.code)
    const { content } = resolve(document.paths[path][method].responses[answer.statusCode] as Response) ?? {}
    const { examples = {} } = content?.['application/problem+json'] ?? {}
    if (!(body.code in examples)) undocumented.push(`${path}: ${body.code}`)
    undocumented.push(...listFaults(path, method, answer), ...(problem.safeParse(body).error?.issues ?? []))
  }

  for (const { path } of operations.filter(({ method }) => method === 'get')) {
    const url = path.replace('{id}', 'nobody')
    await provoke(path, 'get', { url })
    for (const each of ['x', 'cda_demo_public', ...refused]) {
      await provoke(path, 'get', { url, ...bearer(each) })
    }
    await provoke(path, 'get', { url, ...good }, late)
    await provoke(path, 'get', { url, ...good })
    await provoke(path, 'get', { url, ...good, method: 'DELETE' })
    await provoke(path, 'get', { url, ...good, remoteAddress: '192.0.2.1' })
    for (const query of ['?nonsense=1', '?cursor=x', '?after=x', '?token=x', `?id=${'x'.repeat(8192)}`]) {
      await provoke(path, 'get', { url: `${url}${query}`, ...good })
    }
    await provoke(path, 'get', { url, headers: { ...good.headers, accept: 'image/png' } })
    await provoke(path, 'get', { url, headers: { ...good.headers, 'if-match': '"x"' } })
  }
  const bounded = await createTestApp(database, { env: { LIMIT_PREMIUM_MINUTE: '1' } })
  t.teardown(() => bounded.close())
  for (const { path } of operations.filter(
    ({ method, path }) => method === 'get' && path.startsWith('/v1/'),
  )) {
    for (let i = 0; i < 2; i++)
      await provoke(path, 'get', { url: path.replace('{id}', 'x'), ...good }, bounded)
  }
  const login = '/v1/auth/login'
  const basicKey = await addCustomer(database, 'no-plan', { plan: 'basic' })
  for (const payload of [{}, { api_key: 'x' }, { api_key: basicKey }, { api_key: 'x'.repeat(70_000) }]) {
    await provoke(login, 'post', { payload })
  }
  for (const { path } of jsonPosts) {
    for (const payload of [{}, { long: 'x'.repeat(70_000) }]) await provoke(path, 'post', { payload })
    await provoke(path, 'post', { payload: 'x', headers: { 'content-type': 'text/html' } })
    await provoke(path, 'post', { method: 'GET' })
  }
  t.same(undocumented, [])

  const documented = new Set<string>()
  for (const { operation } of operations) {
    for (const response of Object.values(operation.responses).map(resolve)) {
      for (const code of Object.keys(response.content?.['application/problem+json']?.examples ?? {})) {
        documented.add(code)
      }
    }
  }
  const hasAllExampleData = app.describedRoutes.every(({ needsLiveToken }) => !needsLiveToken)
  t.same(
    Object.keys(catalogue)
      .filter((code) => !documented.has(code) && !ofFeatures.includes(code))
      .sort(),
    ['cross_origin', ...(hasAllExampleData ? ['live_token_required'] : [])],
  )
  t.same(
    [...documented].filter((code) => !provoked.has(code) && !ofFeatures.includes(code)).sort(),
    [
      'before_history',
      'headers_too_large',
      'http_version_not_supported',
      'internal_error',
      'malformed_request',
      'not_implemented',
      'overloaded',
      'request_timeout',
      'unavailable',
    ],
    'errors that need a history, a broken connection or a broken service',
  )
})

t.test('endpoints with example data do not document that the demo token is refused', (t) => {
  const isNamed = (path: string) =>
    JSON.stringify(resolve(document.paths[path].get.responses[403])).includes('live_token_required')
  t.same(['/v1/products', '/v1/me'].map(isNamed), [false, false])
  t.end()
})

t.test('the examples of errors match the schema of problems', async (t) => {
  const examples = Object.values(document.components.examples as Record<string, { value: unknown }>)
  t.same(
    examples.flatMap(({ value }) => validate({ $ref: '#/components/schemas/Problem' } as Node, value)),
    [],
  )
})

t.test('enumerations in answers are open and their objects may grow', async (t) => {
  const closed: string[] = []
  let open = 0
  const answers = Object.entries(document.components.schemas).filter(
    ([name]) => !/(Filter|Request)$/.test(name),
  )
  walk(answers, (node, path) => {
    if (Array.isArray(node.enum) || node.additionalProperties === (false as unknown)) closed.push(path)
    if (Array.isArray(node['x-extensible-enum'])) open++
  })
  t.same(closed, [])
  t.ok(open >= 15)
})

t.test('every component has one name and at least one use', async (t) => {
  const used = new Set<string>()
  walk(document, ({ $ref }) => $ref && used.add($ref))
  const { securitySchemes: _, ...kinds } = document.components as Record<string, object>
  const defined = Object.entries(kinds).flatMap(([kind, all]) =>
    Object.keys(all).map((name) => `#/components/${kind}/${name}`),
  )
  t.same(
    defined.filter((each) => !used.has(each)),
    [],
  )
  t.same(
    [...used].filter((each) => !defined.includes(each)),
    [],
  )
  t.same(
    defined.filter((each) => each.endsWith('Input')),
    [],
  )
})

t.test('no two schemas share a name', async (t) => {
  const named = new Map<unknown, Set<z.ZodType>>()
  const visit = (schema: unknown): void => {
    if (!(schema instanceof z.ZodType)) return
    const id = schema.meta()?.id
    if (id !== undefined) named.set(id, (named.get(id) ?? new Set()).add(schema))
    if (schema instanceof z.ZodObject) Object.values(schema.shape).forEach(visit)
    if (schema instanceof z.ZodArray) visit(schema.element)
    if (schema instanceof z.ZodRecord) visit(schema.valueType)
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) visit(schema.unwrap())
  }
  for (const file of globSync('schemas/*.ts', { cwd: root })) {
    Object.values(await import(join(root, file))).forEach(visit)
  }
  for (const { resource } of shapes) {
    visit(envelopes[resource.name].page)
    visit(envelopes[resource.name].item)
  }
  t.ok(named.size > 20)
  t.same(
    [...named].filter(([, schemas]) => schemas.size > 1).map(([id]) => id),
    [],
  )
})

t.test('operations have unique ids, and the server is the public URL', async (t) => {
  const ids = operations.map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, ids.length)
  t.same(document.servers, [{ url: publicUrl, 'x-internal': false }])
  t.match(ids, ['login', 'listSigningKeys', 'listCertificates', 'getCertificate'])
})

t.test('an operation documents the authentication that its answers require', async (t) => {
  const { get } = await logIn(app, await addCustomer(database, 'acme'))
  for (const { path } of operations.filter(({ method }) => method === 'get')) {
    const url = path.replace('{id}', 'nobody')
    const isOpen = (await app.inject(url)).statusCode !== 401
    t.equal(document.paths[path].get.security.length, isOpen ? 0 : 1, path)
    t.not((await get(url)).statusCode, 401, path)
  }
})
