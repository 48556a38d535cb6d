import { sql } from 'kysely'
import t from 'tap'
import { createDb, createPool, readerRole } from '../../../app/db/connect.ts'
import type { StatusDocument } from '../../../app/features/status/document.ts'
import { emptyMinute, type Minute } from '../../../app/features/status/minutes.ts'
import { statusPage } from '../../../app/features/status/page.ts'
import { createStatus, type Status } from '../../../app/features/status/status.ts'
import { addServiceNote, reportServiceMinutes } from '../../../app/features/status/store.ts'
import {
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  until,
} from '../../helper.ts'

const database = await createTestDatabase()
const { reader } = database
const owner = connectOwner(database)
closeAfter(t, owner, database)
t.beforeEach(() => sql`truncate service_minutes`.execute(owner))

const minuteMs = 60_000
const perDay = 1_440
const allSlots = 0b111111
/** Noon of yesterday. The database refuses reports that are too far from now. */
const noon = (Math.floor(Date.now() / 86_400_000) - 1) * perDay + 720
const clock = { now: 0 }
const goTo = (minute: number, second = 30) => {
  clock.now = minute * minuteMs + second * 1_000
}

const start = (probe = async () => 100): Status => createStatus({ db: reader, now: () => clock.now, probe })
const read = (status: Status): StatusDocument => JSON.parse(JSON.stringify(status.document()))

/** Runs instances for a minute: probes at these seconds, then a report early in the next minute. */
const live = async (statuses: readonly Status[], minute: number, seconds = [1, 11, 21, 31, 41, 51]) => {
  for (const second of seconds) {
    goTo(minute, second)
    for (const status of statuses) await status.probe()
  }
  goTo(minute + 1, 1)
  for (const status of statuses) await status.report()
}

const getMinute = (minute: number, fields: Partial<Minute> = {}): Minute => ({
  ...emptyMinute(minute),
  slots: allSlots,
  ...fields,
})

/** Inserts old minutes, which the reporting function would refuse. Bucket 12 is 1 ms, bucket 48 a second. */
const plant = (
  from: number,
  until: number,
  { requests = 10, bucket = 12, ms = 1, ageMs = 90, instance = 'planted', slots = allSlots } = {},
) =>
  sql`insert into service_minutes
    select to_timestamp(m * 60), ${instance}, ${slots}::smallint, ${requests}::int, 0, ${requests}::int, ${requests * ms}::float8,
      ${requests / 2}::int, ${ageMs}::int, array_fill(0, array[${bucket}::int]) || ${requests}::int
    from generate_series(${from}::bigint, ${until - 1}::bigint) m`.execute(owner)

t.test('a new service has no figures', async (t) => {
  const status = start()
  goTo(noon)
  await status.refresh()
  const document = read(status)
  t.match(document, { status: 'unknown', measured_since: null, incidents: [] })
  for (const period of Object.values(document.periods)) t.match(period, { availability: null, minutes: 0 })
})

t.test('minutes survive a restart; a minute without a report is a gap and counts as down', async (t) => {
  const first = start()
  for (let minute = noon; minute < noon + 4; minute++) await live([first], minute)
  // The process is down for two minutes. Then another process starts.
  const second = start()
  for (let minute = noon + 6; minute < noon + 9; minute++) await live([second], minute)
  await second.refresh()
  goTo(noon + 9, 20)
  const { periods, series, incidents, status, headline, measured_since } = read(second)
  t.match(
    { status, headline },
    { status: 'degraded', headline: 'Below the promise at the moment: availability' },
  )
  t.equal(periods.now.verdicts.availability, 'broken', 'table and headline agree')
  t.equal(measured_since, new Date((noon + 1) * minuteMs).toISOString().replace('.000', ''))
  t.match(periods['24h'], { minutes: 8, unreported_minutes: 2, availability: 0.75 })
  t.match(periods.now, { minutes: 5, unreported_minutes: 2, availability: 0.6 })
  t.match(incidents, [{ kind: 'unreported', minutes: 2, availability: 0 }])
  t.same(
    series.minutes.slice(-9).map(({ availability }) => availability),
    [null, 1, 1, 1, 0, 0, 1, 1, 1],
    'the first minute was not measured from its beginning',
  )
  const [, budget] = periods['24h'].error_budgets
  t.match(budget, { objective: 0.999, allowed_seconds: 0.5, used_seconds: 120 })
})

