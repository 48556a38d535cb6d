import { sql } from 'kysely'
import t from 'tap'
import { isNotModified } from '../../app/http/fields.ts'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { addCustomer, asCustomer, createTestApp, createTestDatabase, publicUrl } from '../helper.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
t.teardown(async () => {
  await app.close()
  await database.close()
})
const { get: acme } = await asCustomer(database, app, 'acme')
await sql`insert into products (customer_id, id, name)
  select 'acme', n::text, 'product ' || n from generate_series(1, 3) n`.execute(database.operator)

t.test('the suggested address returns an answer', async (t) => {
  const { next_cursor: cursor } = (await acme('/v1/products?limit=1')).json().page
  const { next_token: token } = (await acme('/v1/changes')).json().page
  const suggested = async (path: string) => {
    const answer = await acme(path)
    t.equal(answer.statusCode, 400, path)
    return answer.json().try as string | undefined
  }
  const bad = [
    '/v1/products?curser=abc',
    '/v1/products?curser=abc&limt=2',
    `/v1/products?sort=-name&curser=${cursor}`,
    '/v1/certificates?fromat=csv&include=product',
    '/v1/changes?aftr=abc',
    `/v1/changes?aftr=${token}&resources=lab`,
    '/v1/products?name[=x',
    '/v1/changes?resources=products&name[=x',
  ]
  for (const path of bad) t.equal(await suggested(path), undefined, path)
  for (const path of [`/v1/products?curser=${cursor}`, `/v1/changes?aftr=${token}`, '/v1/products?limt=2']) {
    const found = await suggested(path)
    t.equal((await acme((found ?? '').slice(publicUrl.length))).statusCode, 200, path)
  }
})

t.test('a documented default is accepted on every list and in every representation', async (t) => {
  type Parameter = { name: string; in: string; schema?: { default?: unknown } }
  type Operation = { parameters?: Parameter[]; responses: Record<string, { content?: object }> }
  type Tree = { [name: string]: Tree }
  const document: Tree = (await app.inject('/openapi.json')).json()
  const resolve = (node: object): object =>
    '$ref' in node
      ? String(node.$ref)
          .slice(2)
          .split('/')
          .reduce((found, key) => found[key] as Tree, document)
      : node
  let tried = 0
  for (const [path, methods] of Object.entries(
    document.paths as unknown as Record<string, { get?: Operation }>,
  )) {
    if (!path.startsWith('/v1/') || !methods.get) continue
    const answer = resolve(methods.get.responses['200'] ?? {}) as { content?: object }
    const parameters = (methods.get.parameters ?? []).map(resolve) as Parameter[]
    const defaults = parameters.filter((each) => each.in === 'query' && each.schema?.default !== undefined)
    const url = path.replace(/\{\w+\}/g, '1')
    for (const accept of Object.keys(answer.content ?? {})) {
      if (accept === 'text/event-stream') continue
      for (const extra of path === '/v1/changes' ? ['', '&after=snapshot'] : ['']) {
        const query = defaults.map(({ name, schema }) => `${name}=${schema?.default}`).join('&')
        const got = await acme(`${url}?${query}${extra}`, { accept })
        t.not(got.statusCode, 400, `${accept} ${url}?${query}${extra} ${got.statusCode}`)
        tried += defaults.length
      }
    }
  }
  t.ok(tried > 50, `${tried} defaults`)
  t.equal((await acme('/v1/products?bom=true')).statusCode, 400)
  t.equal((await acme('/v1/changes?after=snapshot&wait=1')).statusCode, 400)
})

const suffixes = ['-gzip"', ';gzip"', '--gzip"', '-br"', '-zstd"', '-df"', '"-gzip']

t.test('a tag that ends with a hyphen matches with the suffix of a proxy', async (t) => {
  for (const inner of ['W/"abc-', 'W/"abc--', '"abc-', 'W/"-'])
    for (const suffix of suffixes) t.ok(isNotModified(inner + suffix, `${inner}"`), inner + suffix)
  t.notOk(isNotModified('W/"abc--gzip"', 'W/"ab-"'))
  t.notOk(isNotModified('W/"abc-gzip-gzip"', 'W/"abc"'))
})

t.test('a tag to which a proxy added its coding still matches', async (t) => {
  const { etag = '' } = (await acme('/v1/products')).headers
  const inner = String(etag).slice(0, -1)
  for (const suffix of suffixes) {
    const { statusCode } = await acme('/v1/products', { 'if-none-match': inner + suffix })
    t.equal(statusCode, 304, suffix)
  }
  t.equal((await acme('/v1/products', { 'if-none-match': `${inner}x-gzip"` })).statusCode, 200)
})

t.test('a body with a content coding is refused with the coding that is accepted', async (t) => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  for (const url of ['/v1/auth/login', '/v1/access-requests']) {
    const answer = await app.inject({ method: 'POST', url, headers, payload: Buffer.from('1f8b', 'hex') })
    t.match([answer.statusCode, answer.headers['accept-encoding']], [415, 'identity'], url)
  }
})

t.test('whitespace around a key is no fault, and a narrowed token is not blamed on its key', async (t) => {
  const apiKey = await addCustomer(database, 'narrow')
  const keyId = parseApiKey(apiKey)?.keyId ?? ''
  const post = (url: string, payload: string | object, headers = {}) =>
    app.inject({ method: 'POST', url, payload, headers })
  t.equal((await post('/v1/auth/login', { api_key: ` ${apiKey}\n` })).statusCode, 200, 'JSON')
  const basic = Buffer.from(`${keyId}:${apiKey}\n`).toString('base64')
  const authorization = `Basic ${basic}`
  t.equal((await post('/v1/auth/login', '', { authorization })).statusCode, 200, 'Basic')
  const form = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: keyId },
    ...{ client_secret: `${apiKey}\n`, scope: 'lab:read' },
  })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const token = await post('/v1/oauth/token', form.toString(), type)
  t.equal(token.statusCode, 200, 'form')
  const headers = { authorization: `Bearer ${token.json().access_token}` }
  t.match((await app.inject({ url: '/v1/products', headers })).json(), {
    status: 403,
    detail: /issued without the scope products:read, which its API key has/,
  })
  const custom = (await app.inject({ url: '/v1/custom/nothing', headers })).json()
  t.notMatch(custom.detail, /its API key has/)
})
