import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import { catalogue } from '../../app/errors.ts'
import { bar, curve } from '../../app/site/charts.ts'
import { createTestApp, createTestDatabase, publicUrl } from '../helper.ts'

const database = await createTestDatabase()
const clock = { offsetMs: 0 }
const app = await createTestApp(database, {
  clock,
  env: { LIMIT_ACCESS_REQUESTS: '3', ACCESS_CONTACT: 'mailto:access@house.example' },
})
t.teardown(async () => {
  await app.close()
  await database.close()
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
const codes = Object.keys(catalogue)
const pages = ['/', '/demo', '/docs', '/docs/guides', '/access', '/key', '/status', '/problems']
const all = [...pages, '/docs/guides/changes', ...codes.map((code) => `/problems/${code}`)]

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
    t.notMatch(answer.body, /<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/, 'nothing inline')
    t.match(answer.body, /<html lang="en">[\s\S]*<title>[^<]+<\/title>[\s\S]*<(main|div) id="main"/)
    if (path === '/access' || path === '/key') {
      t.match(answer.headers, { 'cache-control': 'no-store', etag: undefined })
      continue
    }
    const again = await get(path, { 'if-none-match': String(answer.headers.etag) })
    t.equal(again.statusCode, 304)
  }
})

t.test('with all it loads a page is below 100 kB, and its parts are kept for ever', async (t) => {
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
  const status = await readSize('/status.json')
  t.ok(status.bytes < 20_000)
})

t.test('the repository contains the licence of the typeface', async (t) => {
  const root = join(import.meta.dirname, '../..')
  t.equal(
    readFileSync(join(root, 'app/site/typeface-license.txt'), 'utf8'),
    readFileSync(join(root, 'node_modules/@fontsource-variable/geist/LICENSE'), 'utf8'),
  )
})

t.test('the start page omits the state of a new service', async (t) => {
  const { body } = await get('/')
  t.notMatch(body, 'Not enough measurements')
  t.match(body, 'promised')
})

t.test('every link to the access page has the same name', async (t) => {
  for (const path of pages) {
    const names = [...(await get(path)).body.matchAll(/<a[^>]* href="\/access"[^>]*>([^<]*)</g)]
    t.same([...new Set(names.map(([, name]) => name))], ['Get access'], path)
  }
})