t.test('seconds after a restart, the page says since when the service answers again', async (t) => {
  const first = start()
  for (let minute = noon; minute < noon + 6; minute++) await live([first], minute)
  let isUp = true
  const second = start(async () => {
    if (!isUp) throw new Error('unreachable')
    return 100
  })
  goTo(noon + 9, 2)
  await second.refresh()
  t.match(read(second), { status: 'down', answers_again_since: null }, 'no probe yet')
  await second.probe()
  goTo(noon + 9, 12)
  await second.probe()
  const document = read(second)
  const since = new Date((noon + 9) * minuteMs + 2_000).toISOString()
  t.match(document, { status: 'degraded', answers_again_since: since })
  t.equal(document.headline, `The service answers again since ${since.slice(11, 16)} UTC`)
  t.equal(document.incidents.length, 1)
  t.ok(document.incidents[0]?.until, 'the incident is over')
  t.equal(document.periods.now.unreported_minutes, 2, 'its minutes still count')
  isUp = false
  goTo(noon + 9, 22)
  await second.probe()
  t.match(read(second), { status: 'down', answers_again_since: null }, 'not after another failure')
})

t.test('announced maintenance is shown, and its minutes are marked and still count', async (t) => {
  t.teardown(() => sql`truncate service_notes`.execute(owner))
  const status = start()
  for (const minute of [noon, noon + 1, noon + 5, noon + 6]) await live([status], minute)
  const note = (from: number, until: number, text: string) =>
    addServiceNote(database.operator, {
      from: new Date(from * minuteMs),
      until: new Date(until * minuteMs),
      text,
    })
  await note(noon + 2, noon + 4, 'New disks <b>')
  await note(noon + 3, noon + 5, 'Longer')
  await note(noon + 2_000, noon + 2_010, 'Next')
  await note(noon - 91 * perDay, noon - 91 * perDay + 1, 'Long ago')
  await status.refresh()
  goTo(noon + 7, 20)
  const { periods, incidents, maintenance, series } = read(status)
  t.strictSame(
    maintenance.map(({ text }) => text),
    ['Next', 'Longer', 'New disks <b>'],
  )
  t.equal(maintenance[2]?.from, new Date((noon + 2) * minuteMs).toISOString().replace('.000', ''))
  t.equal(periods['24h'].maintenance_minutes, 3, 'a minute of two notes counts once')
  t.equal(periods['24h'].unreported_minutes, 3)
  t.equal(periods['24h'].availability, 0.5, 'half of six minutes')
  t.match(incidents, [{ minutes: 3, maintenance: 'Longer' }])
  t.strictSame(
    series.minutes
      .filter((each) => each.maintenance_minutes > 0)
      .map(({ at }) => Date.parse(at) / minuteMs - noon),
    [2, 3, 4],
  )
  const { html } = statusPage(read(status), 'minutes', { name: undefined }).main
  t.match(html, /Planned maintenance:<\/strong> .* Next/)
  t.match(html, 'During maintenance: Longer')
  t.notMatch(html, '<b>')
})

t.test('a service that answers probes, but fails its requests, is not "again" available', async (t) => {
  const status = start()
  for (let minute = noon; minute < noon + 3; minute++) await live([status], minute)
  for (let i = 0; i < 20; i++) status.addAnswer(503, undefined, false)
  await live([status], noon + 3)
  goTo(noon + 4, 20)
  t.match(read(status), { status: 'down', answers_again_since: null })
})

t.test('minutes without any instance count as down until now', async (t) => {
  const status = start()
  for (let minute = noon; minute < noon + 3; minute++) await live([status], minute)
  const other = start()
  goTo(noon + 10, 20)
  await other.refresh()
  t.match(read(other), { status: 'down', incidents: [{ kind: 'unreported', until: null, minutes: 7 }] })
})

t.test('the probes of instances are joined, and answers and histograms are added', async (t) => {
  let works = true
  const a = start(async () => {
    if (!works) throw new Error('away')
    return 100
  })
  const b = start()
  await live([a, b], noon)
  works = false
  goTo(noon + 1)
  for (let i = 0; i < 98; i++) a.addAnswer(200, 4, true)
  for (let i = 0; i < 2; i++) b.addAnswer(200, 400, false)
  b.addAnswer(404, undefined, false)
  await live([a, b], noon + 1)
  await a.refresh()
  goTo(noon + 2, 20)
  const { availability, requests, failed, latency, cache_hit_ratio } = read(a).periods.now
  t.match({ availability, requests, failed, cache_hit_ratio }, { availability: 1, requests: 101, failed: 0 })
  t.equal(cache_hit_ratio, 0.98)
  t.equal(latency.average_ms, 11.92)
  t.ok(
    (latency.p99_ms as number) > 300 && (latency.p99_ms as number) < 450,
    'the slow answers of the other instance count',
  )
  t.ok((latency.p50_ms as number) < 6)
})

