import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { catalogue } from '../../app/errors.ts'
import { features } from '../../app/features.ts'
import { createSearch, type Entry } from '../../app/site/browser/search.js'
import { readGuides } from '../../app/site/guides.ts'
import { findContactPage, listPages } from '../../app/site/options.ts'
import { closeAfter, createTestApp, createTestDatabase, publicUrl } from '../helper.ts'

const database = await createTestDatabase()
const clock = { offsetMs: 0 }
const demoToken = 'cda_demo_another'
const app = await createTestApp(database, {
  clock,
  env: { DEMO_TOKEN: demoToken },
})
closeAfter(t, app, database)

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
const guides = readGuides({ publicUrl, demoToken, features }).flatMap((group) => group.guides)
/** The header of Chromium for an address that a user has typed. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' }
const codes = Object.keys(catalogue)
const featurePages = listPages(features)
const featurePaths = featurePages.map(({ path }) => path)
const pages = ['/', '/docs', '/docs/guides', ...featurePaths, '/key', '/problems']
const all = [...pages, '/docs/guides/queries', ...codes.map((code) => `/problems/${code}`)]

/** URLs of the files that a page loads from its own origin. */
const listParts = ({ body }: LightMyRequestResponse) =>
  [...body.matchAll(/<(?:link|script|img)\b[^>]*?(?:href|src)="(\/[^"]+)"/g)].map(
    (match) => match[1] as string,
  )

t.test('every page is HTML with a content security policy and an ETag', async (t) => {
  for (const path of all) {
    const answer = await get(path)
    t.equal(answer.statusCode, 200, path)
    t.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    const policy = String(answer.headers['content-security-policy'])
    const isReference = path === '/docs'
    const styles = isReference ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'"
    t.equal(
      policy,
      `default-src 'none'; script-src 'self'; ${styles}; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    t.notMatch(answer.body, /<script(?![^>]*\bsrc=)|<[^>]*\s(?:on\w+|style)=/, 'nothing inline')
    t.match(answer.body, /<html lang="en">[\s\S]*<title>[^<]+<\/title>[\s\S]*<(main|div) id="main"/)
    const isNotCached = answer.headers['cache-control'] === 'no-store' && featurePaths.includes(path)
    if (isNotCached || path === '/key') {
      t.match(answer.headers, { 'cache-control': 'no-store', etag: undefined })
      continue
    }
    const again = await get(path, { 'if-none-match': String(answer.headers.etag) })
    t.equal(again.statusCode, 304)
  }
})

t.test('a page with its files is below 100 kB, and browsers cache the files forever', async (t) => {
  const readSize = async (url: string) => {
    const answer = await get(url, { 'accept-encoding': 'br' })
    t.equal(answer.statusCode, 200, url)
    return { answer, bytes: answer.rawPayload.length }
  }
  for (const path of pages) {
    const page = await get(path)
    const parts = new Set(listParts(page))
    let sum = (await readSize(path)).bytes
    for (const part of parts) {
      const { answer, bytes } = await readSize(part)
      t.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable', part)
      sum += bytes
    }
    const font = [...parts].find((part) => part.endsWith('.woff2')) as string
    t.match((await get(font)).headers['content-type'], 'font/woff2')
    t.ok((await readSize(font)).bytes < 50_000)
    t.comment(`${path}: ${sum} bytes compressed, ${parts.size} parts`)
    t.ok(parts.size >= 2)
    t.ok(sum < 100_000, `${path}: ${sum} bytes`)
    for (const part of parts) {
      if (!part.endsWith('.js')) continue
      const { body } = await get(part)
      for (const [, imported] of body.matchAll(/from\s*['"]([^'"]+)['"]/g)) {
        t.ok(parts.has(imported as string), `${path} names ${imported}`)
      }
    }
  }
})

t.test('the repository contains the licence of the typeface', async (t) => {
  const root = join(import.meta.dirname, '../..')
  t.equal(
    readFileSync(join(root, 'app/site/typeface-license.txt'), 'utf8'),
    readFileSync(join(root, 'node_modules/@fontsource-variable/geist/LICENSE'), 'utf8'),
  )
})

t.test('at most one page is for contact, and it is a page of a feature', async (t) => {
  const first = { pages: [{ path: '/a', label: 'A' }], contactPath: '/a' }
  const second = { pages: [{ path: '/b', label: 'B' }], contactPath: '/b' }
  t.same(findContactPage([first, { pages: second.pages }]), { path: '/a', label: 'A' })
  t.equal(findContactPage([{ pages: second.pages }]), undefined)
  t.throws(() => findContactPage([first, second]), /more than one page is for contact: \/a, \/b/)
  t.throws(() => findContactPage([{ contactPath: '/c' }]), /no page of a feature/)
})

t.test('every link to a page of a feature has the same name', async (t) => {
  // The button of the example has a label of its own.
  const named = featurePages.filter(({ path }) => path !== app.site.home.readExample()?.path)
  for (const path of pages) {
    // The state on the start page is a sentence with a link.
    const withoutState = (await get(path)).body.replace(/<p class="state">.*?<\/p>/, '')
    for (const { path: target, label } of named) {
      const names = [...withoutState.matchAll(new RegExp(`<a[^>]* href="${target}"[^>]*>([^<]*)<`, 'g'))]
      t.same([...new Set(names.map(([, name]) => name))], [label], path)
    }
  }
})

t.test('icon, robots.txt and the preview image exist', async (t) => {
  const icon = await get('/favicon.ico')
  t.equal(icon.headers['content-type'], 'image/x-icon')
  t.same([...icon.rawPayload.subarray(0, 6)], [0, 0, 1, 0, 1, 0])
  t.equal((await get('/robots.txt')).body, 'User-agent: *\nDisallow: /v1/\n')
  const readTag = ({ body }: LightMyRequestResponse, name: string) =>
    new RegExp(`<meta property="og:${name}" content="([^"]+)">`).exec(body)?.[1]
  for (const path of all) {
    const page = await get(path)
    t.equal(readTag(page, 'url'), publicUrl + path)
    t.match(page.body, `<title>${readTag(page, 'title')} · Certification Data API</title>`)
  }
  const address = readTag(await get('/'), 'image') ?? ''
  const image = await get(address.replace(publicUrl, ''))
  t.ok(address.startsWith(`${publicUrl}/`), 'absolute')
  t.equal(image.headers['content-type'], 'image/png')
  t.same([image.rawPayload.readUInt32BE(16), image.rawPayload.readUInt32BE(20)], [1200, 630])
})