t.test('browsers find an icon, search engines their rules, and chats a preview', async (t) => {
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

t.test('the access page names the contact', async (t) => {
  t.match((await get('/access')).body, '<a href="mailto:access@house.example">access@house.example</a>')
})

t.test('an old link to a request of the demo leads to its operation in the reference', async (t) => {
  for (const [target, link] of [
    ['/v1/products?limit=3', '#tag/products/GET/v1/products'],
    ['/v1/lab/rep-1', '#tag/test-reports/GET/v1/lab/{id}'],
    ['/v1/certificates/crt-1/history', '#tag/history/GET/v1/certificates/{id}/history'],
    ['/v1/custom/market-access?product_id=p', ''],
    ['//elsewhere.example/v1/products', ''],
    ['', ''],
  ] as const) {
    const answer = await get(`/demo?path=${encodeURIComponent(target)}`)
    t.match([answer.statusCode, answer.headers.location], [302, `/docs${link}`], target)
  }
})

t.test('links into the reference lead to operations that it describes', async (t) => {
  const described = new Set<string>(
    (await get('/docs/search.json')).json().map(({ path }: { path: string }) => path),
  )
  const links = [...(await get('/')).body.matchAll(/href="(\/docs#[^"]+)"/g)].map(
    ([, link]) => link as string,
  )
  t.equal(links.length, 6)
  for (const link of links) t.ok(described.has(link), link)
})

t.test('charts interrupt lines at gaps and keep small bars visible', async (t) => {
  t.equal(
    curve('average', [0.5, 0.25, null, 1]).html,
    '<path class="average" d="M0.5 50h0L1.5 75M3.5 0h0"/>',
    'a point without neighbours is a dot',
  )
  t.match(bar('failed', 3, 0.0001).html, 'y="98" width="0.76" height="2"')
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
          .match(/(?:src|href)="https?:[^"]*"|url\((?!\/assets\/)[^)]*\)|@import|import\(['"]https?:/g) ?? []
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

t.test('pages over plain HTTP are redirected, with their query; the API and forms are refused', async (t) => {
  const origin = 'https://api.example'
  const strict = await createTestApp(database, { origin, env: { ALLOW_HTTP: 'false' } })
  t.teardown(() => strict.close())
  for (const path of [
    '/',
    '/demo?path=%2Fv1%2Fproducts',
    '/docs/guides/changes',
    '/problems/not_found',
    '/status.json',
    '/robots.txt',
  ]) {
    const answer = await strict.inject(path)
    t.match([answer.statusCode, answer.headers.location], [308, `${origin}${path}`])
  }
  for (const path of ['/v1/products', '/openapi.json', '/products', '/.well-known/jwks.json']) {
    t.match((await strict.inject(path)).json(), { status: 403, code: 'tls_required' }, path)
  }
  const form = await strict.inject({ method: 'POST', url: '/access', payload: 'company=x' })
  t.equal(form.statusCode, 403, 'what a form sent in the clear is not sent on')
})

t.test('the OAuth metadata, the catalog and security.txt lead to pages that there are', async (t) => {
  const getPath = (address: string) => new URL(address).pathname
  const { linkset } = (await get('/.well-known/api-catalog')).json()
  const links = Object.values(linkset[0]).flatMap((value) => (Array.isArray(value) ? value : []))
  t.ok(links.length >= 4)
  for (const { href, type } of links) {
    const answer = await get(getPath(href))
    t.equal(answer.statusCode, 200, href)
    t.ok(String(answer.headers['content-type']).startsWith(type), href)
  }
  const metadata = (await get('/.well-known/oauth-authorization-server')).json()
  t.equal((await get(getPath(metadata.service_documentation))).statusCode, 200)
  const answer = await get('/.well-known/security.txt')
  t.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
  const [, contact] = /^Contact: (.+)$/m.exec(answer.body) ?? []
  t.equal((await get(getPath(contact as string))).statusCode, 200)
  const [, expires] = /^Expires: (.+)$/m.exec(answer.body) ?? []
  const daysLeft = (Date.parse(expires as string) - Date.now()) / 86_400_000
  t.ok(daysLeft > 90 && daysLeft < 365, 'RFC 9116: less than a year')
})

t.test('every guide is listed, the first steps first', async (t) => {
  const { body } = await get('/docs/guides')
  const files = readdirSync(join(import.meta.dirname, '../../docs')).filter((name) => name.endsWith('.md'))
  for (const file of files) t.match(body, `"/docs/guides/${file.slice(0, -3)}"`)
  t.match(/guides\/([\w-]+)"/.exec(body)?.[1], 'quick-start')
})

t.test('guides link to guides, and to nothing that is no page', async (t) => {
  const list = await get('/docs/guides')
  const guides = [...list.body.matchAll(/href="(\/docs\/guides\/[^"]+)"/g)].map((match) => match[1] as string)
  t.ok(guides.length >= 7)
  for (const guide of guides) {
    const { body } = await get(guide)
    for (const [, href = ''] of body.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (!href.startsWith('/') || href.startsWith('/v1/')) {
        t.match(href, /^(https?:\/\/|#)/, `${guide} → ${href}`)
        continue
      }
      t.equal((await get(href.split('#')[0] as string)).statusCode, 200, `${guide} → ${href}`)
    }
  }
})

const good = {
  company: 'Acme & <Söhne>',
  name: 'Ada',
  email: 'ada@acme.example',
  message: 'For "ERP"',
  consent: 'true',
}
const getTicket = (body: string) => /name="ticket" value="([^"]+)"/.exec(body)?.[1] as string
const post = (fields: Record<string, string>) =>
  app.inject({
    method: 'POST',
    url: '/access',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })
const countRequests = async () => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from access_requests`.execute(
    database.operator,
  )
  return rows[0]?.n
}

t.test('without JavaScript the form is sent as a form: programs are refused, people told why', async (t) => {
  const givenAtMs = Date.now() + clock.offsetMs
  const ticket = getTicket((await get('/access')).body)
  // No time has passed for the service since it issued the ticket.
  clock.offsetMs = givenAtMs - Date.now()
  const early = await post({ ...good, ticket })
  t.equal(early.statusCode, 400)
  t.match(early.body, /faster than people type/)
  t.match(
    early.body,
    'value="Acme &amp; &lt;Söhne&gt;"',
    'nothing that was written is lost, or becomes markup',
  )
  clock.offsetMs += 5_000
  const trapped = await post({ ...good, ticket, website: 'http://spam.example' })
  t.match([trapped.statusCode, trapped.body], [400, /only programs fill it in/])
  // The last character of base64url may have unused bits, so an earlier one is changed.
  const changed = `${ticket.slice(0, -8)}${ticket.at(-8) === 'A' ? 'B' : 'A'}${ticket.slice(-7)}`
  for (const forged of ['', 'AAAA', changed]) {
    t.match((await post({ ...good, ticket: forged })).body, /form is too old/)
  }
  const incomplete = await post({ ...good, ticket, email: 'nobody', consent: '' })
  t.equal(incomplete.statusCode, 400)
  t.match(incomplete.body, /id="email"[^>]*aria-invalid="true"/)
  t.match(incomplete.body, /id="email-fault">Expected an e-mail address\./)
  t.match(incomplete.body, /id="consent-fault">Expected true/)
  t.equal(await countRequests(), 0)

  const sent = await post({ ...good, ticket })
  t.equal(sent.statusCode, 200)
  t.match(
    sent.body,
    /Your request has arrived.*You will hear from us by <strong>\d{4}-\d\d-\d\d, \d\d:\d\d UTC/s,
  )
  t.equal(await countRequests(), 1)
  for (let i = 0; i < 2; i++) await post({ ...good, ticket })
  const over = await post({ ...good, ticket })
  t.equal(over.statusCode, 429)
  t.ok(Number(over.headers['retry-after']) > 0)
  t.match(over.body, /Try again in/)
  clock.offsetMs += 2 * 86_400_000
  t.match((await post({ ...good, ticket })).body, /form is too old/)
})