t.test('after a failure of the database, delayed minutes are written and count as down', async (t) => {
  let works = true
  const setWorks = async (holds: boolean) => {
    works = holds
    const all = 'all functions in schema public'
    await sql
      .raw(`${holds ? `grant execute on ${all} to` : `revoke execute on ${all} from`} certdata_reader`)
      .execute(owner)
  }
  t.teardown(() => setWorks(true))
  const status = start(async () => {
    if (!works) throw new Error('away')
    return 100
  })
  await live([status], noon)
  await live([status], noon + 1)
  await setWorks(false)
  for (const minute of [noon + 2, noon + 3]) {
    await t.rejects(live([status], minute))
    await t.rejects(status.refresh())
  }
  goTo(noon + 4, 20)
  t.match(read(status), { status: 'down', periods: { now: { minutes: 3, unreported_minutes: 0 } } })
  await setWorks(true)
  await live([status], noon + 4)
  const other = start()
  await other.refresh()
  goTo(noon + 5, 20)
  const { periods, incidents } = read(other)
  t.match(periods['24h'], { minutes: 4, unreported_minutes: 0, availability: 0.5 })
  t.match(incidents, [{ kind: 'failing', minutes: 2 }])
})

t.test('failed answers reduce a minute, and a repeated report counts once', async (t) => {
  const status = start()
  await live([status], noon)
  goTo(noon + 1)
  for (let i = 0; i < 194; i++) status.addAnswer(i < 100 ? 503 : 200, undefined, false)
  const again = getMinute(noon + 1, { requests: 50, failed: 50 })
  await reportServiceMinutes(reader, 'other', [again])
  await reportServiceMinutes(reader, 'other', [{ ...again, requests: 0, failed: 0 }])
  await live([status], noon + 1)
  await status.refresh()
  goTo(noon + 2, 20)
  t.match(read(status).periods.now, { requests: 194, failed: 100, availability: 0.5 })
})

t.test('the sums of 90 days equal their minutes, and contain the slow answers of one day', async (t) => {
  const today = Math.floor(noon / perDay)
  // Forty days ago, an hour has no report, and the answers were slow.
  const bad = (today - 40) * perDay
  const slow = { requests: 100, bucket: 48, ms: 1_000, ageMs: 900 }
  await plant((today - 95) * perDay, bad)
  await plant(bad, bad + 600, slow)
  await plant(bad + 660, bad + perDay, slow)
  await plant(bad + perDay, today * perDay)
  // On the day before, all probes of a second instance failed.
  await plant(bad - perDay, bad, { instance: 'other', slots: 0, requests: 0 })
  const status = start()
  await live([status], today * perDay)
  goTo(today * perDay + 1, 20)
  const before = performance.now()
  await status.refresh()
  t.comment(`read 90 days in ${Math.round(performance.now() - before)} ms`)
  const { periods, series, incidents } = read(status)
  t.match(periods['90d'], { minutes: 89 * perDay + 1, unreported_minutes: 60, max_age_ms: 900 })
  t.equal(periods['90d'].requests, (88 * perDay * 10 + (perDay - 60) * 100) as number)
  t.equal(periods['90d'].availability, Number((1 - 60 / (89 * perDay + 1)).toFixed(7)))
  // 9.8 % of the answers were slow, so the 99th percentile is slow. A mean of the daily percentiles would not be.
  t.ok((periods['90d'].latency.p99_ms as number) > 750)
  t.ok((periods['30d'].latency.p99_ms as number) < 2, 'and not in the last 30 days')
  t.equal(periods['30d'].availability, 1)
  t.match(incidents, [{ kind: 'unreported', minutes: 60 }])
  t.equal(series.days.length, 90)
  t.same(
    series.days.filter(({ unreported_minutes: n }) => n > 0).map(({ unreported_minutes: n }) => n),
    [60],
  )
  // The sum of that day's minutes equals the stored sum of the day.
  goTo((today - 39) * perDay, 20)
  const then = start()
  await then.refresh()
  const point = read(then).series.days.find(({ at }) =>
    at.startsWith(new Date((today - 40) * 86_400_000).toISOString().slice(0, 10)),
  )
  const known = series.days.find(({ at }) => at === point?.at)
  t.ok(point)
  t.same(point, known)

  await status.prune()
  const { rows } = await sql<{ days: number }>`
    select count(distinct minute::date) as days from service_minutes`.execute(owner)
  t.ok((rows[0]?.days ?? 0) >= 90, 'shown minutes are not pruned')
  await plant((today - 120) * perDay, (today - 120) * perDay + 1)
  await status.prune()
  const { rows: left } =
    await sql`select from service_minutes where minute < now() - interval '101 days'`.execute(owner)
  t.same(left, [])
})

t.test('the serving role may only call functions, which accept only recent minutes', async (t) => {
  await t.rejects(sql`select from service_minutes`.execute(reader), /permission denied/)
  await t.rejects(sql`delete from service_minutes`.execute(reader), /permission denied/)
  const now = Math.floor(Date.now() / minuteMs)
  await reportServiceMinutes(reader, 'x', [getMinute(now - 4_000), getMinute(now), getMinute(now + 4_000)])
  const { rows } = await sql<{ n: number }>`select count(*) as n from service_minutes`.execute(owner)
  t.equal(rows[0]?.n, 1)
  await t.rejects(reportServiceMinutes(reader, 'x', [getMinute(now, { requests: 1, failed: 2 })]))
})