const house = {
  OPERATOR_NAME: 'Prüfhaus <Süd> GmbH',
  IMPRINT_URL: 'https://house.example/imprint',
  PRIVACY_URL: 'https://house.example/privacy?a&b',
}

t.test('every page and OpenAPI say whose service this is', async (t) => {
  const named = await createTestApp(database, { env: house })
  t.teardown(() => named.close())
  for (const path of [...all, '/docs/guides/quick-start']) {
    const [, footer] = (await named.inject(path)).body.split('<footer')
    t.match(footer, 'Certification Data API of Prüfhaus &lt;Süd&gt; GmbH.', path)
    t.match(footer, '<a href="https://house.example/imprint">Imprint</a>')
    t.match(footer, '<a href="https://house.example/privacy?a&amp;b">Privacy</a>')
  }
  const inWords = /the certification house that keeps your records/i
  for (const path of pages.filter((page) => page !== '/docs')) {
    const [, main = ''] = (await named.inject(path)).body.split('<main')
    t.notMatch(main, inWords, path)
    const [, unnamed = ''] = (await get(path)).body.split('<main')
    if (!inWords.test(unnamed)) continue
    t.match(main.split('<footer')[0], 'Prüfhaus &lt;Süd&gt; GmbH', `${path} names the house in its text`)
  }
  t.strictSame((await named.inject('/openapi.json')).json().info.contact, {
    name: house.OPERATOR_NAME,
    url: house.IMPRINT_URL,
    'x-privacy-url': house.PRIVACY_URL,
  })
})

