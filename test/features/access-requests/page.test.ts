import { sql } from 'kysely'
import t from 'tap'
import { deadline } from '../../../app/site/browser/units.js'
import { closeAfter, createTestApp, createTestDatabase } from '../../helper.ts'

const database = await createTestDatabase()
const clock = { offsetMs: 0 }
const app = await createTestApp(database, {
  clock,
  env: { LIMIT_ACCESS_REQUESTS: '3', ACCESS_CONTACT: 'mailto:access@house.example' },
})
closeAfter(t, app, database)

const get = (url: string) => app.inject({ url })

t.test('the page names the contact, and no cache keeps it', async (t) => {
  const { body, headers } = await get('/access')
  t.match(body, '<a href="mailto:access@house.example">access@house.example</a>')
  t.match(headers, { 'cache-control': 'no-store', etag: undefined })
})

t.test('the start page, the catalog and security.txt link to the page', async (t) => {
  t.match((await get('/')).body, /<a class="button main" href="\/access">Get access</)
  t.match((await get('/.well-known/security.txt')).body, /^Contact: http:\/\/api\.test\/access$/m)
  t.equal((await get('/openapi.json')).json().info.contact.url, 'http://api.test/access')
})

t.test('the form says who keeps the details, and for how long', async (t) => {
  const named = await createTestApp(database, {
    env: {
      OPERATOR_NAME: 'Prüfhaus <Süd> GmbH',
      IMPRINT_URL: 'https://house.example/imprint',
      PRIVACY_URL: 'https://house.example/privacy?a&b',
      ACCESS_REQUEST_DAYS: '45',
    },
  })
  t.teardown(() => named.close())
  const ofHouse = (await named.inject('/access')).body
  t.match(ofHouse, 'Prüfhaus &lt;Süd&gt; GmbH may keep these details to answer the request.')
  t.match(ofHouse, 'deleted 45 days after the decision, or after their arrival if there is none.')
  t.match(ofHouse, 'See the <a href="https://house.example/privacy?a&amp;b">privacy notice</a>.')
  const form = (await get('/access')).body
  t.match(form, 'The certification house may keep these details')
  t.match(form, 'deleted 30 days after the decision')
  t.notMatch(form, 'privacy notice')
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

t.test('the access form works without JavaScript, and refuses programs and faulty input', async (t) => {
  const givenAtMs = Date.now() + clock.offsetMs
  const ticket = getTicket((await get('/access')).body)
  // No time has passed for the service since it issued the ticket.
  clock.offsetMs = givenAtMs - Date.now()
  const early = await post({ ...good, ticket })
  t.equal(early.statusCode, 400)
  t.match(early.body, /faster than people type/)
  t.match(early.body, 'value="Acme &amp; &lt;Söhne&gt;"', 'the input is kept and escaped')
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
  t.match(incomplete.body, /id="consent-fault">Tick this box/)
  t.match(incomplete.body, /href="#consent"/)
  t.equal(getTicket(incomplete.body), ticket, 'a correction may be sent immediately')
  t.match((await post({ ...good, ticket, email: 'nobody' })).body, /name="consent" value="true" checked/)
  t.equal(await countRequests(), 0)

  const sent = await post({ ...good, ticket })
  t.equal(sent.statusCode, 200)
  t.match(
    sent.body,
    /Your request has arrived.*You will hear from us by <strong>(the end of )?\w+day,? \d+ \w+ \d{4}( at \d\d:\d\d)? \(UTC\)/s,
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

t.test('a request that is due at midnight is due at the end of the day before', async (t) => {
  t.match(deadline('2026-12-01T00:00:00.000000Z', 'UTC'), /^the end of Monday,? 30 November 2026$/)
  t.match(deadline('2026-12-01T00:00:00.000000Z', 'Europe/Berlin'), /^Tuesday,? 1 December 2026 at 01:00$/)
  t.match(deadline('2026-11-30T15:30:00.000000Z', 'UTC'), /^Monday,? 30 November 2026 at 15:30$/)
})
