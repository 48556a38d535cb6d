import { sql } from 'kysely'
import t from 'tap'
import { expand } from '../../app/http/compact.ts'
import { packQuery, parsePairs, unpackTarget } from '../../app/http/pairs.ts'
import { namedScopes } from '../../app/identity/scopes.ts'
import {
  anyOf,
  fill,
  findLink,
  mostHeadBytes,
  mostTargetBytes,
  openHeads,
  origin,
  publicUrl,
  random,
  unreserved,
} from './heads.ts'

/** The largest heads: over TLS, for a page of another origin, with a long public address. */

const { database, app, request, authorization, http2 } = await openHeads(t, namedScopes)
await sql`insert into products (customer_id, id, name, model, brand)
  select 'acme', 'prd-' || lpad(i::text, 4, '0'), 'Product ' || i, 'M' || i, 'B' from generate_series(1, 400) i`.execute(
  database.operator,
)
const ids = Array.from({ length: 200 }, (_, n) => `prd-${String(n + 1).padStart(4, '0')}`)

const queries: Record<string, string> = {
  'unreserved characters': fill('/products?limit=2&name[ne]=', (room) => anyOf(unreserved, room)),
  'all characters of a query': fill('/products?limit=2&name[ne]=', (room) =>
    anyOf(`${unreserved}!$'()*+,;:@/?"<>[]^\`{|}`, room),
  ),
  slashes: fill('/products?limit=2&name[ne]=', (room) => '/'.repeat(room)),
  'escaped letters': fill('/products?limit=2&name[ne]=', (room) => '%C3%A4'.repeat(room / 6)),
  'escaped bytes': fill('/products?limit=2&name[ne]=', (room) =>
    Array.from({ length: room / 6 }, () =>
      encodeURIComponent(String.fromCharCode(128 + random() * 1900)),
    ).join(''),
  ),
  commas: fill('/products?limit=2', () =>
    ['name', 'model', 'category', 'id', 'part_numbers']
      .map((name) => `&${name}[nin]=${Array.from({ length: 190 }, (_, n) => n.toString(36)[0]).join()}`)
      .join(''),
  ).slice(0, 2000),
  'commas, escaped': `/products?limit=2&id[nin]=${ids.slice(0, 150).join('%2C')}`,
  '200 ids': `/products?id=${ids.join()}&limit=50`,
  'a long list': fill('/products?limit=2&sort=model,-name&fields=name,model&model[nin]=', (room) =>
    anyOf(`${unreserved},`, room).replaceAll(/^,|,(?=,|$)/g, 'x'),
  ),
}

t.test('heads of pages have at most 3.5 KiB', async (t) => {
  let largest = 0
  for (const [name, query] of Object.entries(queries)) {
    for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
      const target = prefix + query
      t.ok(target.length <= mostTargetBytes, `${name} has ${target.length} bytes`)
      for (const fields of ['', 'Accept-Encoding: gzip\r\n', 'If-None-Match: *\r\n']) {
        const { head, status, body } = await request(target, fields)
        largest = Math.max(largest, head.length)
        t.ok(head.length <= mostHeadBytes, `${name} ${prefix}: ${head.length} bytes`)
        t.equal(status, fields.startsWith('If') ? 304 : 200, `${name} ${status > 304 ? body : ''}`)
        t.ok(findLink(head), name)
      }
      t.ok((await request(target, '', 'HEAD')).head.length <= mostHeadBytes)
    }
  }
  t.comment(`the largest head has ${largest} bytes`)
})

t.test('the query is at most once in a head', async (t) => {
  for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
    const marked = `${prefix}/products?limit=2&name[ne]=mark`
    for (const path of [
      marked,
      `${marked}&limit=1000`,
      `${marked}&format=csv`,
      `${prefix}/products?name=mark`,
    ]) {
      const { head } = await request(path)
      t.ok(head.split('mark').length <= 2, path)
    }
    const { head } = await request(`${prefix}/products?limit=2`)
    if (prefix !== '/v1') t.equal(findLink(head, 'canonical'), `${publicUrl}/v1/products`)
  }
})

t.test('heads of refusals have at most 3.5 KiB, and the query at most once', async (t) => {
  const mark = 'mark'
  const long = (start: string) => fill(start, (room) => mark.repeat(Math.floor(room / mark.length)))
  for (const [path, expected, hasTry] of [
    [long('/v1/products?limit=2&nme[ne]='), 400, true],
    [long('/v1/products?format=csv&limit=2&nme[ne]='), 400, true],
    [long('/v1/products?access_token='), 400, false],
    [long('/v1/nothing?name='), 404, false],
    [long('/v1/product?limit=2&name='), 404, false],
    [long('/products/?limit=2&name='), 404, false],
    [`/v1/products/${long('').slice(0, 1_950)}`, 404, false],
    [`/v1/products?name=${mark.repeat(2_500)}`, 414, false],
    [`/v1/products?name=${mark.repeat(4_000)}`, 431, false],
  ] as const) {
    const { head, status, body } = await request(path)
    t.equal(status, expected, `${path.slice(0, 50)} ${body.slice(0, 200)}`)
    if (hasTry) t.ok((JSON.parse(body) as { try?: string }).try, path.slice(0, 50))
    t.ok(head.length <= mostHeadBytes, `${path.slice(0, 50)}: ${head.length} bytes`)
    t.ok(head.split(mark).length - 1 <= path.split(mark).length - 1, 'the query is at most once in the head')
  }
})