t.test('without the name of the house, pages have neither an empty name nor a dead link', async (t) => {
  for (const path of pages) {
    const [, footer] = (await get(path)).body.split('<footer')
    t.match(footer, '<p>Certification Data API. Every answer', path)
    t.notMatch(footer, /Imprint|Privacy|undefined/, path)
  }
  t.equal((await get('/openapi.json')).json().info.contact.name, 'Access and questions')
})

t.test('links of the start page lead to described operations', async (t) => {
  const described = new Set<string>(
    (await get('/docs/search.json')).json().map(({ path }: { path: string }) => path),
  )
  const links = [...(await get('/')).body.matchAll(/href="(\/docs#[^"]+)"/g)].map(
    ([, link]) => link as string,
  )
  t.equal(links.length, 6)
  for (const link of links) t.ok(described.has(link), link)
})

t.test('nothing is loaded from other origins', async (t) => {
  const namespaces = /http:\/\/www\.w3\.org\/2000\/svg/g
  for (const path of pages) {
    const page = await get(path)
    const texts = [
      page.body,
      ...(await Promise.all(listParts(page).map(async (part) => (await get(part)).body))),
    ]
    for (const text of texts) {
      const loads =
        text
          .replace(namespaces, '')
          .match(
            /(?<!<a )(?:src|href)="https?:[^"]*"|url\((?!\/assets\/)[^)]*\)|@import|import\(['"]https?:/g,
          ) ?? []
      t.same(
        loads.filter((each) => !each.includes(publicUrl)),
        [],
        path,
      )
    }
  }
})

t.test('each error has a page at the type of its problem document', async (t) => {
  const refused = await get('/v1/products')
  const { type, code } = refused.json()
  const path = new URL(type).pathname
  const page = await get(path)
  t.equal(page.statusCode, 200)
  t.match(page.body, code)
  for (const each of codes) {
    const { body } = await get(`/problems/${each}`)
    t.match(body, /What it means.*Why it happens.*What to do.*<li>.*Example/s, each)
    t.match(body, `&quot;code&quot;: &quot;${each}&quot;`, 'with an example body')
  }
  t.equal((await get('/problems/none_such')).statusCode, 404)
  const list = (await get('/problems')).body
  t.same(
    codes.filter((each) => !list.includes(`href="/problems/${each}"`)),
    [],
  )
})

t.test('plain HTTP redirects pages with their query, and refuses the API and forms', async (t) => {
  const origin = 'https://api.example'
  const strict = await createTestApp(database, { origin, env: { ALLOW_HTTP: 'false' } })
  t.teardown(() => strict.close())
  for (const path of [
    '/',
    '/docs?path=%2Fv1%2Fproducts',
    '/docs/guides/queries',
    '/problems/not_found',
    '/robots.txt',
  ]) {
    const answer = await strict.inject(path)
    t.match([answer.statusCode, answer.headers.location], [308, `${origin}${path}`])
  }
  for (const path of ['/v1/products', '/openapi.json', '/products', '/.well-known/jwks.json']) {
    t.match((await strict.inject(path)).json(), { status: 403, code: 'tls_required' }, path)
  }
  const form = await strict.inject({ method: 'POST', url: '/key', payload: 'secret=x' })
  t.equal(form.statusCode, 403, 'a form without TLS is not redirected')
})

t.test('URLs in the API catalog and security.txt exist', async (t) => {
  const getPath = (address: string) => new URL(address).pathname
  const { linkset } = (await get('/.well-known/api-catalog')).json()
  const links = Object.values(linkset[0]).flatMap((value) => (Array.isArray(value) ? value : []))
  t.ok(links.length >= 2)
  for (const { href, type } of links) {
    const answer = await get(getPath(href))
    t.equal(answer.statusCode, 200, href)
    t.ok(String(answer.headers['content-type']).startsWith(type), href)
  }
  const answer = await get('/.well-known/security.txt')
  t.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
  const [, contact] = /^Contact: (.+)$/m.exec(answer.body) ?? []
  t.equal((await get(getPath(contact as string))).statusCode, 200)
  const [, expires] = /^Expires: (.+)$/m.exec(answer.body) ?? []
  const daysLeft = (Date.parse(expires as string) - Date.now()) / 86_400_000
  t.ok(daysLeft > 90 && daysLeft < 365, 'RFC 9116: less than a year')
})

