import t from 'tap'
import { createSearch, type Entry } from '../../app/site/browser/search.js'
import { readGuides } from '../../app/site/guides.ts'
import { createTestApp, createTestDatabase, publicUrl } from '../helper.ts'

const database = await createTestDatabase()
const demoToken = 'cda_demo_another'
const app = await createTestApp(database, { env: { DEMO_TOKEN: demoToken } })
t.teardown(async () => {
  await app.close()
  await database.close()
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
const guides = readGuides({ publicUrl, demoToken }).flatMap((group) => group.guides)
/** The header of Chromium for an address that a user has typed. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' }

t.test('every address in the pages is the service’s, and every token the public one', async (t) => {
  const paths = [...app.site.files.keys()]
  t.ok(paths.length > 60)
  for (const path of paths) {
    const { body } = await get(path)
    t.notMatch(body, /localhost:3000|cda_demo_public/, path)
  }
  for (const path of ['/', '/docs/guides/quick-start', '/docs/guides/quick-start.md']) {
    const { body } = await get(path)
    t.match(body, `${publicUrl}/v1/certificates`, path)
    t.match(body, demoToken, path)
  }
})

t.test('a guide has its Markdown at its address with .md, and its page links to it', async (t) => {
  t.ok(guides.length > 15)
  for (const { path, title } of guides) {
    const { statusCode, headers, body } = await get(`${path}.md`)
    t.equal(statusCode, 200, path)
    t.equal(headers['content-type'], 'text/markdown; charset=utf-8')
    t.match(headers, { 'cache-control': 'public, no-cache', etag: /./ })
    t.ok(body.startsWith(`# ${title}`), path)
    const page = (await get(path)).body
    t.match(page, `<link rel="alternate" type="text/markdown" href="${path}.md">`)
    for (const [, link = ''] of body.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      t.equal((await get(`/docs/guides/${link}`)).statusCode, 200, `${path}.md → ${link}`)
    }
  }
})

t.test('llms.txt lists every guide with its subject', async (t) => {
  const { headers, body } = await get('/llms.txt')
  t.equal(headers['content-type'], 'text/plain; charset=utf-8')
  t.match(body, /^# Certification Data API\n\n> /)
  for (const { path, title } of guides) {
    const line = body.split('\n').find((each) => each.startsWith(`- [${title}](${publicUrl}${path}.md): `))
    t.match(line, /\): \S.{12,}\.$/, path)
  }
  for (const [, address = ''] of body.matchAll(/\]\(([^)]+)\)/g)) {
    t.equal((await get(address.replace(publicUrl, ''))).statusCode, 200, address)
  }
})

t.test('a guide has contents, neighbours, marked code and tables whose columns have names', async (t) => {
  for (const { path } of guides) {
    const { body } = await get(path)
    const ids = [...body.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id]) => id)
    t.equal(new Set(ids).size, ids.length, `${path}: headings have addresses of their own`)
    const anchors = [...body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => id !== 'main')
    for (const anchor of anchors) t.ok(ids.includes(anchor), `${path}#${anchor}`)
    t.notMatch(body, /<th[^>]*>\s*<\/th>/, `${path}: no column without a name`)
  }
  const queries = (await get('/docs/guides/queries')).body
  t.match(queries, /<nav class="contents"[\s\S]*href="#conditions"/)
  t.match(queries, /<a href="\/docs\/guides\/authentication" rel="prev">/)
  t.match(queries, /<a href="\/docs\/guides\/changes" rel="next">/)
  t.match(queries, /<span class="hljs-string">/)
  t.match(queries, /aria-current="page">Filtering and pagination/)
  const starts = (await get('/docs/guides/quick-start')).body
  t.notMatch(starts, 'rel="prev"', 'nothing comes before the first')
})

t.test('a link between guides leads to a heading that there is', async (t) => {
  const headings = new Map(guides.map(({ path, render }) => [path, render().sections.map(({ id }) => id)]))
  let count = 0
  for (const { path, render } of guides) {
    for (const [, target = '', id] of render().body.html.matchAll(
      /href="(\/docs\/guides\/[\w-]+)(?:#([^"]+))?"/g,
    )) {
      t.ok(headings.has(target), `${path} → ${target}`)
      if (id !== undefined) t.ok(headings.get(target)?.includes(id), `${path} → ${target}#${id}`)
      count++
    }
  }
  t.ok(count > 20)
})

t.test('pages for integrators contain only the API’s operations', async (t) => {
  const [integrators] = readGuides({ publicUrl, demoToken })
  for (const { path, markdown } of integrators?.guides ?? []) t.notMatch(markdown, /npx certdata |npm /, path)
})

t.test('the search index has every section, every endpoint and every error', async (t) => {
  const answer = await get('/docs/search.json', { 'accept-encoding': 'br' })
  t.ok(answer.rawPayload.length < 60_000, `${answer.rawPayload.length} bytes compressed`)
  const entries = (await get('/docs/search.json')).json() as { part: string; path: string; text: string }[]
  const find = (part: string) => entries.find((each) => each.part === part)
  t.equal(find('Conditions')?.path, '/docs/guides/queries#conditions')
  t.equal(find('GET /v1/certificates')?.path, '/docs#tag/certificates/GET/v1/certificates')
  t.match(find('GET /v1/certificates')?.text, /valid_until/)
  t.equal(find('invalid_cursor')?.path, '/problems/invalid_cursor')
  t.same(
    entries.filter(({ text }) => /&#?\w+;/.test(text)),
    [],
    'texts and no HTML',
  )
  for (const { path } of entries) {
    t.equal((await get(path.split('#')[0] as string)).statusCode, 200, path)
  }
})

t.test('the search ranks the right page first', async (t) => {
  const entries = (await get('/docs/search.json')).json() as Entry[]
  const search = createSearch(entries)
  const limits = /^\/problems\/quota_exceeded$/
  const queries = /^\/docs\/guides\/queries/
  const webhooks = /^\/docs\/guides\/webhooks$/
  for (const [query, path] of [
    ['webhook', webhooks],
    ['Webhooks', webhooks],
    ['webhok', webhooks],
    ['webohok', webhooks],
    ['429', limits],
    ['quota_exceeded', limits],
    ['quota exceeded', limits],
    ['Too Many Requests', limits],
    ['401 unauthorized', /^\/problems\/credentials_required$/],
    ['pagintion', queries],
    ['how do I filter by country', queries],
    ['country filter', queries],
    ['filtered lists', queries],
    ['sort', /queries#order-and-pages$/],
    ['GET /v1/products/{id}', /\/GET\/v1\/products\/\{id\}$/],
    ['import csv', /import#tables-csv$/],
    ['backup', /operations#backup-and-restore$/],
  ] as const) {
    t.match(search(query)[0]?.path, path, query)
  }
  const audiences = search('webhook').map(({ title, isForOperators }) =>
    isForOperators ? 'operators' : title,
  )
  for (const later of ['operators', 'Reference'])
    t.ok(audiences.lastIndexOf('Webhooks') < audiences.indexOf(later), `integrators' guides before ${later}`)
  t.ok(search('the').length > 0, 'a stop word alone is searched')
  for (const nothing of ['', '  ', '?!', 'xyzzy']) t.same(search(nothing), [], nothing)
})

t.test('a missing address gives a browser a page and a program a problem document', async (t) => {
  for (const path of ['/nonsense', '/docs/guides/none_such', '/problems/none_such', '/Docs']) {
    const page = await get(path, browser)
    t.equal(page.statusCode, 404, path)
    t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    t.match(page.headers, { 'cache-control': 'no-store', etag: undefined, 'request-id': /./ })
    t.match(page.headers['content-security-policy'], "script-src 'self'")
    t.match(page.body, /There is no page at this address[\s\S]*data-search[\s\S]*href="\/docs\/guides"/)
    for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      const problem = await get(path, accept === undefined ? {} : { accept })
      t.equal(problem.headers['content-type'], 'application/problem+json', `${path} as ${accept}`)
      t.match(problem.json(), { status: 404, code: 'not_found' })
    }
  }
  const head = await app.inject({ method: 'HEAD', url: '/nonsense', headers: browser })
  t.match([head.statusCode, head.headers['content-type']], [404, /^text\/html/])
  const withToken = await get('/nonsense', { ...browser, authorization: `Bearer ${demoToken}` })
  t.equal(withToken.headers['content-type'], 'application/problem+json', 'who sends a token is a program')
  const post = await app.inject({ method: 'POST', url: '/nonsense', headers: browser })
  t.equal(post.headers['content-type'], 'application/problem+json', 'nobody looks at the answer of a POST')
})

t.test('below the addresses of the API errors are problem documents, for every request', async (t) => {
  for (const path of [
    '/v1/nonsense',
    '/v1',
    '/certificates',
    '/certificates/a/b',
    '/custom/none/such',
    '/webapi/v1/api.php/nonsense',
    '/webapi/nonsense',
  ]) {
    const { statusCode, headers } = await get(path, browser)
    t.ok([401, 404].includes(statusCode), `${path}: ${statusCode}`)
    t.equal(headers['content-type'], 'application/problem+json', path)
  }
})