t.test('a key of 2,000 bytes fits into the link of the next page', async (t) => {
  const long = anyOf(unreserved, 2_000)
  await sql`insert into products (customer_id, id, name) values ('acme', 'a-long', ${`!${long.slice(1)}`})`.execute(
    database.operator,
  )
  const { head } = await request('/v1/products?limit=1', 'Cache-Control: no-cache\r\n')
  t.ok(head.length <= mostHeadBytes, `${head.length} bytes`)
  t.ok(findLink(head))
  await sql`delete from products where id = 'a-long'`.execute(database.operator)
})

t.test('every walk by Link reaches the end, whatever its length', async (t) => {
  const names = (count: number, length: number) =>
    Array.from({ length: count }, (_, n) => `Product ${n + 1}`.padEnd(length, ' '))
  const walks = {
    '70 names': `/v1/products?name=${['Product 1', 'Product 2', 'Product 3', ...names(67, 27)].map(encodeURIComponent).join()}&limit=1`,
    '200 ids': `/v1/products?id=${ids.join()}&limit=70`,
    'two letters': '/v1/products?brand=B,C&limit=150&fields=id',
    'a long condition': `/v1/products?limit=150&name[ne]=${'%C3%A4;,'.repeat(200)}`,
  }
  for (const [name, start] of Object.entries(walks)) {
    const seen: string[] = []
    let path: string | undefined = start
    let pages = 0
    while (path !== undefined && pages < 20) {
      const { head, body, status } = await request(path)
      t.equal(status, 200, `${name}: ${path.length} bytes`)
      const { data, page } = JSON.parse(body) as { data: { id: string }[]; page: { has_more: boolean } }
      seen.push(...data.map(({ id }) => id))
      const link = findLink(head)
      t.equal(link !== undefined, page.has_more, 'a link if there is more')
      // A parser that splits at each comma and semicolon.
      const split = /^link: (.*)$/m
        .exec(head)?.[1]
        ?.split(',')
        .map((each) => each.split(';')[0]?.trim())
      t.equal(
        split?.find((each) => each?.includes('products?')),
        link && `<${link}>`,
      )
      path = link?.slice(publicUrl.length)
      pages += 1
    }
    const whole = await request(start.replace(/limit=\d+/, 'limit=500'))
    const expected = (JSON.parse(whole.body) as { data: { id: string }[] }).data.map(({ id }) => id)
    t.same(seen, expected, name)
    t.ok(pages > 1, name)
  }
})

t.test('the router, the edge and HTTP/2 give the same link', async (t) => {
  // The edge keeps no longer addresses.
  const path = `/v1/products?id=${ids.slice(0, 105).join()}&limit=20`
  t.ok(path.length < 1024)
  const asked = { authorization, ':path': path }
  const links = new Set<unknown>()
  for (let n = 0; n < 4; n += 1) links.add((await http2.ask(asked)).headers.link)
  if (process.env.TEST_EDGE !== 'off') t.ok(app.edgeAnswers > 0)
  links.add((await http2.ask({ ...asked, origin })).headers.link)
  t.equal(links.size, 1)
  t.match([...links][0], 'packed=')
  const next = findLink(String([...links][0]))
  t.equal((await http2.ask({ authorization, ':path': String(next).slice(publicUrl.length) })).status, 200)
})

t.test('a packed query is unpacked as it was, and nothing else is', (t) => {
  const pairs = [
    ['name[in]', 'ä;,/%20 +&=?\n'.repeat(40)],
    ['cursor', anyOf(unreserved, 300)],
    ['x', ''],
  ]
  const query = pairs
    .map((pair) => pair.map((each) => encodeURIComponent(each as string)).join('='))
    .join('&')
  const target = `/v1/products?${packQuery(query)}`
  t.same(parsePairs(unpackTarget(target).split('?')[1] as string), parsePairs(query))
  for (const other of [
    '/v1/products?packed=',
    '/v1/products?packed=%',
    '/v1/products?packed=AQAA',
    '/v1/products?packed=xx',
    `${target}&limit=2`,
    '/v1/products?name=packed=',
  ]) {
    t.equal(unpackTarget(other), other)
  }
  t.throws(() => expand(Buffer.from([7, 1])))
  t.end()
})

t.test('a packed query is checked like a plain one', async (t) => {
  const codeOf = async (query: string) =>
    (JSON.parse((await request(`/v1/products?${query}`)).body) as { code: string }).code
  t.equal(await codeOf(packQuery('access_token=x')), 'token_in_query')
  t.equal(await codeOf(packQuery(`name=${'x'.repeat(9_000)}`)), 'uri_too_long')
  t.equal(await codeOf(packQuery(`name=${'x'.repeat(90_000)}`)), 'invalid_query')
  t.equal(await codeOf('packed=x'), 'invalid_query')
  t.equal(await codeOf(packQuery('limit=0')), 'invalid_query')
})