t.test('leaves out the incomplete first minute, also after midnight', async (t) => {
  const status = start()
  const midnight = noon + perDay / 2
  const answer = (times: number) => {
    for (let i = 0; i < times; i++) status.addAnswer(200, 1, true)
  }
  goTo(midnight - 2)
  answer(1)
  goTo(midnight - 1)
  answer(7)
  goTo(midnight)
  await status.report()
  await status.refresh()
  goTo(midnight + 1)
  t.match(read(status).periods.now, { requests: 7 })
})

t.test('/status.json counts answers of the API, not pages, and contains no data of customers', async (t) => {
  // In the middle of a minute, so that the first requests and the first probe are in the same minute.
  const clock = { offsetMs: minuteMs / 2 - (Date.now() % minuteMs) }
  let statements = 0
  const pool = createPool(database.url, {
    role: readerRole,
    max: 4,
    applicationName: 'test',
    onError() {},
  })
  const counting = createDb(pool, {
    onStatement({ sql: text }) {
      if (text.includes('service_')) statements++
    },
  })
  const apart = { ...database, reader: counting, reserved: counting }
  const begin = async () => {
    const app = await createTestApp(apart, { clock, started: Promise.resolve() })
    await until('it has read its history', () => statements > 0)
    return app
  }
  const app = await begin()
  const { get } = await asCustomer(database, app, 'secretive-customer')
  const cached = () => get('/v1/products', { 'cache-control': '' })
  clock.offsetMs += minuteMs
  for (let i = 0; i < 3; i++) await cached()
  const { headers } = await cached()
  await get('/products', { 'if-none-match': String(headers.etag), 'cache-control': '' })
  await get('/v1/products/unknown')
  await app.inject('/v1/products')
  await app.inject('/v1/nothing')
  for (const page of ['/', '/status', '/status.json', '/health/live', '/problems', '/openapi.json'])
    await app.inject(page)
  await app.close()
  const { rows } = await sql`select requests from service_minutes order by minute desc limit 1`.execute(owner)
  t.match(rows, [{ requests: 8 }], 'a stopping process writes its last minute')

  clock.offsetMs += minuteMs + 20_000
  statements = 0
  const next = await begin()
  closeAfter(t, next, counting)
  const read = () => next.inject('/status.json')
  await until('it shows the minutes', async () => (await read()).json().measured_since !== null)
  const answer = await read()
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['content-type'], 'application/json')
  const { periods } = answer.json()
  t.match(periods.now, { requests: 8, failed: 0 })
  t.equal(periods.now.cache_hit_ratio, 0.8, 'five answers with data, one of them from the database')
  t.ok(periods.now.latency.average_ms > 0)
  t.notMatch(answer.body, /secretive|customer|products/)

  const tagged = await next.inject({
    url: '/status.json',
    headers: { 'if-none-match': String(answer.headers.etag) },
  })
  t.equal(tagged.statusCode, 304)
  clock.offsetMs += 60_000
  const before = statements
  for (let i = 0; i < 20; i++) await read()
  t.equal(statements, before, 'a visitor causes no statement')
})

t.test('the page is small, is redirected to TLS, and can be read by pages of other origins', async (t) => {
  const origin = 'https://api.example'
  const app = await createTestApp(database, {
    origin,
    env: { ALLOW_HTTP: 'false', CORS_ORIGINS: 'https://app.example' },
  })
  t.teardown(() => app.close())
  const plain = await app.inject('/status.json')
  t.match([plain.statusCode, plain.headers.location], [308, `${origin}/status.json`])
  const open = await createTestApp(database, { env: { CORS_ORIGINS: 'https://app.example' } })
  t.teardown(() => open.close())
  for (const url of ['/status', '/status.json']) {
    const headers = { origin: 'https://app.example', 'accept-encoding': 'br' }
    const answer = await open.inject({ url, headers })
    t.equal(answer.headers.vary, 'Origin, Accept-Encoding', url)
    t.equal(answer.headers['cache-control'], 'public, max-age=5', url)
    t.ok(answer.rawPayload.length < 20_000, url)
  }
  const { linkset } = (await open.inject('/.well-known/api-catalog')).json()
  t.match(linkset[0].status, [{ href: /\/status$/ }])
  const missing = await open.inject({ url: '/none', headers: { accept: 'text/html' } })
  t.match(missing.body, '<li><a href="/status">Status</a>: availability and speed, as measured</li>')
  t.match(missing.body, '<li><a href="/status.json">Status as JSON</a></li>')
})
