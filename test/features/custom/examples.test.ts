import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { loadData } from '../../../app/features/custom/shipped.ts'
import { demoCustomerId } from '../../../app/identity/principal.ts'
import { importRecords } from '../../../app/import/index.ts'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase } from '../../helper.ts'
import { createStage, day, walk } from './stage.ts'

/** Runs the documents of examples/custom and of the guide on real certificates. */

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const customers = ['cisco-systems-inc', 'samsung-electronics-co-ltd'] as const
const database = await createTestDatabase()
const { operator } = database
const app = await createTestApp(database, { origin: 'https://api.example' })
closeAfter(t, app, database)
const { give, run } = createStage(database)

const real = gunzipSync(readFileSync(join(root, 'test/data/certifications-2026-04-25.ndjson.gz')))
  .toString()
  .split('\n')
  .filter((line) => customers.some((customer) => line.includes(`"${customer}"`)))
await loadReferenceData(operator)
await importRecords(operator, ReadableStream.from([Buffer.from(real.join('\n'))]))
await loadExampleData(operator, day(0))
await loadData(operator)
// The real data have no approvals: add one for each certificate.
await run(`insert into approvals (customer_id, id, product_id, country_code, scheme, certificate_id, status, phase)
  select customer_id, 'a-' || id, coalesce(product_id, 'none'), case when scheme like 'FIPS%' then 'US' else 'DE' end,
    coalesce(scheme, 'none'), id, case when id < '8' then 'granted' else 'preparing' end,
    case when id < '8' then 'initial' else 'renewal' end
  from certificates where customer_id <> '${demoCustomerId}'`)

const documents = globSync('examples/custom/*.yaml', { cwd: root }).sort()
for (const file of documents) for (const customer of customers) await give(customer, read(file))
await run(`update customers set plan = 'premium'`)
const shownDocuments = [...read('docs/custom-documents.md').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
  ([, text]) => text as string,
)
for (const text of shownDocuments) await give(customers[1], text)
const { get, token } = await asCustomer(database, app, customers[0])
const { get: samsung } = await asCustomer(database, app, customers[1])

type Rec = Record<string, string | number | null>
const readList = async (ask: typeof get, path: string) => (await walk<Rec>(ask, path)).rows

t.test('the market matrix has German names', async (t) => {
  for (const ask of [get, samsung]) {
    const [rows, approvals, certificates, products] = await Promise.all(
      ['custom/marktmatrix', 'approvals?sort=-updated_at', 'certificates', 'products'].map((path) =>
        readList(ask, `/v1/${path}`),
      ),
    )
    const byId = (list: Rec[] | undefined) => new Map(list?.map((row) => [row.id, row]))
    const [c, p] = [byId(certificates), byId(products)]
    t.ok((rows?.length ?? 0) > 70)
    const soon = day(90)
    t.strictSame(
      rows,
      approvals?.map((row) => {
        const { number = null, valid_until: until = null, validity } = c.get(row.certificate_id) ?? {}
        const { name, model } = p.get(row.product_id) ?? {}
        const isValid = validity === 'valid'
        return {
          artikelnummer: row.product_id,
          artikel: [name, model].filter((each) => each).join(' / '),
          land: row.country_code,
          landesname: row.country_code === 'US' ? 'United States' : 'Germany',
          zulassung: row.scheme,
          stand: row.status === 'granted' ? 'erteilt' : 'in Vorbereitung',
          zertifikat: number,
          gueltig_bis: typeof until === 'string' ? until.split('-').reverse().join('.') : null,
          ampel: isValid ? (typeof until === 'string' && until < soon ? 'gelb' : 'gruen') : 'rot',
        }
      }),
    )
  }
})

