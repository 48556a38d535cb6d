import { METHODS } from 'node:http'
import { sql } from 'kysely'
import t from 'tap'
import { resourceNames } from '../../app/records/resources/index.ts'
import { asCustomer, publicUrl } from '../helper.ts'
import { end, line, openHttpStage } from './http-stage.ts'
import { sendBytes } from './sockets.ts'

const { database, app, port, stored, auth, ask, send } = await openHttpStage(t)

t.test(
  'the three forms of a path give the same bytes and tag; the others link to the canonical one',
  async (t) => {
    const wrong: object[] = []
    const paths = resourceNames.flatMap((name) => [`/${name}`, `/${name}/${stored[name]?.[20]?.id}`])
    const queries = [
      '',
      '?fields=id',
      '?fields=id%2Ccreated_at&format=json',
      '?format=json&fields=id,created_at',
    ]
    for (const path of paths) {
      for (const query of queries) {
        const canonical = await ask(`/v1${path}${query}`)
        for (const prefix of ['', '/webapi/v1/api.php']) {
          const other = await ask(`${prefix}${path}${query}`)
          const links = String(other.headers.link)
          const same =
            other.statusCode === 200 &&
            other.body === canonical.body &&
            other.headers.etag === canonical.headers.etag
          if (!same || !links.includes(`<${publicUrl}/v1${path}${query}>; rel="canonical"`))
            wrong.push({ path, query, links })
          if (other.headers['cache-status'] !== 'certdata; hit')
            wrong.push({ path, cache: other.headers['cache-status'] })
        }
        if (String(canonical.headers.link).includes('canonical'))
          wrong.push({ path, link: canonical.headers.link })
      }
    }
    const [mine, short, long] = [await ask('/v1/me'), await ask('/me'), await ask('/webapi/v1/api.php/me')]
    t.same(
      [short, long].map((each) => each.json().data.customer),
      [mine.json().data.customer, 'acme'],
    )
    t.same([short.headers.link, long.headers.link], Array(2).fill(`<${publicUrl}/v1/me>; rel="canonical"`))
    t.same(wrong, [])
  },
)

t.test('HEAD has the length of the body, and the next request is not its body', async (t) => {
  const [raw] = await sendBytes(port, `${line('/v1/products', 'HEAD')}Host: x\r\n${auth}${end}`)
  t.ok(Number(raw?.headers['content-length']) > 1000)
  const both = await sendBytes(
    port,
    `${line('/v1/products', 'HEAD')}Host: x\r\n${auth}\r\n${line('/v1/me')}Host: x\r\n${auth}${end}`,
  )
  t.same(both.length, 1)
})

t.test('any method that Node has, except GET, HEAD and OPTIONS, is refused with 405', async (t) => {
  const wrong: object[] = []
  for (const method of METHODS.filter((each) => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(each))) {
    const answer = await send(`${line('/v1/products', method)}Host: x\r\n${auth}${end}`)
    if (answer.status !== 405 || answer.headers.allow !== 'GET, HEAD, OPTIONS')
      wrong.push({ method, status: answer.status })
    const stranger = await send(`${line('/v1/products', method)}Host: x\r\n${end}`)
    if (stranger.status !== 401) wrong.push({ method, stranger: stranger.status })
  }
  t.same(wrong, [])
})

t.test('Link next is absolute and canonical, leads on, and is left out above 2 KiB', async (t) => {
  for (const prefix of ['/v1', '', '/webapi/v1/api.php']) {
    const { headers, ...answer } = await ask(
      `${prefix}/certificates?tags[nin]=ä,%5C%2C&limit=5&fields=id&sort=-number`,
    )
    const [, link = ''] = /<([^>]*)>; rel="next"/.exec(String(headers.link)) ?? []
    t.ok(link.startsWith(`${publicUrl}/v1/certificates?`), link)
    t.match(link, /^[\x21-\x7e]+$/)
    const next = await ask(link.slice(publicUrl.length))
    const cursor = answer.json().page.next_cursor
    const other = await ask(
      `/certificates?tags[nin]=ä,%5C%2C&limit=5&fields=id&sort=-number&cursor=${cursor}`,
    )
    t.same([next.statusCode, next.body], [200, other.body])
  }
  const long = await ask(`/certificates?limit=5&number[ne]=${'x'.repeat(1990)}`)
  t.equal(long.statusCode, 200)
  t.notMatch(String(long.headers.link), /next|canonical/)
  t.ok(long.json().page.next_cursor)
  const last = await ask('/v1/certificates?limit=500')
  t.notOk(last.headers.link)
})

t.test(
  'a walk passes keys of 2,000 bytes: the cursor is not counted in the size of the target',
  async (t) => {
    const giant = await asCustomer(database, app, 'giant')
    const names = ['"', '\\', 'ä', '\u{10ffff}', '\n'].map((each) =>
      each.repeat(Math.floor(2000 / Buffer.byteLength(each))),
    )
    for (const [n, name] of names.entries()) {
      await sql`insert into products (customer_id, id, name, model) values ('giant', ${`g${n}`}, ${name}, ${name})`.execute(
        database.operator,
      )
    }
    const seen: string[] = []
    let cursor = ''
    do {
      const target = `/v1/products?sort=name,model&limit=1${cursor}`
      const raw = `${line(target)}Host: x\r\nAuthorization: Bearer ${giant.token}\r\n${end}`
      const answer = await send(raw)
      t.equal(answer.status, 200, `target of ${target.length} bytes`)
      const { data, page } = JSON.parse(answer.body)
      seen.push(data[0].name)
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : ''
    } while (cursor)
    t.same(
      seen,
      names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
  },
)
