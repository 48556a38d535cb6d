import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, closeAfter, createTestApp, createTestDatabase, logIn } from '../../helper.ts'
import { parseCalendar, writeCertificates, writeMany } from './stage.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)
const acme = await logIn(app, await addCustomer(database, 'acme'))
const bolt = await logIn(app, await addCustomer(database, 'bolt'))
const many = await logIn(app, await addCustomer(database, 'many'))

const title =
  'Grün; 電波, "höchste" \\ Güte – und noch viele Wörter mehr, damit die Zeile umbrochen wird 📡📡📡📡📡📡📡📡'
await writeCertificates(database, 'acme', [
  { id: 'unlimited', valid_until: null },
  {
    id: 'jan',
    title: 'Gateway',
    valid_until: '2031-01-31',
    country_code: 'US',
    source_url: 'https://reg.example/a,b;c',
  },
  { id: 'leap', title, valid_until: '2032-02-28', holder: 'Two\nlines\u0007', source_url: 'not an address' },
  { id: 'year', valid_until: '2031-12-31', approval_status: 'revoked' },
  { id: 'past', valid_until: '2001-03-01', scheme: 'CE RED' },
])
await writeCertificates(database, 'bolt', [{ id: 'jan', title: 'Bolt', valid_until: '2031-01-31' }])

const read = async (query: string, reader = acme) => {
  const answer = await reader.get(`/v1/certificates?format=ics${query}`)
  t.equal(answer.statusCode, 200, answer.body.slice(0, 300))
  return { ...parseCalendar(answer.body), answer }
}

t.test('each certificate with an end is an event of this whole day', async (t) => {
  const { calendar, events, answer } = await read('')
  t.match(answer.headers, {
    'content-type': 'text/calendar; charset=utf-8',
    'cache-control': 'private, no-cache',
    'content-disposition': 'inline; filename="certificates.ics"',
    etag: /^W\/"/,
    'data-as-of': /Z$/,
  })
  t.match(
    events.map(({ start, end, isAllDay, summary }) => [start, end, isAllDay, summary]),
    [
      ['2001-03-01', '2001-03-02', true, 'Ends: past'],
      ['2031-01-31', '2031-02-01', true, 'Ends: Gateway (jan)'],
      ['2031-12-31', '2032-01-01', true, 'Ends (revoked): year'],
      ['2032-02-28', '2032-02-29', true, `Ends: ${title} (leap)`],
    ],
    'the end day is exclusive',
  )
  t.match(events[1], {
    url: 'https://reg.example/a,b;c',
    description: /certificate jan is 2031-01-31\.\nStatus: approved\nCountry: US\nId: jan$/,
  })
  t.match(events[3], { url: null, description: /\nHolder: Two\nlines\nId/ }, 'without the control character')
  const { data } = (await acme.get('/v1/certificates?fields=updated_at&id=jan')).json()
  t.equal(events[1]?.stamp, `${data[0].updated_at.slice(0, 19)}Z`)
  const generated = await acme.get('/v1/certificates?format=ics&sort=-created_at&limit=50&bom=false')
  t.equal(parseCalendar(generated.body).events.length, 4, 'the defaults of a list change nothing')
  for (const name of ['version', 'prodid', 'refresh-interval', 'x-published-ttl'])
    t.ok(calendar.getFirstPropertyValue(name), name)
  t.equal(calendar.getFirstPropertyValue('x-wr-calname'), 'Certificates of acme')
})

t.test('lines end with CRLF, and have 75 octets at most', async (t) => {
  const { answer } = await read('')
  const lines = answer.body.split('\r\n')
  t.equal(lines.pop(), '')
  t.ok(lines.every((line) => Buffer.byteLength(line) <= 75))
  t.notMatch(answer.body, /[^\r]\n|\r[^\n]|\ufffd/)
  t.ok(
    lines.some((line) => line.startsWith(' ')),
    'some lines are folded',
  )
})

t.test('UIDs stay the same, and differ between customers', async (t) => {
  const uidOf = async (reader: typeof acme) => (await read('&id=jan', reader)).events[0]?.uid
  const [first, other] = [await uidOf(acme), await uidOf(bolt)]
  // A change would give every event of every subscriber twice.
  t.equal(first, '880b8024-2ea7-5a0e-b243-8d94d8698d69')
  t.not(first, other)
  await sql`update certificates set valid_until = '2031-03-01', title = 'New' where id = 'jan' and customer_id = 'acme'`.execute(
    database.operator,
  )
  const { events } = await read('&id=jan')
  t.match(events, [{ uid: first, start: '2031-03-01', summary: 'Ends: New (jan)' }])
})

t.test('the filters of the list apply, and answers are never of another customer', async (t) => {
  const listStarts = async (query: string) => (await read(query)).events.map(({ start }) => start)
  t.same(await listStarts('&scheme=CE%20RED'), ['2001-03-01'])
  t.same(await listStarts('&validity=void'), ['2031-12-31'])
  t.same(await listStarts('&valid_until[gte]=2031-12-01&approval_status[ne]=revoked'), ['2032-02-28'])
  t.same(await listStarts('&valid_until[lt]=today'), ['2001-03-01'])
  t.same(await listStarts('&q=gateway'), [])
  t.same(
    (await read('', bolt)).events.map(({ summary }) => summary),
    ['Ends: Bolt (jan)'],
  )
  const { events, calendar } = await read('&scheme=none')
  t.same(events, [])
  t.ok(calendar.getFirstSubcomponent('vtimezone'), 'RFC 5545 requires a component')
})