t.test('the list of expiring certificates is filtered by country', async (t) => {
  const standard = await readList(
    get,
    `/v1/certificates?validity=valid&valid_until[lte]=today%2B365d&sort=valid_until`,
  )
  const view = await readList(get, '/v1/custom/expiring-by-country?days=365')
  t.ok(view.length > 3)
  t.same(
    view.map(({ certificate_id: id, days_remaining: days }) => [id, days]),
    standard.map(({ id, days_remaining: days }) => [id, days]),
  )
  t.same(await readList(get, '/v1/custom/expiring-by-country?days=365&country_code=AQ'), [])
})

t.test('the examples of the guide return its answers', async (t) => {
  t.equal(shownDocuments.length, 2)
  const portfolio = (await samsung('/v1/custom/portfolio?days=365')).json()
  t.ok(portfolio.products > 50 && portfolio.certificates.by_scheme.length > 0, JSON.stringify(portfolio))
  t.equal((await samsung('/v1/custom/portfolio?country=DE')).json().asked_for, 'DE')
  const rows = await readList(samsung, '/v1/custom/approvals-of-products')
  t.equal(rows.length, (await readList(samsung, '/v1/approvals')).length)
  t.ok(rows.some(({ light }) => light === 'green') && rows.some(({ light }) => light === 'yellow'))
})

t.test('market-access decides for each product and country of the example data', async (t) => {
  const ask = async (product: string, country: string) =>
    (
      await app.inject({
        url: `/v1/custom/market-access?product_id=${product}&country_code=${country}`,
        headers: { authorization: 'Bearer cda_demo_public' },
      })
    ).json()
  const cases = await run<{ product: string; country: string }>(
    `select distinct product_id as product, country_code as country from (
       select product_id, country_code from approvals where customer_id = 'demo'
       union select product_id, country_code from certificates
         where customer_id = 'demo' and product_id is not null and country_code is not null) x`,
  )
  const reasons = new Set<string>()
  for (const { product, country } of cases) {
    const { schemes, required_schemes: required, product: named } = await ask(product, country)
    const known = await run(`select from products where customer_id = 'demo' and id = '${product}'`)
    t.equal(named !== null, known.length > 0, product)
    t.ok(schemes.length > 0 && Array.isArray(required), `${product} in ${country}`)
    for (const entry of schemes) {
      reasons.add(`${entry.allowed} ${entry.because}`)
      const isCovered =
        await run(`select from certificates where customer_id = 'demo' and id = '${entry.certificate_id}'
        and approval_status in ('approved', 'conditional') and coalesce(valid_until, 'infinity') >= current_date
        and coalesce(valid_from, '-infinity') <= current_date`)
      t.equal(entry.allowed, isCovered.length > 0 || entry.because === 'not_required', JSON.stringify(entry))
    }
  }
  for (const reason of [
    'true certificate_valid',
    'true not_required',
    'false certificate_expired',
    'false approval_rejected',
    'false approval_in_review',
  ])
    t.ok(reasons.has(reason), `${reason} occurs`)
  t.same((await ask('nobody', 'AQ')).schemes, [])
  t.comment([...reasons].sort().join(', '))
})

const openApi = async (authorization?: string) =>
  app.inject({ url: '/openapi.json', ...(authorization ? { headers: { authorization } } : {}) })

t.test('a description fetched with a token contains its custom endpoints', async (t) => {
  const open = await openApi()
  t.notOk(open.body.includes('/v1/custom/'), 'without one, nothing of them')
  t.equal(open.headers['cache-control'], 'public, no-cache')
  t.match(open.headers.vary, /Authorization/)
  const own = await openApi(`Bearer ${token}`)
  t.equal(own.headers['cache-control'], 'private, no-cache')
  t.not(own.headers.etag, open.headers.etag)
  const paths = Object.keys(own.json().paths).filter((path) => path.startsWith('/v1/custom/'))
  t.same(paths, [
    '/v1/custom/certificates-by-scheme',
    '/v1/custom/dashboard-overview',
    '/v1/custom/expiring-by-country',
    '/v1/custom/marktmatrix',
  ])
  const rest = own.json()
  for (const path of paths) delete rest.paths[path]
  t.same(Object.keys(rest.paths), Object.keys(open.json().paths), 'and everything else')
  const demo = Object.keys((await openApi('Bearer cda_demo_public')).json().paths)
  t.same(
    demo.filter((path) => path.startsWith('/v1/custom/')),
    ['/v1/custom/dashboard-overview', '/v1/custom/market-access'],
  )
  t.equal((await openApi('Bearer nonsense')).statusCode, 401)
})