t.test('every guide is listed, the quick start first', async (t) => {
  const { body } = await get('/docs/guides')
  const files = readdirSync(join(import.meta.dirname, '../../docs')).filter((name) => name.endsWith('.md'))
  for (const file of files) t.match(body, `"/docs/guides/${file.slice(0, -3)}"`)
  t.match(/guides\/([\w-]+)"/.exec(body)?.[1], 'quick-start')
})

t.test('pages contain the URL and the demo token of this service', async (t) => {
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

t.test('the page of a guide links to its Markdown, whose links lead to guides', async (t) => {
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
      const { pathname } = new URL(link, `${publicUrl}${path}`)
      t.equal((await get(pathname)).statusCode, 200, `${path}.md → ${link}`)
    }
  }
})

t.test('llms.txt lists every guide with a summary', async (t) => {
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

t.test('a guide has contents, neighbours, highlighted code and named columns', async (t) => {
  for (const { path } of guides) {
    const { body } = await get(path)
    const ids = [...body.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id]) => id)
    t.equal(new Set(ids).size, ids.length, `${path}: unique ids of headings`)
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
  t.notMatch(starts, 'rel="prev"', 'the first guide has no previous guide')
})

t.test('every link of a guide leads to an existing page and heading', async (t) => {
  const headings = new Map(guides.map(({ path, render }) => [path, render().sections.map(({ id }) => id)]))
  let count = 0
  for (const { path, render } of guides) {
    for (const [, href = ''] of render().body.html.matchAll(/href="([^"#][^"]*)"/g)) {
      if (/^https?:|^\/v1\//.test(href)) continue
      const [target = '', id] = href.split('#')
      if (headings.has(target)) count++
      if (id !== undefined && headings.has(target))
        t.ok(headings.get(target)?.includes(id), `${path} → ${href}`)
      t.equal((await get(target)).statusCode, 200, `${path} → ${href}`)
    }
  }
  t.ok(count > 20)
})

t.test('pages for integrators contain only the API’s operations', async (t) => {
  const [integrators] = readGuides({ publicUrl, demoToken, features })
  const operators = /npx (?!--no certdata-client\b)|npm (?!install http)/
  for (const { path, markdown } of integrators?.guides ?? []) t.notMatch(markdown, operators, path)
})

t.test('the search index has every section, every endpoint and every error', async (t) => {
  const answer = await get('/docs/search.json', { 'accept-encoding': 'br' })
  t.ok(answer.rawPayload.length < 65_536, `${answer.rawPayload.length} bytes compressed`)
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
  const exports = /^\/docs\/guides\/exports$/
  for (const [query, path] of [
    ['export', exports],
    ['Exports', exports],
    ['exprt', exports],
    ['exprot', exports],
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
  const audiences = search('sort').map(({ title, isForOperators }) => (isForOperators ? 'operators' : title))
  const guide = 'Filtering and pagination'
  t.ok(audiences.includes(guide))
  for (const later of ['operators', 'Reference'])
    t.ok(audiences.lastIndexOf(guide) < audiences.indexOf(later), `integrators' guides before ${later}`)
  t.ok(search('the').length > 0, 'a stop word alone is searched')
  for (const nothing of ['', '  ', '?!', 'xyzzy']) t.same(search(nothing), [], nothing)
})

t.test('an unknown path returns a page to a browser and a problem document to a program', async (t) => {
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
  t.equal(withToken.headers['content-type'], 'application/problem+json', 'a request with a token')
  const post = await app.inject({ method: 'POST', url: '/nonsense', headers: browser })
  t.equal(post.headers['content-type'], 'application/problem+json', 'a POST')
})

t.test('paths of the API return problem documents to browsers, too', async (t) => {
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