t.test('faults of the query are named', async (t) => {
  const faults = async (query: string) => {
    const answer = await acme.get(`/v1/certificates?format=ics${query}`)
    t.equal(answer.statusCode, 400)
    return answer.json()
  }
  t.match(await faults('&contry_code=US'), {
    errors: [{ did_you_mean: 'country_code' }],
    try: /format=ics&country_code=US/,
  })
  for (const name of [
    'sort=number',
    'limit=5',
    'fields=number',
    'include=product',
    'cursor=x',
    'count=exact',
    'bom=true',
  ])
    t.match(await faults(`&${name}`), { errors: [{ parameter: name.split('=')[0] }] })
  const { detail } = await faults('&sort=nothing')
  t.match(detail, /leave sort out/, 'no other value of a refused parameter is proposed')
})

t.test('the parameters that a fault proposes are accepted', async (t) => {
  const formats = ['csv', 'ndjson', 'xlsx', 'ics', 'json']
  for (const format of formats) {
    const list = (query: string) => acme.get(`/v1/certificates?format=${format}&${query}`)
    const { detail } = (await list('quux_zz=DE')).json()
    const [, names = ''] = /expected one of: ([\w, ]+)/.exec(detail) ?? []
    const proposed = names.split(', ').filter((name) => name !== '')
    t.ok(proposed.length > 5, format)
    for (const name of proposed) {
      const { statusCode, body } = await list(`${name}=~`)
      const faults = statusCode === 400 ? JSON.parse(body).errors : []
      const refused = faults.filter((each: { code: string }) => each.code === 'unknown_parameter')
      t.same(refused, [], `${format}: ${name}`)
    }
  }
})

t.test('a wrong format is answered with those of the list', async (t) => {
  const { errors } = (await acme.get('/v1/certificates?format=ical')).json()
  t.match(errors, [{ parameter: 'format', detail: /json, ndjson, csv, xlsx, ics/ }])
  const ofProducts = (await acme.get('/v1/products?format=ical')).json()
  t.match(ofProducts.errors, [{ detail: /xlsx$/ }])
})

t.test('only certificates have the format', async (t) => {
  for (const address of ['/v1/products?format=ics', '/v1/certificates/jan?format=ics'])
    t.match((await acme.get(address)).json(), { status: 406, code: 'not_acceptable' })
  const accept = { accept: 'text/calendar' }
  t.match((await acme.get('/v1/certificates', accept)).headers, { 'content-type': /^text\/calendar/ })
  t.equal((await acme.get('/v1/products', accept)).statusCode, 406)
  const limited = await logIn(app, await addCustomer(database, 'acme', { scopes: ['products:read'] }))
  t.equal((await limited.get('/v1/certificates?format=ics')).statusCode, 403)
})

t.test('a change gives another ETag, and without one the answer is 304', async (t) => {
  const { answer } = await read('&id=past')
  const known = { 'if-none-match': answer.headers.etag as string }
  const address = '/v1/certificates?format=ics&id=past'
  t.equal((await acme.get(address, known)).statusCode, 304)
  t.equal((await acme.get('/v1/certificates?id=past', known)).statusCode, 200, 'no ETag of another format')
  await sql`update certificates set title = 'Other' where id = 'past' and customer_id = 'acme'`.execute(
    database.operator,
  )
  const changed = await acme.get(address, known)
  t.equal(changed.statusCode, 200)
  t.match(changed.body, /SUMMARY:Ends: Other/)
})

t.test('it costs as an export, and 304 costs nothing', async (t) => {
  const address = '/v1/certificates?format=ics&id=jan'
  const remaining = (answer: { headers: Record<string, unknown> }) =>
    Number(/"minute";r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1])
  const before = remaining(await bolt.get('/v1/me'))
  const first = await bolt.get(address)
  t.equal(remaining(first), before - 10)
  const again = await bolt.get(address, { 'if-none-match': first.headers.etag as string })
  t.equal(again.statusCode, 304)
  t.equal(remaining(again), before - 10)
  t.equal(remaining(await bolt.get(`${address}&limit=1`)), before - 11, 'a refused one costs one unit')
})

t.test('of more than 5,000 ends it shows the next ones, and says so', async (t) => {
  const { rows } = await sql<{ today: string }>`select (now() at time zone 'UTC')::date as today`.execute(
    database.operator,
  )
  const today = rows[0]?.today as string
  const dayAfter = (days: number) =>
    new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)
  // The library takes seconds for such a file.
  const listEvents = async () => {
    const { body } = await many.get('/v1/certificates?format=ics')
    return [...body.matchAll(/UID:(.+)\r\n[\s\S]*?DTSTART;VALUE=DATE:(.+)\r\n[\s\S]*?SUMMARY:(.+)\r\n/g)].map(
      ([, uid, start, summary]) => ({ uid, start, summary }),
    )
  }
  const toBasic = (day: string) => day.replaceAll('-', '')
  await writeMany(database, 'many', dayAfter(-31), 5_000)
  t.equal((await listEvents()).length, 5_000, 'all of them')
  await writeCertificates(database, 'many', [
    { id: 'z1', valid_until: dayAfter(-2) },
    { id: 'z2', valid_until: today },
  ])
  const [mark, ...ends] = await listEvents()
  t.match(mark, { start: toBasic(today), summary: /^This calendar is incomplete: it shows 5000 ends/ })
  t.equal(ends.length, 5_000)
  t.equal(ends[0]?.start, toBasic(dayAfter(-28)), 'the two earliest ends are missing')
  t.equal(ends.at(-1)?.start, toBasic(dayAfter(4_969)))
  for (const id of ['z1', 'z2']) t.ok(ends.some(({ summary }) => summary === `Ends: ${id}`))
  t.equal(new Set([mark, ...ends].map((each) => each?.uid)).size, 5_001)
})