t.test('the example of each parameter finds records of the example data', async (t) => {
  const env = { LIMIT_DEMO_BURST: '10000', LIMIT_DEMO_MINUTE: '10000' }
  const unlimited = await createTestApp(database, { origin: 'https://api.example', env })
  t.teardown(() => unlimited.close())
  const { paths } = (await openApi()).json()
  const ask = async (url: string, query: [string, string][]) => {
    const headers = { authorization: 'Bearer cda_demo_public' }
    const { statusCode, body } = await unlimited.inject({
      url: `${url}?${new URLSearchParams(query)}`,
      headers,
    })
    return statusCode === 200 && !body.startsWith('{"data":[]')
  }
  const missing: string[] = []
  for (const path of Object.keys(paths).filter((each) => `${each}/{id}` in paths)) {
    for (const { name, in: place, example } of paths[path].get.parameters) {
      if (place !== 'query' || name === 'cursor') continue
      const [[operator, value] = ['', example]] = typeof example === 'object' ? Object.entries(example) : []
      const query: [string, string][] = [[operator ? `${name}[${operator}]` : name, String(value)]]
      if (!(await ask(path, query))) missing.push(`${path} ${query}`)
    }
    const { parameters } = paths[`${path}/{id}`].get
    const { example } = parameters.find(({ name }: { name: string }) => name === 'id')
    if (!(await ask(`${path}/${example}`, []))) missing.push(`${path}/${example}`)
  }
  t.same(missing, [])
})

t.test('answers of custom endpoints match their description', async (t) => {
  const [own, demo] = [`Bearer ${token}`, 'Bearer cda_demo_public']
  const targets = [
    [own, 'marktmatrix?limit=20&count=exact'],
    [own, 'expiring-by-country'],
    [own, 'certificates-by-scheme'],
    [own, 'dashboard-overview'],
    [demo, 'market-access?product_id=prd-smartlock&country_code=SG'],
    [demo, 'dashboard-overview'],
  ] as const
  for (const [authorization, target] of targets) {
    const get = (path: string) => app.inject({ url: `/v1/custom/${path}`, headers: { authorization } })
    const [name] = target.split('?')
    const { paths } = (await openApi(authorization)).json()
    const { parameters, responses, operationId } = paths[`/v1/custom/${name}`].get
    const { schema, example } = responses[200].content['application/json']
    // The schema must describe every member of a response.
    const closed = JSON.parse(JSON.stringify(schema), (_, node) =>
      node?.type === 'object' && node.properties ? { ...node, additionalProperties: false } : node,
    )
    const validate = z.fromJSONSchema(closed)
    const answer = await get(target)
    t.equal(answer.statusCode, 200, target)
    t.same(validate.safeParse(answer.json()).error?.issues ?? [], [], `${operationId}: its answer`)
    t.same(validate.safeParse(example).error?.issues ?? [], [], `${operationId}: its example`)
    t.ok('Definition-Revision' in responses[200].headers)
    type Parameter = { in?: string; name: string; required?: boolean; example: unknown }
    const query = parameters.filter((each: Parameter) => each.in === 'query') as Parameter[]
    for (const parameter of query) {
      if (parameter.name === 'cursor' || typeof parameter.example === 'object') continue
      const others = query.filter((each) => each.required && each !== parameter)
      const pairs = [...others, parameter].map((each): [string, string] => [each.name, String(each.example)])
      if (parameter.name === 'bom') pairs.push(['format', 'csv'])
      const path = `${name}?${new URLSearchParams(pairs)}`
      t.equal((await get(path)).statusCode, 200, `${path}, its own example`)
    }
  }
})
